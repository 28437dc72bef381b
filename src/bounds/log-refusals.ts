import type { Refusals } from "./refusals.ts";

/** One line per minute tells an operator which limit is reached; more would be a flood itself. */
export const refusalsEveryMs = 60_000;

/** Logs a line if there were refusals since the last one. */
export function logRefusals(
  refusals: Refusals,
  write: (line: string) => void,
  everyMs: number = refusalsEveryMs,
): { close(): void } {
  const report = (): void => {
    const counts = [...refusals.takeUnreported()].map(([resource, count]) => `${resource} ${count}`);
    if (counts.length > 0)
      write(`Refused, because it was used up: ${counts.join(", ")}. The bounds are in the guide "Security".`);
  };
  const timer = setInterval(report, everyMs);
  timer.unref();
  return {
    close: () => {
      clearInterval(timer);
      report();
    },
  };
}
