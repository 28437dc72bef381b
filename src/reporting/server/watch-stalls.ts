import type { ReportingLimits } from "../limits.ts";

/**
 * Notices when the process was kept from answering anyone: a look that comes much later than it was due. Nobody else could tell, since
 * whatever measures a request stood still as well. Says how long; where the time went is in the trace of the request that took it.
 */
export function watchStalls(
  limits: Pick<ReportingLimits, "stallMs" | "stallLookMs">,
  now: () => number,
  stalled: (ms: number) => void,
): () => void {
  let dueMs = now() + limits.stallLookMs;
  const timer = setInterval(() => {
    const lateMs = now() - dueMs;
    dueMs = now() + limits.stallLookMs;
    if (lateMs >= limits.stallMs) stalled(lateMs);
  }, limits.stallLookMs).unref();
  return () => clearInterval(timer);
}
