import type { ConsoleApi } from "holdfast/service";

export type RouteTrend = NonNullable<Awaited<ReturnType<ConsoleApi["routeTrend"]>>>;

/** A line that is drawn in a field of 1,000 by 100, so that the page gets two texts instead of hundreds of numbers. */
export interface TrendLine {
  /** What was before the change, or all of it. */
  before: string;
  /** What is since the change. Empty without one. */
  since: string;
  /** Whether since then it is worse. */
  isWorse: boolean;
  /** The value at the top of the field. */
  top: number;
}

interface Drawn {
  values: readonly (number | undefined)[];
  change: Pick<NonNullable<RouteTrend["errors"]["change"]>, "since" | "times"> | undefined;
  from: number;
  stepMs: number;
  /** The value at the top of the field. Without one, a round number above all values. */
  top?: number;
}

const wide = 1_000;
const high = 100;

/** Steps without a value are passed over: the line goes on to the next one. */
export function trendLine({ values, change, from, stepMs, ...drawn }: Drawn): TrendLine {
  const known = values.filter((value) => value !== undefined);
  const top = drawn.top ?? niceTop(Math.max(0, ...known));
  const first = change === undefined ? values.length : Math.floor((change.since - from) / stepMs);
  const path = (part: (place: number) => boolean): string =>
    values
      .map((value, place) => ({ value, place }))
      .filter(({ value, place }) => value !== undefined && part(place))
      .map(({ value = 0, place }, n) => {
        const x = Math.round(((place + 0.5) / values.length) * wide);
        return `${n === 0 ? "M" : "L"}${x} ${Math.round(high - (value / top) * high)}`;
      })
      .join("");
  return {
    before: path((place) => place <= first),
    since: path((place) => place >= first),
    isWorse: change !== undefined && (change.times ?? 2) > 1,
    top,
  };
}

/** A line with the area below it. Undefined if fewer than two steps have a value: that is no line. */
export function sparkLine(drawn: Drawn): (TrendLine & { area: string }) | undefined {
  if (drawn.values.filter((value) => value !== undefined).length < 2) return undefined;
  const whole = trendLine({ ...drawn, change: undefined }).before;
  const [first, last] = [/^M(\d+)/.exec(whole)?.[1], /L(\d+) \S+$/.exec(whole)?.[1]];
  return { ...trendLine(drawn), area: `${whole}L${last} 104L${first} 104Z` };
}

/** 1, 2 or 5 times a power of ten, above the value. */
function niceTop(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5, 10].find((step) => step * power >= value) ?? 10) * power;
}

export function measureLines(measures: RouteTrend["measures"], { from, stepMs }: { from: number; stepMs: number }) {
  return measures.map(({ measure, whole, p75, change }) => ({
    measure,
    whole,
    change,
    line: trendLine({ values: p75, change, from, stepMs }),
  }));
}

export function shareLine(
  { values, total, change }: RouteTrend["errors"],
  { from, stepMs }: { from: number; stepMs: number },
) {
  return { total, change, line: trendLine({ values, change, from, stepMs }) };
}
