import { load } from "holdfast/server";
import { consoleApi } from "holdfast/service";
import { cacheFigures } from "../../server/cache-figures.ts";
import { countsInWords } from "../../server/count-words.ts";
import { environmentIn, withEnvironment } from "../../server/own-choices.ts";
import { breachesOf } from "../../server/page-budgets.ts";
import { inOrder } from "../../server/page-order.ts";
import { scopeOf } from "../../server/scope.ts";
import { findingsOf } from "../../server/spans/findings.ts";
import { timeRange } from "../../server/time-range.ts";

const mostRoutes = 200;

export const data = load("/[project]/pages", async ({ search, ...context }) => {
  const { project } = scopeOf(context);
  const api = consoleApi();
  const { days, period } = timeRange(search, api.now());
  const sort = search.get("sort") ?? "";
  const environment = environmentIn(search, context.cookies);
  const [pages, budgets, findings] = await Promise.all([
    api.pages(project.id, period),
    api.budgets(project.id),
    findingsOf(project.id, withEnvironment("", environment), period),
  ]);
  return {
    days,
    environment,
    sort,
    routes: inOrder(pages, sort)
      .slice(0, mostRoutes)
      .map((page) => ({
        ...page,
        navigations: countsInWords("navigations", page.navigations),
        prefetches: countsInWords("prefetches", page.prefetches),
        fullLoads: countsInWords("fullLoads", page.fullLoads),
        budget: budgets[page.route],
        cache: cacheFigures(page.cache),
        // The most costly one. The screen of the spans has all.
        finding: findings.find(({ route }) => route === page.route),
      })),
    hasCache: pages.some(({ cache }) => cache),
    breaches: breachesOf(pages, budgets),
  };
});
