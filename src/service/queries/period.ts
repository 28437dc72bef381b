import { dayMs, hourMs } from "../clock.ts";
import { unitOf } from "../stores/series-step.ts";
import type { SeriesStep } from "../stores/store-requests.ts";

/** Time range of a query. */
export interface Period {
  from: number;
  to: number;
}

// Hourly counters are kept for two weeks. A chart can show two days of them.
const hoursUpTo = 48 * hourMs;

/** Hours for a short period, days for a long one. */
export function stepOf({ from, to }: Period): SeriesStep {
  return to - from <= hoursUpTo ? "hour" : "day";
}

export function lastDays(days: number, now: number): Period {
  return { from: now - days * dayMs, to: now };
}

/** One number per step, zero where nothing was counted. */
export function filled(
  points: readonly { at: number; n: number }[],
  step: SeriesStep,
  { from, to }: Period,
): readonly number[] {
  const unit = unitOf(step);
  const first = Math.floor(from / unit);
  const values = new Array<number>(Math.floor(to / unit) - first + 1).fill(0);
  for (const { at, n } of points) {
    const index = Math.floor(at / unit) - first;
    if (index >= 0 && index < values.length) values[index] = (values[index] ?? 0) + n;
  }
  return values;
}
