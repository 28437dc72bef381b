import { dayMs } from "../clock.ts";
import { mergeSketch, type QuantileSketch, quantilesOf } from "../sketches/quantile-sketch.ts";
import type { RouteRecord } from "../stores/records.ts";
import { unitOf } from "../stores/series-step.ts";
import { errorCount, fullLoadCount, navigationCount } from "../stores/values/page-counts.ts";
import {
  bestChange,
  type SeenRelease,
  type Splits,
  splitMeasure,
  splitShare,
  type TrendChange,
} from "./change-point.ts";
import { ownReleases } from "./own-releases.ts";
import { type Quantiles, quantiles } from "./pages.ts";
import type { Period } from "./period.ts";
import type { QueryContext } from "./query-context.ts";

/** What is measured of a page: its times, and its vitals. */
export type RouteMeasure = (typeof routeMeasures)[number];

const routeMeasures = ["pageload", "navigation", "request", "lcp", "inp", "cls", "fcp", "ttfb"] as const;

/** How a route developed in a period, and since when it is another. */
export interface RouteTrend {
  route: string;
  from: number;
  stepMs: number;
  /** Views of each step: page loads and navigations. */
  views: readonly number[];
  /** Releases that were first seen in the period, oldest first. */
  releases: readonly SeenRelease[];
  /** Those that were measured. */
  measures: readonly MeasureTrend[];
  errors: ShareTrend;
  /** Navigations that ended with a full page load. */
  fullLoads: ShareTrend;
  /** What visitors notice most: the change for the worse with the largest factor, if there is one. */
  worst: { measure: RouteMeasure | "errors" | "full-loads"; change: TrendChange } | undefined;
}

export interface MeasureTrend {
  measure: RouteMeasure;
  whole: Quantiles;
  /** For each step. Undefined if nothing was measured in it. */
  p75: readonly (number | undefined)[];
  p95: readonly (number | undefined)[];
  change: TrendChange | undefined;
}

export interface ShareTrend {
  /** Cases in each step. */
  values: readonly number[];
  total: number;
  change: TrendChange | undefined;
}

export interface RouteQuestion {
  project: number;
  route: string;
  period: Period;
}

// Hours are kept for 15 days.
const hoursUpTo = 14 * dayMs;

/** Answers: is this page slower or more broken than before, and since which release? */
export async function routeTrend(
  { store }: QueryContext,
  { project, route, period }: RouteQuestion,
): Promise<RouteTrend | undefined> {
  const step = period.to - period.from <= hoursUpTo ? "hour" : "day";
  const stepMs = unitOf(step);
  const counters = [errorCount, navigationCount, fullLoadCount];
  const [record, releases] = await Promise.all([
    store.routeSteps({ project, route, step, ...period, counters }),
    store.releases(project),
  ]);
  if (record.measures.length === 0 && record.counts.length === 0) return undefined;
  const from = Math.floor(period.from / stepMs) * stepMs;
  const seen = releases
    .filter(({ firstSeen }) => firstSeen >= period.from && firstSeen <= period.to)
    .map(({ name, firstSeen }) => ({ release: name, at: firstSeen }))
    .reverse();
  const trend = trendOf(record, { from, stepMs, to: period.to });
  const own = await ownReleases(store, { project, route, to: period.to, stepMs }, { seen, trend });
  return { route, ...trend(own), releases: seen };
}

/** Returns what was measured. Which release explains a change depends on the releases that may. */
export function trendOf(
  record: RouteRecord,
  { from, stepMs, to }: Period & { stepMs: number },
): (releases: readonly SeenRelease[]) => Omit<RouteTrend, "route"> {
  const times = Array.from({ length: Math.floor((to - from) / stepMs) + 1 }, (_, n) => from + n * stepMs);
  const measured = routeMeasures.flatMap((measure) => measureTrend(record, measure, times) ?? []);
  const { views, errors, fullLoads } = sharesIn(record, times);
  return (releases) => {
    const changed = <Trend>({ splits, ...trend }: Trend & { splits: Splits }) => ({
      ...trend,
      change: bestChange(splits, releases),
    });
    const trends = { measures: measured.map(changed), errors: changed(errors), fullLoads: changed(fullLoads) };
    return { from, stepMs, views, releases, ...trends, worst: worstOf(trends) };
  };
}

/** A trend whose change is not explained yet. */
type Unexplained<Trend extends { change: unknown }> = Omit<Trend, "change"> & { splits: Splits };

function sharesIn(record: RouteRecord, times: readonly number[]) {
  const counted = (wanted: string): number[] => {
    const byTime = new Map<number, number>();
    for (const { name, at, n } of record.counts) if (name === wanted) byTime.set(at, (byTime.get(at) ?? 0) + n);
    return times.map((at) => byTime.get(at) ?? 0);
  };
  const byTime = new Map(record.measures.map(({ at, sketches }) => [at, sketches]));
  const measured = (names: readonly RouteMeasure[]): number[] =>
    times.map((at) => names.reduce((sum, name) => sum + countIn(byTime.get(at)?.get(name)), 0));
  const share = (values: readonly number[], of: readonly number[]): Unexplained<ShareTrend> => {
    const steps = times.map((at, n) => ({ at, n: values[n] ?? 0, among: of[n] ?? 0 }));
    return { values, total: values.reduce((sum, n) => sum + n, 0), splits: splitShare(steps) };
  };
  const views = measured(["pageload", "navigation"]);
  const among = views.some((n) => n > 0) ? views : measured(["request"]);
  return {
    views,
    errors: share(counted(errorCount), among),
    fullLoads: share(counted(fullLoadCount), counted(navigationCount)),
  };
}

function measureTrend(
  { measures }: RouteRecord,
  measure: RouteMeasure,
  times: readonly number[],
): Unexplained<MeasureTrend> | undefined {
  const steps = measures.flatMap(({ at, sketches }) => {
    const sketch = sketches.get(measure);
    return sketch === undefined ? [] : [{ at, sketch }];
  });
  const together: QuantileSketch = new Map();
  for (const { sketch } of steps) mergeSketch(together, sketch);
  const whole = quantiles(together);
  if (whole === undefined) return undefined;
  const byTime = new Map(steps.map(({ at, sketch }) => [at, quantilesOf(sketch, [0.75, 0.95])]));
  const line = (index: 0 | 1) => times.map((at) => byTime.get(at)?.[index]);
  return { measure, whole, p75: line(0), p95: line(1), splits: splitMeasure(steps) };
}

function countIn(sketch: QuantileSketch | undefined): number {
  let count = 0;
  for (const n of sketch?.values() ?? []) count += n;
  return count;
}

function worstOf({
  measures,
  errors,
  fullLoads,
}: Pick<RouteTrend, "measures" | "errors" | "fullLoads">): RouteTrend["worst"] {
  const all = [
    ...measures,
    { measure: "errors", change: errors.change } as const,
    { measure: "full-loads", change: fullLoads.change } as const,
  ];
  const factor = ({ times = Number.POSITIVE_INFINITY }: TrendChange): number => times;
  return all
    .flatMap(({ measure, change }) => (change !== undefined && factor(change) > 1 ? [{ measure, change }] : []))
    .sort((a, b) => factor(b.change) - factor(a.change))[0];
}
