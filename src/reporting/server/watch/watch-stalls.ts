import type { ReportingLimits } from "../../limits.ts";
import type { StallWatcher } from "./stall-watcher.ts";

export interface Stall {
  ms: number;
  /** What the process was doing, in the form of an error's stack. Undefined if no thread watched it. */
  stack: string | undefined;
}

/**
 * Detects a blocked event loop: a timer that fires much later than it was due. Request timings cannot show it, because
 * they stand still as well.
 *
 * What it was doing then can only be seen from another thread. Where a thread is there anyway, it watches from the
 * beginning. A thread only for this costs 18 MB, so there is none until a process has stood still for half as long as
 * is told of: code that blocks for long mostly blocked for a shorter time before.
 */
export function watchStalls(
  limits: Pick<ReportingLimits, "stallMs" | "stallLookMs">,
  now: () => number,
  stallWatcher: StallWatcher,
  stalled: (stall: Stall) => void,
): () => void {
  let dueMs = now() + limits.stallLookMs;
  const timer = setInterval(() => {
    const lateMs = now() - dueMs;
    dueMs = now() + limits.stallLookMs;
    stallWatcher.beat();
    const stack = stallWatcher.takeStack();
    if (lateMs >= limits.stallMs) stalled({ ms: lateMs, stack });
    if (lateMs >= limits.stallMs / 2 && !stallWatcher.isWatched) stallWatcher.watchByItself();
  }, limits.stallLookMs).unref();
  return () => {
    clearInterval(timer);
    stallWatcher.close();
  };
}
