import { type QuantileSketch, valueOfBucket } from "../sketches/quantile-sketch.ts";

/** Values of one step. */
export interface MeasuredStep {
  at: number;
  sketch: QuantileSketch;
}

/** Cases among others in one step: errors among views. */
export interface CountedStep {
  at: number;
  n: number;
  among: number;
}

export interface SeenRelease {
  release: string;
  at: number;
}

/** A lasting change: what was before it differs from what is since then. */
export interface TrendChange {
  /** First sight of the release, or beginning of the step. */
  since: number;
  /** The release that explains it. Undefined if it began without one. */
  release: string | undefined;
  /** 75th percentiles, or shares. */
  before: number;
  after: number;
  /** `after` as a multiple of `before`. Undefined if that was zero. */
  times: number | undefined;
}

/** Less is no news to people. */
const leastTimes = 1.3;

/** With fewer values a 75th percentile is a guess. */
const leastValues = 30;
const leastCases = 10;

/** A change of this many standard deviations is no coincidence, also if hundreds of moments are compared. */
const leastDeviations = 4;

/**
 * Standard deviation of the logarithm of a 75th percentile, times the root of the number of values. Durations of pages
 * are log-normal with a deviation of about one.
 */
const quantileSpread = 1.4;

/** A release explains a change if it divides the values nearly as well as the best moment does. */
const explainedShare = 0.8;

/** How well the moment before a step divides the steps. */
interface Split {
  index: number;
  before: number;
  after: number;
  /** Standard deviations between both sides. */
  deviations: number;
}

/** Moments at which a measure may have changed, and how well each divides its steps. Releases explain them later. */
export interface Splits {
  readonly steps: readonly { at: number }[];
  readonly known: readonly Split[];
}

/** Finds since when the 75th percentile is another, and with which release. Steps are in order. */
export function changeOfMeasure(
  steps: readonly MeasuredStep[],
  releases: readonly SeenRelease[],
): TrendChange | undefined {
  return bestChange(splitMeasure(steps), releases);
}

export function splitMeasure(steps: readonly MeasuredStep[]): Splits {
  const before = quantilesUpTo(steps);
  const after = quantilesUpTo(steps.toReversed()).reverse();
  const splits = before.slice(0, -1).map((left, n): Split | undefined => {
    const right = after[n + 1];
    if (right === undefined || left.n < leastValues || right.n < leastValues) return undefined;
    if (left.p75 <= 0 || right.p75 <= 0) return undefined;
    const change = Math.abs(Math.log(right.p75 / left.p75)) / quantileSpread;
    const deviations = change * Math.sqrt((left.n * right.n) / (left.n + right.n));
    return { index: n + 1, before: left.p75, after: right.p75, deviations };
  });
  return { steps, known: splits.filter((split) => split !== undefined) };
}

/** The same for the share of cases. */
export function changeOfShare(
  steps: readonly CountedStep[],
  releases: readonly SeenRelease[],
): TrendChange | undefined {
  return bestChange(splitShare(steps), releases);
}

export function splitShare(steps: readonly CountedStep[]): Splits {
  const all = { n: 0, among: 0 };
  for (const step of steps) add(all, step);
  if (all.n < leastCases) return { steps, known: [] };
  const before = { n: 0, among: 0 };
  const splits = steps.slice(0, -1).map((step, n): Split | undefined => {
    add(before, step);
    const after = { n: all.n - before.n, among: all.among - before.among };
    if (before.among === 0 || after.among === 0) return undefined;
    // How much likelier two shares are than one for all. Unlike a ratio, it is defined for none.
    const gain = (part: CaseSum): number =>
      part.n === 0 ? 0 : part.n * Math.log(part.n / part.among / (all.n / all.among));
    const deviations = Math.sqrt(Math.max(0, 2 * (gain(before) + gain(after))));
    return { index: n + 1, before: before.n / before.among, after: after.n / after.among, deviations };
  });
  return { steps, known: splits.filter((split) => split !== undefined) };
}

type CaseSum = Pick<CountedStep, "n" | "among">;

function add(sum: CaseSum, { n, among }: CaseSum): void {
  sum.n += n;
  sum.among += among;
}

/**
 * The 75th percentile of all steps up to each, and the number of values. Counts are in an array from the lowest bucket
 * to the highest, some hundred, and the search begins where the step before ended: two weeks of hours would sort and
 * search them hundreds of times.
 */
function quantilesUpTo(steps: readonly MeasuredStep[]): { p75: number; n: number }[] {
  let [lowest, highest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { sketch } of steps)
    for (const bucket of sketch.keys()) {
      if (bucket < lowest) lowest = bucket;
      if (bucket > highest) highest = bucket;
    }
  const counts = new Float64Array(Math.max(0, highest - lowest + 1));
  const countAt = (place: number): number => counts[place] ?? 0;
  let [n, found, below] = [0, 0, 0];
  return steps.map(({ sketch }) => {
    for (const [bucket, times] of sketch) {
      const place = bucket - lowest;
      counts[place] = countAt(place) + times;
      n += times;
      if (place < found) below += times;
    }
    const rank = Math.min(n - 1, Math.floor(0.75 * n));
    while (below > rank && found > 0) below -= countAt(--found);
    while (below + countAt(found) <= rank && found < counts.length) below += countAt(found++);
    return { p75: found < counts.length ? valueOfBucket(found + lowest) : 0, n };
  });
}

export function bestChange({ known, steps }: Splits, releases: readonly SeenRelease[]): TrendChange | undefined {
  const best = strongest(known);
  if (best === undefined || best.deviations < leastDeviations) return undefined;
  const byIndex = new Map(known.map((split) => [split.index, split]));
  const explained = releases
    .map((seen) => ({ seen, split: strongest(splitsAt(seen, byIndex, steps)) }))
    .filter(({ split }) => split !== undefined && split.deviations >= best.deviations * explainedShare)
    .sort((a, b) => (b.split?.deviations ?? 0) - (a.split?.deviations ?? 0))[0];
  const { index, before, after } = explained?.split ?? best;
  const times = before === 0 ? undefined : after / before;
  if (times !== undefined && times < leastTimes && times > 1 / leastTimes) return undefined;
  return {
    since: explained?.seen.at ?? steps[index]?.at ?? 0,
    release: explained?.seen.release,
    before,
    after,
    times,
  };
}

/** The step in which a release appeared has both, so it may belong to either side. */
function splitsAt(
  { at }: SeenRelease,
  byIndex: ReadonlyMap<number, Split>,
  steps: readonly { at: number }[],
): readonly Split[] {
  const first = steps.findLastIndex((step) => step.at <= at);
  return [byIndex.get(first), byIndex.get(first + 1)].filter((split) => split !== undefined);
}

function strongest(splits: readonly Split[]): Split | undefined {
  return splits.reduce<Split | undefined>(
    (best, split) => (best === undefined || split.deviations > best.deviations ? split : best),
    undefined,
  );
}
