import { readlinkSync } from "node:fs";
import { getPriority, setPriority } from "node:os";

/** A thread so much below another gets a tenth of a core that both want. */
export const stepsBelow = 10;
export const lowest = 19;

/**
 * Filing yields the processor to requests: what is accepted is safe in the journal, and on a machine with two cores
 * every request that was traced would otherwise slow down the next. On an idle core it is as fast as before. Only Linux
 * has a priority for each thread.
 */
export function lowerThreadPriority(): void {
  if (process.platform !== "linux") return;
  try {
    const thread = Number(readlinkSync("/proc/thread-self").split("/").at(-1));
    setPriority(thread, Math.min(getPriority() + stepsBelow, lowest));
  } catch {
    // Without /proc, or where a sandbox forbids it, filing goes on at the priority of all others.
  }
}
