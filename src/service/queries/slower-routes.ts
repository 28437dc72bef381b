import { quantileOf, type SketchSet } from "../sketches/quantile-sketch.ts";
import { unitOf } from "../stores/series-step.ts";
import type { StoreReader } from "../stores/store.ts";
import { changeOfMeasure, type TrendChange } from "./change-point.ts";
import type { Period } from "./period.ts";
import { type ComparedRoute, changedRoutes } from "./release-comparison.ts";

/** A route that takes longer than in the same hours a week ago. */
export interface SlowerRoute extends ComparedRoute {
  /** The 75th percentile of each hour. Undefined if nothing was measured in it. */
  values: readonly (number | undefined)[];
  /** Since when, if it was in these hours. */
  change: TrendChange | undefined;
}

/** More is what Pages is for. Each costs one read of its hours. */
const routesShown = 5;

export async function slowerRoutes(
  store: StoreReader,
  { project, from, to }: Period & { project: number },
  measured: { now: ReadonlyMap<string, SketchSet>; before: ReadonlyMap<string, SketchSet> },
): Promise<readonly SlowerRoute[]> {
  const slower = changedRoutes(measured.before, measured.now)
    .filter(({ times }) => times > 1)
    .slice(0, routesShown);
  return Promise.all(
    slower.map(async (compared): Promise<SlowerRoute> => {
      const { route, measure } = compared;
      const { measures } = await store.routeSteps({ project, route, step: "hour", from, to, counters: [] });
      const byHour = new Map(measures.map(({ at, sketches }) => [at, sketches]));
      return { ...compared, ...hourly(byHour, { from, to }, measure, 0.75) };
    }),
  );
}

/** One quantile of a measure for each hour of a period, and since when the measure is another. */
export function hourly(
  byHour: ReadonlyMap<number, SketchSet>,
  { from, to }: Period,
  measure: string,
  share: number,
): Pick<SlowerRoute, "values" | "change"> {
  const hourMs = unitOf("hour");
  const first = Math.floor(from / hourMs);
  const hours = Array.from({ length: Math.floor(to / hourMs) - first + 1 }, (_, n) => (first + n) * hourMs);
  const steps = hours.flatMap((at) => {
    const sketch = byHour.get(at)?.get(measure);
    return sketch === undefined ? [] : [{ at, sketch }];
  });
  return {
    values: hours.map((at) => quantileOf(byHour.get(at)?.get(measure) ?? new Map(), share)),
    change: changeOfMeasure(steps, []),
  };
}
