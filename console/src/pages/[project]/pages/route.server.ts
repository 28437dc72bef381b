import { load, notFound } from "holdfast/server";
import { consoleApi } from "holdfast/service";
import { mostDays, usualDaysOfTrend } from "../../../parts/time/day-choices.ts";
import { healingOfRoute } from "../../../server/healed-routes.ts";
import { examplesOf } from "../../../server/route-examples.ts";
import { scopeOf } from "../../../server/scope.ts";
import { timeRange } from "../../../server/time-range.ts";
import { measureLines, shareLine } from "../../../server/trend-line.ts";

/** By `?route=`, because a path cannot contain the path of another. */
export const data = load("/[project]/pages/route", async ({ search, ...context }) => {
  const { project } = scopeOf(context);
  const api = consoleApi();
  const route = search.get("route") ?? "";
  const trendIn = async (usual: number) => {
    const { days, period } = timeRange(search, api.now(), usual);
    return { days, period, trend: await api.routeTrend({ project: project.id, route, period }) };
  };
  let { days, period, trend } = await trendIn(usualDaysOfTrend);
  // An old trace leads here too.
  if (trend === undefined) ({ days, period, trend } = await trendIn(mostDays));
  if (trend === undefined) notFound();
  const { from, stepMs, worst } = trend;
  const healed = await healingOfRoute(project.id, route);
  const length = period.to - from;
  return {
    route,
    days,
    healed,
    views: trend.views.reduce((sum, n) => sum + n, 0),
    marks: trend.releases.map(({ release, at }) => ({ release, share: (at - from) / length })),
    measures: measureLines(trend.measures, { from, stepMs }),
    errors: shareLine(trend.errors, { from, stepMs }),
    fullLoads: shareLine(trend.fullLoads, { from, stepMs }),
    worst,
    examples: await examplesOf(project.id, trend, { search, period }),
  };
});
