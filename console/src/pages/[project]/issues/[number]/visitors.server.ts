import { load, notFound } from "holdfast/server";
import { consoleApi } from "holdfast/service";
import { titleOf } from "../../../../server/issue-title.ts";
import { visitorId, visitorName } from "../../../../server/live-visitors.ts";
import { scopeOf, wholeNumber } from "../../../../server/scope.ts";

const sorts = ["last", "first", "events"] as const;

/** Who met an issue. */
export const data = load("/[project]/issues/[number]/visitors", async ({ search, ...context }) => {
  const { project } = scopeOf(context);
  const api = consoleApi();
  const number = wholeNumber(context.params.number);
  const page = wholeNumber(search.get("page") ?? undefined) ?? 1;
  const sort = sorts.find((one) => one === search.get("sort")) ?? "last";
  const found = number === undefined ? undefined : await api.issueVisitors({ project: project.id, number, sort, page });
  if (!found) notFound();
  const { issue, visitors, total, hasNext, counted } = found;
  return {
    now: api.now(),
    sort,
    page,
    hasNext,
    total,
    counted,
    issue: { number: issue.number, title: titleOf(issue), events: issue.events, visitors: issue.visitors },
    visitors: visitors.map(({ visitor, name, device, events, firstAt, lastAt, release }) => {
      const id = visitorId(visitor);
      return { id, name: visitorName(name, id), device, events, firstAt, lastAt, release };
    }),
  };
});
