import cluster, { type Worker } from "node:cluster";
import { availableParallelism } from "node:os";

export interface WorkersOptions {
  /** How many processes answer requests. */
  count: number;
  /** Called with one sentence when a process ended by itself and was replaced. */
  warn: (sentence: string) => void;
  now: () => number;
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

/** Whether `runWorkers` started this process. */
export function isWorker(): boolean {
  return cluster.isWorker;
}

/** Only the first of several processes prints where they listen. */
export function isFirstWorker(): boolean {
  return (cluster.worker?.id ?? 1) === 1;
}

/** Signals that the parent forwards to a worker. */
export interface ParentSignals {
  onSignal(handle: (signal: NodeJS.Signals) => void): void;
}

/** A worker sends it when it can receive signals: a message without a listener is lost. */
const listensToSignals = "listens-to-signals";

/** Must be opened before the server. Without a handler, a signal ends the process. */
export function openParentSignals(): ParentSignals {
  let handle = (_signal: NodeJS.Signals): void => process.exit(0);
  if (cluster.isWorker) {
    process.on("message", (message) => {
      if (message === "SIGINT" || message === "SIGTERM") handle(message);
    });
    process.send?.(listensToSignals);
  }
  return {
    onSignal: (next) => {
      handle = next;
    },
  };
}

/**
 * Runs this program in several processes that share the port, replaces those that end by themselves, and stops all of
 * them on a signal. Returns the exit code.
 */
export async function runWorkers({ count, warn, now }: WorkersOptions): Promise<number> {
  const { promise: ended, resolve: end } = Promise.withResolvers<number>();
  const ends: number[] = [];
  let stopping = false;
  let code = 0;
  cluster.on("exit", (worker: Worker, exitCode: number, signal: string | null) => {
    listening.delete(worker);
    if (!stopping) {
      ends.push(now());
      const recent = ends.filter((at) => now() - at < endsWithinMs).length;
      warn(`A server process ended (${signal ?? exitCode}).`);
      if (recent <= endsAtMost) return void cluster.fork();
      warn(`${recent} server processes ended within ${endsWithinMs / 1000} s; giving up.`);
      stopAll("SIGTERM");
      code = 1;
    } else if (exitCode !== 0 && !worker.exitedAfterDisconnect) code = 1;
    if (Object.keys(cluster.workers ?? {}).length === 0) end(code);
  });
  const listening = new Set<Worker>();
  const signals: NodeJS.Signals[] = [];
  const stopAll = (signal: NodeJS.Signals): void => {
    stopping = true;
    signals.push(signal);
    // A message, so that a worker can distinguish it from its own signal.
    for (const worker of listening) if (worker.isConnected()) worker.send(signal);
  };
  cluster.on("message", (worker, message) => {
    if (message !== listensToSignals) return;
    listening.add(worker);
    // It was still starting when the others got them.
    for (const signal of signals) worker.send(signal);
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stopAll(signal));
  for (let started = 0; started < count; started++) cluster.fork();
  return ended;
}
