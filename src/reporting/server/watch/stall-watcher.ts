import { Worker } from "node:worker_threads";
import type { ReportingLimits } from "../../limits.ts";

/** What a thread shares with its watcher: plain memory, so that it can be passed from one thread to another. */
export interface StallWatcherData {
  /** One more each time the watched thread has looked up. */
  heartbeats: Int32Array;
  /** How many have begun to watch. The last of them does. */
  watchers: Int32Array;
  /** The last stack that was seen, as text, and how much of it there is to be taken. */
  stack: Uint8Array;
  stackBytes: Int32Array;
  lookMs: number;
  silentMs: number;
}

/** Fifty frames with long names. */
const longestStackBytes = 16_384;

/** What another thread sees of this one while it is blocked. */
export interface StallWatcher {
  /** For a thread that is there anyway: imports the module, and calls its `begin` with the data. */
  readonly task: { readonly module: string; readonly data: StallWatcherData };
  readonly isWatched: boolean;
  /** Starts a thread only to watch this one. */
  watchByItself(): void;
  /** This thread is alive. */
  beat(): void;
  /** What this thread did when it did not beat; nothing when it did. */
  takeStack(): string | undefined;
  close(): void;
}

export function createStallWatcher(limits: Pick<ReportingLimits, "stallMs" | "stallLookMs">): StallWatcher {
  const data: StallWatcherData = {
    heartbeats: sharedNumber(),
    watchers: sharedNumber(),
    stack: new Uint8Array(new SharedArrayBuffer(longestStackBytes)),
    stackBytes: sharedNumber(),
    lookMs: limits.stallLookMs,
    // Early enough to see what is going on, late enough not to disturb what is only busy.
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
      // A copy: text is not made from memory that others may write to.
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
 * From source, `scripts/compile-threads.js` has compiled what threads run: Node's own compiler sometimes crashes in
 * threads.
 */
function besideThisFile(name: string): URL {
  const compiledSource = `../../../../node_modules/.cache/holdfast/threads/${name}.js`;
  return new URL(import.meta.url.endsWith(".ts") ? compiledSource : `./${name}.js`, import.meta.url);
}
