import { totalmem } from "node:os";

export interface MemoryOptions {
  /** Memory limit of this process; without one nothing is watched. */
  limitBytes: number | undefined;
  /** Memory in use now. */
  usedBytes: () => number;
  /** Share of the limit from which new work is refused. */
  share: number;
  everyMs: number;
}

export interface MemoryWatch {
  isShort(): boolean;
  close(): void;
}

/**
 * Watches how much memory is left. The system kills a process at its limit together with all its requests; a process
 * that refuses new work for a moment finishes those it has begun.
 */
export function watchMemory({ limitBytes, usedBytes, share, everyMs }: MemoryOptions): MemoryWatch {
  if (limitBytes === undefined) return { isShort: () => false, close: () => undefined };
  let short = false;
  const timer = setInterval(() => {
    short = usedBytes() > limitBytes * share;
  }, everyMs).unref();
  return { isShort: () => short, close: () => clearInterval(timer) };
}

/**
 * Returns the memory limit of the container, divided by the number of processes; `undefined` where there is none below
 * the machine's own memory.
 */
export function containerMemory(processes: number): number | undefined {
  const bytes = process.constrainedMemory();
  return bytes > 0 && bytes < totalmem() ? bytes / processes : undefined;
}
