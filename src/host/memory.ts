import { totalmem } from "node:os";

export interface MemoryOptions {
  /** What this process may use; nothing is watched where there is no bound. */
  limitBytes: number | undefined;
  /** What it uses now. */
  usedBytes: () => number;
  /** From this share of the limit on, new work is refused. */
  share: number;
  everyMs: number;
}

export interface MemoryWatch {
  isShort(): boolean;
  close(): void;
}

/**
 * Watches how much memory is left. A process at its limit is ended by the system with everything that is under way; one
 * that refuses new work for a moment finishes what it has begun.
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
 * The bound that a container sets, shared by so many processes; `undefined` where there is none below the machine's own
 * memory.
 */
export function containerMemory(processes: number): number | undefined {
  const bytes = process.constrainedMemory();
  return bytes > 0 && bytes < totalmem() ? bytes / processes : undefined;
}
