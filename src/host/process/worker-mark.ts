import cluster, { type Worker } from "node:cluster";

/** The id of the process that called `forkWorker`. */
const variable = "HOLDFAST_FIRST_PROCESS";

// Read once, because the id of the parent changes when it ends. Processes that a worker starts inherit the variable.
const isOwn = cluster.isWorker && process.env[variable] === String(process.ppid);

/** Whether `runWorkers` started this process. Other programs, such as PM2, have workers too: those are not meant. */
export function isWorker(): boolean {
  return isOwn;
}

export function forkWorker(): Worker {
  return cluster.fork({ [variable]: String(process.pid) });
}

/** Node lets no worker start others, also where another program has started it. */
export function mayHaveWorkers(): boolean {
  return cluster.isPrimary;
}

/** Only the first of several processes prints where they listen. */
export function isFirstWorker(): boolean {
  return (cluster.worker?.id ?? 1) === 1;
}
