import type { ReportingLimits } from "../../limits.ts";
import type { StallWatcher } from "./stall-watcher.ts";

export interface Stall {
  ms: number;
  /** Stack of the process during the stall. Undefined if no thread watched it. */
  stack: string | undefined;
}

/**
 * Detects a blocked event loop: a timer that fires much later than it was due. Request timings cannot show it, because
 * they are blocked too.
 *
 * Only another thread can see the stack during a stall. An existing thread watches from the start. A separate one costs
 * 18 MB, so it starts only after the process was blocked for half the reported time: code that blocks for long has
 * mostly blocked for a shorter time before.
 */
export function watchStalls(
  limits: Pick<ReportingLimits, "stallMs" | "stallCheckMs">,
  now: () => number,
  stallWatcher: StallWatcher,
  stalled: (stall: Stall) => void,
): () => void {
  let dueMs = now() + limits.stallCheckMs;
  const timer = setInterval(() => {
    const lateMs = now() - dueMs;
    dueMs = now() + limits.stallCheckMs;
    stallWatcher.beat();
    const stack = stallWatcher.takeStack();
    if (lateMs >= limits.stallMs) stalled({ ms: lateMs, stack });
    if (lateMs >= limits.stallMs / 2 && !stallWatcher.isWatched) stallWatcher.watchByItself();
  }, limits.stallCheckMs).unref();
  return () => {
    clearInterval(timer);
    stallWatcher.close();
  };
}
