import { load } from "holdfast/server";
import { consoleApi } from "holdfast/service";
import { breachesOf } from "../../server/page-budgets.ts";
import { inOrder } from "../../server/page-order.ts";
import { scopeOf } from "../../server/scope.ts";
import { timeRange } from "../../server/time-range.ts";

const mostRoutes = 200;

export const data = load("/[project]/pages", async ({ search, ...context }) => {
  const { project } = scopeOf(context);
  const api = consoleApi();
  const { days, period } = timeRange(search, api.now());
  const route = search.get("route");
  const around = Number(search.get("around")) || undefined;
  const sort = search.get("sort") ?? "";
  const [pages, budgets, traces] = await Promise.all([
    api.pages(project.id, period),
    api.budgets(project.id),
    route ? api.exampleTraces({ project: project.id, route, period, aroundMs: around }) : [],
  ]);
  return {
    days,
    sort,
    routes: inOrder(pages, sort)
      .slice(0, mostRoutes)
      .map((page) => ({ ...page, budget: budgets[page.route] })),
    breaches: breachesOf(pages, budgets),
    examples: route && {
      route,
      around,
      traces: traces.map(({ traceId, spanId, kind, at, durationMs, status }) => ({
        traceId,
        spanId,
        kind,
        at,
        durationMs,
        status,
      })),
    },
  };
});
