import { readlinkSync } from "node:fs";
import { getPriority, setPriority } from "node:os";

/** With this difference, a thread gets a tenth of a contested core. */
export const stepsBelow = 10;
export const lowest = 19;

/**
 * Lets filing yield the CPU to requests. Accepted data is safe in the journal, and on a machine with two cores, every
 * traced request would otherwise slow down the next. On an idle core, filing is as fast as before. Only Linux has a
 * priority for each thread.
 */
export function lowerThreadPriority(): void {
  if (process.platform !== "linux") return;
  try {
    const thread = Number(readlinkSync("/proc/thread-self").split("/").at(-1));
    setPriority(thread, Math.min(getPriority() + stepsBelow, lowest));
  } catch {
    // Without /proc, or if a sandbox forbids it, filing keeps the normal priority.
  }
}
