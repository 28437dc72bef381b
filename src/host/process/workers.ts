import cluster, { type Worker } from "node:cluster";
import { availableParallelism } from "node:os";
import { openFolderRelay } from "../live/folder-relay.ts";
import { createWorkerCarrier, isChannelMessage } from "../live/worker-relay.ts";
import { isToKeeper } from "../releases/release-messages.ts";
import { createWorkersKeeper } from "../releases/workers-keeper.ts";
import { serviceFolderOf } from "../service/service-folder.ts";
import { forkWorker } from "./worker-mark.ts";
import {
  asksGate,
  type GateMessage,
  type GateVerdict,
  hasStarted,
  isFailedMessage,
  listensToSignals,
  type ParentMessage,
} from "./worker-messages.ts";

export interface WorkersOptions {
  /** How many processes answer requests. */
  count: number;
  /** Called with one sentence when a process ended by itself and was replaced. */
  warn: (sentence: string) => void;
  now: () => number;
  dataFolder: string;
  /** Decides for all workers whether a build may take traffic. Aborted if the workers are stopped meanwhile. */
  gate?: ((signal: AbortSignal) => Promise<GateVerdict>) | undefined;
  /** Called when a process has ended, however that was: removes what it has left. */
  onEnd?: (pid: number) => void;
}

/** A process that cannot start would be replaced forever: more exits than this within this time stop all processes. */
const endsAtMost = 5;
const endsWithinMs = 30_000;

/** Reads a number from 1 to 256, or `auto`: one process per core. Defaults to 1. */
export function readWorkerCount(text: string | undefined): number | undefined {
  if (text === undefined || text === "1") return 1;
  if (text === "auto") return availableParallelism();
  const count = Number(text);
  return Number.isInteger(count) && count >= 1 && count <= 256 ? count : undefined;
}

/**
 * Runs this program in several processes that share the port, replaces those that end by themselves, and stops all of
 * them on a signal. SIGHUP replaces them one by one. Returns the exit code.
 */
export async function runWorkers({ count, warn, now, dataFolder, gate, onEnd }: WorkersOptions): Promise<number> {
  const { promise: ended, resolve: end } = Promise.withResolvers<number>();
  const mayReplace = createReplacing(warn, now);
  const listening = new Set<Worker>();
  const replaced = new Set<Worker>();
  const signals: NodeJS.Signals[] = [];
  let code = 0;
  let hasOneStarted = false;
  const isStopping = (): boolean => signals.length > 0;
  const stopping = new AbortController();
  const stopAll = (signal: "SIGINT" | "SIGTERM"): void => {
    signals.push(signal);
    stopping.abort();
    // A message, so that a worker can distinguish it from its own signal.
    for (const worker of listening) if (worker.isConnected()) worker.send(signal);
  };
  cluster.on("exit", (worker: Worker, exitCode: number, signal: string | null) => {
    listening.delete(worker);
    if (worker.process.pid !== undefined) onEnd?.(worker.process.pid);
    if (isStopping()) {
      if (exitCode !== 0 && !worker.exitedAfterDisconnect) code = 1;
    } else if (!replaced.delete(worker)) {
      if (mayReplace({ exitCode, signal, hasOneStarted })) return void forkWorker();
      stopAll("SIGTERM");
      code = 1;
    }
    if (Object.keys(cluster.workers ?? {}).length === 0) end(code);
  });
  // Before the first worker, so that it misses nothing.
  const neighbours = openFolderRelay(serviceFolderOf(dataFolder), warn);
  const carry = createWorkerCarrier(
    () => Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined),
    neighbours,
  );
  const releases = createWorkersKeeper(dataFolder, now);
  const sayFailure = createFailures(warn);
  const verdicts = createVerdicts(() => gate?.(stopping.signal) ?? Promise.resolve({ kind: "open" }));
  const answerGate = async (worker: Worker): Promise<void> => {
    const isReload = replaced.has(worker);
    const decided = await (isReload ? verdicts.ofReload() : verdicts.ofStart());
    if (decided.kind === "stopped" && !isReload && !isStopping()) signals.push("SIGTERM");
    if (worker.isConnected()) worker.send({ gate: decided } satisfies GateMessage);
  };
  cluster.on("message", (worker, message) => {
    if (isChannelMessage(message)) return carry(worker, message);
    if (isToKeeper(message)) return releases.receive(worker, message);
    if (message === asksGate) return void answerGate(worker);
    if (message === hasStarted) hasOneStarted = true;
    if (isFailedMessage(message)) return sayFailure(message.cannotStart, hasOneStarted);
    if (message !== listensToSignals) return;
    listening.add(worker);
    // It was still starting when the others got them.
    for (const signal of signals) worker.send(signal);
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stopAll(signal));
  const reload = createReload({ replaced, isStopping, onReload: verdicts.forgetReload, warn });
  // A terminal that closes sends it too, and expects an end.
  process.on("SIGHUP", () => (process.stdout.isTTY ? stopAll("SIGTERM") : reload()));
  for (let started = 0; started < count; started++) forkWorker();
  const exitCode = await ended;
  neighbours?.close();
  await releases.close();
  return exitCode;
}

interface EndedProcess {
  exitCode: number;
  signal: string | null;
  /** Whether any process has started before. */
  hasOneStarted: boolean;
}

/** Decides whether another process takes the place of one that ended by itself. */
function createReplacing(warn: (sentence: string) => void, now: () => number): (ended: EndedProcess) => boolean {
  const ends: number[] = [];
  return ({ exitCode, signal, hasOneStarted }) => {
    // It has printed what is wrong, such as the configuration, and the next one would find the same.
    if (signal === null && !hasOneStarted) return false;
    warn(`A server process ended (${signal ?? exitCode}).`);
    ends.push(now());
    const recent = ends.filter((at) => now() - at < endsWithinMs).length;
    if (recent <= endsAtMost) return true;
    warn(`${recent} server processes ended within ${endsWithinMs / 1000} s; giving up.`);
    return false;
  };
}

/** Until one has started, all fail for the same reason, which is printed once. */
function createFailures(warn: (sentence: string) => void): (why: string, hasOneStarted: boolean) => void {
  const printed = new Set<string>();
  return (why, hasOneStarted) => {
    if (!hasOneStarted && printed.has(why)) return;
    printed.add(why);
    warn(why);
  };
}

interface Verdicts {
  ofReload(): Promise<GateVerdict>;
  /** Also of a worker that crashed and comes back, whatever the gate has said of a later build. */
  ofStart(): Promise<GateVerdict>;
  /** For the next reload: there may be another build. */
  forgetReload(): void;
}

/** Judges once for all workers of a start, and once for those of a reload. */
function createVerdicts(judge: () => Promise<GateVerdict>): Verdicts {
  let ofStart: Promise<GateVerdict> | undefined;
  let ofReload: Promise<GateVerdict> | undefined;
  return {
    ofReload: () => {
      ofReload ??= judge();
      return ofReload;
    },
    ofStart: () => {
      ofStart ??= judge();
      return ofStart;
    },
    forgetReload: () => {
      ofReload = undefined;
    },
  };
}

interface ReloadDeps {
  /** Workers that end because another one has taken their place. */
  replaced: Set<Worker>;
  isStopping: () => boolean;
  onReload: () => void;
  warn: (sentence: string) => void;
}

/**
 * Replaces all workers, one by one: a new one answers before the old one stops taking connections, so that no
 * connection is refused. If a new one does not come up, the old ones go on. A call during a reload is one more reload.
 */
function createReload({ replaced, isStopping, onReload, warn }: ReloadDeps): () => void {
  let reloads = Promise.resolve();
  const replaceAll = async (): Promise<void> => {
    onReload();
    for (const old of Object.values(cluster.workers ?? {})) {
      if (isStopping() || !old?.isConnected()) continue;
      const next = forkWorker();
      replaced.add(next);
      const isUp = await startsUp(next);
      replaced.delete(next);
      if (!isUp) return warn("A new server process did not start; the others go on with what they have.");
      if (isStopping() || !old.isConnected()) continue;
      replaced.add(old);
      old.send("replaced" satisfies ParentMessage);
      await new Promise((resolve) => old.once("exit", resolve));
    }
    if (!isStopping()) warn("All server processes are new.");
  };
  return () => {
    reloads = reloads.then(replaceAll);
  };
}

/** Whether the worker has started, or has ended before that. */
function startsUp(worker: Worker): Promise<boolean> {
  return new Promise((resolve) => {
    worker.on("message", (message) => {
      if (message === hasStarted) resolve(true);
    });
    worker.once("exit", () => resolve(false));
  });
}
