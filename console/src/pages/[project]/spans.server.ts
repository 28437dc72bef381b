import { href } from "holdfast";
import { load } from "holdfast/server";
import { consoleApi, readFilter, type SpanExample } from "holdfast/service";
import { environmentIn, withEnvironment } from "../../server/own-choices.ts";
import { savedLinks } from "../../server/saved-searches.ts";
import { scopeOf } from "../../server/scope.ts";
import { searchedTime } from "../../server/searched-time.ts";
import { findingsOf } from "../../server/spans/findings.ts";

const longestTitle = 300;

export const data = load("/[project]/spans", async ({ search, ...context }) => {
  const scope = scopeOf(context);
  const { project } = scope;
  const api = consoleApi();
  const { days, isChosen, period } = searchedTime(search, api.now());
  const typed = (search.get("q") ?? "").slice(0, 1_000);
  const filter = withEnvironment(typed, environmentIn(search, context.cookies));
  const [{ groups, examples, read, measured }, findings] = await Promise.all([
    api.spans({ project: project.id, filter, period }),
    findingsOf(project.id, filter, period),
  ]);
  const shown = (example: SpanExample) => ({
    ...example,
    title: example.title.slice(0, longestTitle),
    to: href("/[project]/traces/[id]", { project: project.id, id: example.traceId }, { span: example.spanId }),
  });
  return {
    now: api.now(),
    days,
    typed,
    saved: savedLinks(scope, "spans", search),
    problems: readFilter(typed).states.length > 0 ? ["“is:” means nothing here: spans have no state."] : [],
    chosen: isChosen ? period : undefined,
    read,
    measured,
    findings,
    groups: groups.map(({ slowest, ...group }) => ({
      ...group,
      title: group.title.slice(0, longestTitle),
      slowest: shown(slowest),
    })),
    examples: examples.map(shown),
  };
});
