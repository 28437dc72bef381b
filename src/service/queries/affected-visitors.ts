import { dayMs, hourMs } from "../clock.ts";
import { countVisitors, emptyVisitorSketch, mergeVisitors } from "../sketches/visitor-count.ts";
import type { AffectedRecord } from "../stores/records.ts";
import type { QueryContext } from "./query-context.ts";
import { type Bounds, boundsOf, daysOfHistory } from "./usual-bounds.ts";

/** Different visitors with an error. Counted by sketches: within 3 % on average, and nearly exact up to a hundred. */
export interface AffectedVisitors {
  /** In the last 24 hours, the running one included. */
  visitors: number;
  /** In the same hours of each of the last 28 days, as far as they are known. Undefined if there is no day before. */
  usual: Bounds | undefined;
  /** How many days that is. */
  days: number;
  /** In the same hours a week ago. */
  weekAgo: number | undefined;
  /** In each of the 24 hours, oldest first. Who had an error in two of them is counted in both. */
  byHour: readonly number[];
}

const hoursInDay = dayMs / hourMs;

/** Answers: how many people are hit, and is this more than usual? */
export async function affectedVisitors({ store, now }: QueryContext, project: number): Promise<AffectedVisitors> {
  const running = Math.floor(now / hourMs);
  const oldest = running + 1 - hoursInDay * (daysOfHistory + 1);
  return compareAffected(await store.affected(project, oldest * hourMs, now), running);
}

/** Days before the first record are unknown. Without a record after it, no visitor was affected. */
export function compareAffected(records: readonly AffectedRecord[], runningHour: number): AffectedVisitors {
  const byHour = new Map(records.map(({ at, visitors }) => [at / hourMs, visitors]));
  const first = (records[0]?.at ?? Number.POSITIVE_INFINITY) / hourMs;
  const inDay = (daysAgo: number): number | undefined => {
    const last = runningHour - daysAgo * hoursInDay;
    if (daysAgo > 0 && last + 1 - hoursInDay < first) return undefined;
    const together = emptyVisitorSketch();
    for (let hour = last + 1 - hoursInDay; hour <= last; hour += 1) {
      const visitors = byHour.get(hour);
      if (visitors !== undefined) mergeVisitors(together, visitors);
    }
    return countVisitors(together);
  };
  const before = Array.from({ length: daysOfHistory }, (_, n) => inDay(n + 1));
  const known = before.filter((visitors) => visitors !== undefined);
  return {
    visitors: inDay(0) ?? 0,
    usual: known.length === 0 ? undefined : boundsOf(known),
    days: known.length,
    weekAgo: before[6],
    byHour: Array.from({ length: hoursInDay }, (_, n) => {
      const visitors = byHour.get(runningHour + 1 - hoursInDay + n);
      return visitors === undefined ? 0 : countVisitors(visitors);
    }),
  };
}
