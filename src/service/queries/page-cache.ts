import { type QuantileSketch, quantileOf } from "../sketches/quantile-sketch.ts";

/** What the server's cache of pages did for one route in a period. */
export interface PageCacheReport {
  /** Requests for the page, or for its data. */
  requests: number;
  /** Share of them that the cache answered, from 0 to 1. */
  hitRate: number;
  /** Loads and renderings that this has saved, together. */
  savedMs: number;
  /** The oldest page that was sent, as it is known within a few per cent. */
  oldestMs: number | undefined;
  /** Requests that got an old page because a new one could not be rendered. */
  failing: number;
  /** Why a page was not stored → how often. */
  bypasses: Readonly<Record<string, number>>;
}

/** Labels of the counter: those of `bypass` are followed by the reason. */
const fromCache = ["hit", "stale", "failing"];
const bypass = "bypass ";

/** Returns nothing for a page that is not cached. `counts` are those of `cacheCount`, by label. */
export function pageCache(
  counts: Readonly<Record<string, number>> | undefined,
  savedMs: number,
  ages: QuantileSketch | undefined,
): PageCacheReport | undefined {
  if (counts === undefined) return undefined;
  const all = Object.entries(counts);
  const sum = (of: typeof all): number => of.reduce((total, [, n]) => total + n, 0);
  const requests = sum(all);
  if (!(requests > 0)) return undefined;
  const reasons = all.filter(([label]) => label.startsWith(bypass));
  return {
    requests,
    hitRate: sum(all.filter(([label]) => fromCache.includes(label))) / requests,
    savedMs,
    oldestMs: ages && quantileOf(ages, 1),
    failing: counts.failing ?? 0,
    bypasses: Object.fromEntries(reasons.map(([label, n]) => [label.slice(bypass.length), n])),
  };
}
