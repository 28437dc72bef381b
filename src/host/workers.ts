import cluster, { type Worker } from "node:cluster";
import { availableParallelism } from "node:os";

export interface WorkersOptions {
  /** How many processes answer requests. */
  count: number;
  /** Called with one sentence when a process ended by itself and was replaced. */
  say: (sentence: string) => void;
  now: () => number;
}

/**
 * A process that cannot even start would be replaced without end: more than this many ends in this time stop the whole.
 */
const endsAtMost = 5;
const endsWithinMs = 30_000;

/** By default, as many processes as there are cores. */
export function readWorkerCount(text: string | undefined): number | undefined {
  if (text === undefined || text === "1") return 1;
  if (text === "auto") return availableParallelism();
  const count = Number(text);
  return Number.isInteger(count) && count >= 1 && count <= 256 ? count : undefined;
}

/** Whether this process is one of several that were started by `runWorkers`. */
export function isWorker(): boolean {
  return cluster.isWorker;
}

/** Of several processes the first one says where they listen, once for all of them. */
export function isFirstWorker(): boolean {
  return (cluster.worker?.id ?? 1) === 1;
}

/** In a worker: the signals that its parent passes on. */
export interface ParentSignals {
  hear(handle: (signal: NodeJS.Signals) => void): void;
}

/**
 * To be opened before the server is: a message without a listener is lost. Until someone hears them, a signal ends the
 * process.
 */
export function openParentSignals(): ParentSignals {
  let handle = (_signal: NodeJS.Signals): void => process.exit(0);
  if (cluster.isWorker)
    process.on("message", (message) => {
      if (message === "SIGINT" || message === "SIGTERM") handle(message);
    });
  return {
    hear: (next) => {
      handle = next;
    },
  };
}

/**
 * Runs this very program again in several processes that share the port, replaces one that ends by itself, and ends
 * them all when asked to. Returns the exit code.
 */
export async function runWorkers({ count, say, now }: WorkersOptions): Promise<number> {
  const { promise: ended, resolve: end } = Promise.withResolvers<number>();
  const ends: number[] = [];
  let stopping = false;
  let code = 0;
  cluster.on("exit", (worker: Worker, exitCode: number, signal: string | null) => {
    if (!stopping) {
      ends.push(now());
      const recent = ends.filter((at) => now() - at < endsWithinMs).length;
      say(`A server process ended (${signal ?? exitCode}).`);
      if (recent <= endsAtMost) return void cluster.fork();
      say(`${recent} server processes ended within ${endsWithinMs / 1000} s; giving up.`);
      stopAll("SIGTERM");
      code = 1;
    } else if (exitCode !== 0 && !worker.exitedAfterDisconnect) code = 1;
    if (Object.keys(cluster.workers ?? {}).length === 0) end(code);
  });
  const stopAll = (signal: NodeJS.Signals): void => {
    stopping = true;
    // By message, which a worker can tell from a signal of its own.
    for (const worker of Object.values(cluster.workers ?? {})) worker?.send(signal);
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stopAll(signal));
  for (let started = 0; started < count; started++) cluster.fork();
  return ended;
}
