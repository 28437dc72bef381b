import { dayMs } from "../clock.ts";
import {
  type QuantileSketch,
  quantileOf,
  quantilesOf,
  type SketchSet,
  sketchCount,
} from "../sketches/quantile-sketch.ts";
import type { SeriesStep } from "../stores/store-requests.ts";
import {
  type Budget,
  budgetCount,
  budgetIn,
  cacheAgeMeasure,
  cacheCount,
  cacheSavedCount,
  errorCount,
  fullLoadCount,
  navigationCount,
  prefetchCount,
} from "../stores/values/page-counts.ts";
import { type PageCacheReport, pageCache } from "./page-cache.ts";
import { type Period, stepOf } from "./period.ts";
import type { QueryContext } from "./query-context.ts";

/** Figures of one route in a period. */
export interface PageReport {
  route: string;
  /** Full page loads and navigations in the browser together. */
  views: number;
  load: Quantiles | undefined;
  navigation: Quantiles | undefined;
  /** Response time of the server. */
  request: Quantiles | undefined;
  vitals: Readonly<Partial<Record<VitalName, Vital>>>;
  navigations: Counts;
  prefetches: Counts;
  fullLoads: Counts;
  errors: number;
  /** Of a page that the server caches. */
  cache: PageCacheReport | undefined;
  /** Views times their 75th percentile: where optimising gains most. */
  timeSpentMs: number;
}

/** By route. */
export type PageBudgets = Readonly<Record<string, Budget>>;

/** Label → count. */
export type Counts = Readonly<Record<string, number>>;

export interface Quantiles {
  count: number;
  p50: number;
  p75: number;
  p95: number;
}

export type VitalName = "lcp" | "inp" | "cls" | "fcp" | "ttfb";
export type Rating = "good" | "needs-improvement" | "poor";

export interface Vital {
  count: number;
  p75: number;
  rating: Rating;
}

/** Upper bound of good and lower bound of poor, as web.dev defines them, in milliseconds; CLS without a unit. */
export const vitalBounds: Readonly<Record<VitalName, readonly [good: number, poor: number]>> = {
  lcp: [2_500, 4_000],
  inp: [200, 500],
  cls: [0.1, 0.25],
  fcp: [1_800, 3_000],
  ttfb: [800, 1_800],
};

/** Measures of pages. Background tasks are measured too, but have no visitors. */
const pageMeasures = ["pageload", "navigation", "request", "lcp", "inp", "cls", "fcp", "ttfb"];

/** Lists every visited route, ordered by the time that visitors spent on it. */
export async function pages(
  { store }: QueryContext,
  project: number,
  { from, to }: Period,
): Promise<readonly PageReport[]> {
  const query = { project, step: stepOf({ from, to }), from, to };
  const [sketches, records] = await Promise.all([store.measuresByRoute(query), store.counts(query)]);
  const counts = new Map<string, Map<string, Record<string, number>>>();
  for (const { route, name, label, n } of records) {
    const ofRoute = entry(counts, route, () => new Map<string, Record<string, number>>());
    const ofName = entry(ofRoute, name, () => Object.create(null) as Record<string, number>);
    ofName[label] = (ofName[label] ?? 0) + n;
  }
  const visited = [...sketches]
    .filter(([, set]) => pageMeasures.some((measure) => set.has(measure)))
    .map(([route]) => route);
  const routes = new Set([...visited, ...counts.keys()]);
  routes.delete("");
  return [...routes]
    .map((route) => pageOf(route, sketches.get(route) ?? new Map(), counts.get(route) ?? new Map()))
    .sort((a, b) => b.timeSpentMs - a.timeSpentMs || b.errors - a.errors || (a.route < b.route ? -1 : 1));
}

function pageOf(route: string, sketches: SketchSet, counts: ReadonlyMap<string, Record<string, number>>): PageReport {
  const load = quantiles(sketches.get("pageload"));
  const navigation = quantiles(sketches.get("navigation"));
  return {
    route,
    views: (load?.count ?? 0) + (navigation?.count ?? 0),
    load,
    navigation,
    request: quantiles(sketches.get("request")),
    vitals: pageVitals(sketches),
    navigations: counts.get(navigationCount) ?? {},
    prefetches: counts.get(prefetchCount) ?? {},
    fullLoads: counts.get(fullLoadCount) ?? {},
    errors: sumOf(counts.get(errorCount)),
    cache: pageCache(counts.get(cacheCount), sumOf(counts.get(cacheSavedCount)), sketches.get(cacheAgeMeasure)),
    timeSpentMs: (load ? load.count * load.p75 : 0) + (navigation ? navigation.count * navigation.p75 : 0),
  };
}

function sumOf(counts: Counts = {}): number {
  return Object.values(counts).reduce((sum, n) => sum + n, 0);
}

export function quantiles(sketch: QuantileSketch | undefined): Quantiles | undefined {
  if (sketch === undefined) return undefined;
  const [p50, p75, p95] = quantilesOf(sketch, [0.5, 0.75, 0.95]) ?? [];
  if (p50 === undefined || p75 === undefined || p95 === undefined) return undefined;
  return { count: sketchCount(sketch), p50, p75, p95 };
}

export function pageVitals(sketches: SketchSet): Partial<Record<VitalName, Vital>> {
  const vitals: Partial<Record<VitalName, Vital>> = {};
  for (const name of ["lcp", "inp", "cls", "fcp", "ttfb"] as const) {
    const sketch = sketches.get(name);
    const p75 = sketch && quantileOf(sketch, 0.75);
    if (sketch && p75 !== undefined) vitals[name] = { count: sketchCount(sketch), p75, rating: ratingOf(name, p75) };
  }
  return vitals;
}

export function ratingOf(name: VitalName, p75: number): Rating {
  const [good, poor] = vitalBounds[name];
  return p75 <= good ? "good" : p75 <= poor ? "needs-improvement" : "poor";
}

/** How long a page's last declared budget applies: its removal is not reported. */
const budgetDays = 7;

/**
 * Returns the budgets of pages as their requests last declared them. Reads days first, then the hours of the last one,
 * whose order is more exact.
 */
export async function budgets({ store, now }: QueryContext, project: number): Promise<PageBudgets> {
  const byRoute: Record<string, Budget> = Object.create(null);
  const countsBy = (step: SeriesStep, from: number) =>
    store.counts({ project, step, from, to: now, name: budgetCount });
  for (const counts of await Promise.all([countsBy("day", now - budgetDays * dayMs), countsBy("hour", now - dayMs)]))
    for (const { route, label } of counts.toSorted((a, b) => a.at - b.at)) byRoute[route] = budgetIn(label);
  return byRoute;
}

function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
