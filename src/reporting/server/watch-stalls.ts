import type { ReportingLimits } from "../limits.ts";
import { openLookout } from "./lookout.ts";

export interface Stall {
  ms: number;
  /** What the process was doing, as an error's stack has it; nothing for the first stall of a process. */
  stack: string | undefined;
}

/**
 * Notices when the process was kept from answering anyone: a look that comes much later than it was due. Nobody else could tell, since
 * whatever measures a request stood still as well.
 *
 * What it was doing then can only be seen from another thread, and a thread costs 18 MB. So there is none until a process has stood still
 * once; whoever blocks once mostly does it again, and is caught then.
 */
export function watchStalls(
  limits: Pick<ReportingLimits, "stallMs" | "stallLookMs">,
  now: () => number,
  stalled: (stall: Stall) => void,
): () => void {
  let lookout: ReturnType<typeof openLookout> | undefined;
  let dueMs = now() + limits.stallLookMs;
  const timer = setInterval(() => {
    const lateMs = now() - dueMs;
    dueMs = now() + limits.stallLookMs;
    lookout?.beat();
    const stack = lookout?.takeStack();
    if (lateMs < limits.stallMs) return;
    stalled({ ms: lateMs, stack });
    lookout ??= openLookout(limits);
  }, limits.stallLookMs).unref();
  return () => {
    clearInterval(timer);
    lookout?.close();
  };
}
