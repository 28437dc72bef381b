import { dayMs, hourMs, quarterMs } from "../clock.ts";
import type { TrafficRecord } from "../stores/records.ts";
import type { StoreReader } from "../stores/store.ts";
import type { TrafficStep } from "../stores/store-requests.ts";
import type { QueryContext } from "./query-context.ts";
import {
  type Bounds,
  basisOf,
  daysOfHistory,
  type Steps,
  stepsAbove,
  type UsualBasis,
  usualBounds,
  usualSum,
} from "./usual-bounds.ts";

/** Quarters of an hour of a day, hours of two weeks, or days of 90. The last one is running. */
export type UsualRange = "24h" | "14d" | "90d";

/** Errors, error pages and visits, each beside what is usual at that time. Times are UTC. */
export interface UsualAnswer {
  /** Beginning of the first step. */
  from: number;
  stepMs: number;
  basis: UsualBasis;
  errors: UsualSeries;
  /** Error pages that visitors saw. */
  errorPages: UsualSeries;
  /** Sessions that began. */
  visits: UsualSeries;
  /** Those of them that had an error, whenever it happened. */
  failedVisits: UsualSeries;
  /** Undefined as long as errors are within what is usual. */
  deviation: Deviation | undefined;
}

/** One value for each step. The bounds are empty if there is nothing to compare with. */
export interface UsualSeries {
  values: readonly number[];
  low: readonly number[];
  usual: readonly number[];
  high: readonly number[];
  total: number;
  /** What the total usually is by this time. Only for 24 hours. */
  usualTotal: Bounds | undefined;
}

/** Errors are above what is usual, without a break until now. */
export interface Deviation {
  /** Beginning of the first step above it. */
  since: number;
  /** Whether all steps are above it, so that it began earlier than they do. */
  isOlder: boolean;
  /** Errors since then, and how many there usually are in that time. */
  errors: number;
  usual: number;
  /** How many times as many. Undefined if there usually are none. */
  times: number | undefined;
  /** The release that was first seen in the step of the beginning, or in the one before. */
  release: string | undefined;
}

interface RangeSteps {
  readonly step: TrafficStep;
  readonly stepMs: number;
  readonly shown: number;
  /** Steps until the same time of the next day. */
  readonly cycle: number;
}

const ranges: Readonly<Record<UsualRange, RangeSteps>> = {
  "24h": { step: "quarter", stepMs: quarterMs, shown: dayMs / quarterMs, cycle: dayMs / quarterMs },
  "14d": { step: "hour", stepMs: hourMs, shown: (14 * dayMs) / hourMs, cycle: dayMs / hourMs },
  "90d": { step: "day", stepMs: dayMs, shown: 90, cycle: 1 },
};

/** So many errors above the bound are no coincidence: a single one is above it where there usually are none. */
const leastExcess = 10;

/** Less is no news to people. */
const leastTimes = 1.5;

/** Answers: is this more than usual, since when, and since which release? */
export async function usual(
  { store, now }: QueryContext,
  project: number,
  range: UsualRange = "24h",
): Promise<UsualAnswer> {
  const { step, stepMs, shown, cycle } = ranges[range];
  const running = Math.floor(now / stepMs);
  const first = running + 1 - shown;
  const oldest = first - daysOfHistory * cycle;
  const records = await store.traffic({ project, step, from: oldest * stepMs, to: now });
  const slots = { from: oldest * stepMs, stepMs, count: running + 1 - oldest };
  const stepsOf = (value: (record: TrafficRecord) => number): Steps => measuredSteps(records, slots, value);
  const errors = stepsOf((record) => record.errors);
  const compare = { ...ranges[range], lastPart: (now - running * stepMs) / stepMs, hasTotals: range === "24h" };
  const bounds = usualBounds(errors, shown, cycle);
  const deviation = deviationIn(errors, compare, first * stepMs, bounds);
  return {
    from: first * stepMs,
    stepMs,
    basis: basisOf(errors, shown, cycle),
    errors: seriesOf(errors, compare, bounds),
    errorPages: seriesOf(
      stepsOf((record) => record.errorPages),
      compare,
    ),
    visits: seriesOf(
      stepsOf((record) => record.visits),
      compare,
    ),
    failedVisits: seriesOf(
      stepsOf((record) => record.failedVisits),
      compare,
    ),
    deviation: deviation && { ...deviation, release: await releaseAt(store, project, deviation, stepMs) },
  };
}

/**
 * One value for each step, 0 where nothing happened. Nothing was measured before the first record, and on days without
 * any: there was no visit, or the service did not run.
 */
export function measuredSteps(
  records: readonly TrafficRecord[],
  { from, stepMs, count }: { from: number; stepMs: number; count: number },
  value: (record: TrafficRecord) => number,
): Steps {
  const steps = new Array<number | undefined>(count).fill(undefined);
  const stepsInDay = dayMs / stepMs;
  let dayEnd = 0;
  for (const record of records) {
    const step = (record.at - from) / stepMs;
    // A day with a record was measured: the first one from this record on, others as a whole.
    if (step >= dayEnd) {
      const dayBegin = Math.floor(record.at / dayMs) * stepsInDay - from / stepMs;
      dayEnd = Math.min(count, dayBegin + stepsInDay);
      steps.fill(0, record === records[0] ? step : Math.max(0, dayBegin), dayEnd);
    }
    steps[step] = value(record);
  }
  return steps;
}

type Comparison = Pick<RangeSteps, "shown" | "cycle"> & {
  /** Share of the running step that is over. */
  readonly lastPart: number;
  readonly hasTotals: boolean;
};

function seriesOf(
  steps: Steps,
  { shown, cycle, lastPart, hasTotals }: Comparison,
  bounds: readonly Bounds[] = usualBounds(steps, shown, cycle),
): UsualSeries {
  const values = lastValues(steps, shown);
  const [from, to] = [steps.length - shown, steps.length - 1];
  return {
    values,
    low: bounds.map(({ low }) => low),
    usual: bounds.map((bound) => bound.usual),
    high: bounds.map(({ high }) => high),
    total: values.reduce((sum, value) => sum + value, 0),
    usualTotal: hasTotals ? usualSum(steps, { from, to, lastPart }, cycle) : undefined,
  };
}

function lastValues(steps: Steps, shown: number): number[] {
  return steps.slice(-shown).map((value) => value ?? 0);
}

/** `from` is the time of the first shown step. */
export function deviationIn(
  steps: Steps,
  { shown, cycle, lastPart }: Omit<Comparison, "hasTotals">,
  from: number,
  bounds: readonly Bounds[] = usualBounds(steps, shown, cycle),
): Omit<Deviation, "release"> | undefined {
  const values = lastValues(steps, shown);
  const above = stepsAbove(values, bounds);
  if (above === undefined) return undefined;
  const sum = (list: readonly number[]): number => list.slice(above.first, above.last + 1).reduce((a, b) => a + b, 0);
  const errors = sum(values);
  const excess = errors - sum(bounds.map(({ high }) => high));
  const before = steps.length - shown;
  const window = {
    from: before + above.first,
    to: before + above.last,
    lastPart: above.last === shown - 1 ? lastPart : 1,
  };
  const usualErrors = usualSum(steps, window, cycle)?.usual ?? sum(bounds.map((bound) => bound.usual));
  if (excess < leastExcess || errors < leastTimes * usualErrors) return undefined;
  const stepMs = dayMs / cycle;
  return {
    since: from + above.first * stepMs,
    isOlder: above.first === 0,
    errors,
    usual: usualErrors,
    times: usualErrors === 0 ? undefined : errors / usualErrors,
  };
}

/** A release that explains errors has sent at least this share of them. */
const shareOfErrors = 0.5;

/** The release that appeared when the errors began, if they came from it. */
async function releaseAt(
  store: StoreReader,
  project: number,
  { since, errors }: Pick<Deviation, "since" | "errors">,
  stepMs: number,
): Promise<string | undefined> {
  const releases = await store.releases(project);
  return releases.find(
    ({ firstSeen, events }) =>
      firstSeen >= since - stepMs && firstSeen < since + stepMs && events >= errors * shareOfErrors,
  )?.name;
}
