import { load } from "holdfast/server";
import { openedDesk } from "holdfast/service";
import { breachesOf } from "../../server/page-budgets.ts";
import { inOrder } from "../../server/page-order.ts";
import { scopeOf } from "../../server/scope.ts";
import { timeRange } from "../../server/time-range.ts";

const mostRoutes = 200;

export const data = load("/_holdfast/[project]/pages", ({ search, ...context }) => {
  const { project } = scopeOf(context);
  const desk = openedDesk();
  const { days, period } = timeRange(search, desk.now());
  const route = search.get("route");
  const around = Number(search.get("around")) || undefined;
  const sort = search.get("sort") ?? "";
  const pages = desk.pages(project.id, period);
  const budgets = desk.budgets(project.id);
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
      traces: desk
        .exampleTraces(project.id, route, period, around)
        .map(({ traceId, spanId, kind, at, durationMs, status }) => ({
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
