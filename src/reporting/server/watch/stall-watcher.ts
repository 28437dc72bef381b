import { Worker } from "node:worker_threads";
import type { ReportingLimits } from "../../limits.ts";

/** Memory that a thread shares with its watcher. */
export interface StallWatcherData {
  /** Incremented each time the watched thread runs its timer. */
  heartbeats: Int32Array;
  /** Number of watchers that have registered. Only the last one is active. */
  watchers: Int32Array;
  /** The last stack as text, and its length until it is read. */
  stack: Uint8Array;
  stackBytes: Int32Array;
  checkMs: number;
  silentMs: number;
}

/** Fifty frames with long names. */
const longestStackBytes = 16_384;

/** Watches this thread from another one while it is blocked. */
export interface StallWatcher {
  /** For an existing thread: it imports the module and calls its `begin` with the data. */
  readonly task: { readonly module: string; readonly data: StallWatcherData };
  readonly isWatched: boolean;
  /** Starts a thread that only watches this one. */
  watchByItself(): void;
  /** Signals that this thread is responsive. */
  beat(): void;
  /** Returns this thread's stack during the last missed heartbeats; undefined if there were none. */
  takeStack(): string | undefined;
  close(): void;
}

export function createStallWatcher(limits: Pick<ReportingLimits, "stallMs" | "stallCheckMs">): StallWatcher {
  const data: StallWatcherData = {
    heartbeats: sharedNumber(),
    watchers: sharedNumber(),
    stack: new Uint8Array(new SharedArrayBuffer(longestStackBytes)),
    stackBytes: sharedNumber(),
    checkMs: limits.stallCheckMs,
    // Early enough to see the cause, late enough not to disturb a thread that is only busy.
    silentMs: limits.stallMs / 2,
  };
  const { heartbeats, watchers, stack, stackBytes } = data;
  let worker: Worker | undefined;
  return {
    task: { module: besideThisFile("watch-main-thread").href, data },
    get isWatched() {
      return worker !== undefined || Atomics.load(watchers, 0) > 0;
    },
    watchByItself: () => {
      worker ??= startWorker(data);
    },
    beat: () => {
      Atomics.add(heartbeats, 0, 1);
    },
    takeStack: () => {
      const bytes = Atomics.exchange(stackBytes, 0, 0);
      // A copy, because other threads may write to the shared memory.
      return bytes === 0 ? undefined : new TextDecoder().decode(stack.slice(0, bytes));
    },
    close: () => {
      // A watcher stops when a newer one has registered.
      Atomics.add(watchers, 0, 1);
      void worker?.terminate();
    },
  };
}

function sharedNumber(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(4));
}

function startWorker(workerData: StallWatcherData): Worker {
  const worker = new Worker(besideThisFile("stall-worker"), {
    name: "holdfast-stalls",
    workerData,
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 32 },
  });
  worker.unref();
  // Without the worker, stalls are reported without a stack.
  worker.once("error", () => undefined);
  return worker;
}

/**
 * From source, `scripts/compile-threads.js` has compiled the code of threads: Node's own compiler sometimes crashes in
 * threads.
 */
function besideThisFile(name: string): URL {
  const compiledSource = `../../../../node_modules/.cache/holdfast/threads/${name}.js`;
  return new URL(import.meta.url.endsWith(".ts") ? compiledSource : `./${name}.js`, import.meta.url);
}
