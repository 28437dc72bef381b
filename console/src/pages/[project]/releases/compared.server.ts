import { load, notFound } from "holdfast/server";
import { consoleApi } from "holdfast/service";
import { titleOf } from "../../../server/issue-title.ts";
import { scopeOf } from "../../../server/scope.ts";
import { showState } from "../../../server/show-state.ts";
import { shownNames } from "../../../server/shown-names.ts";
import { trendLine } from "../../../server/trend-line.ts";

const hourMs = 3_600_000;
/** Names to choose from. Older ones are reached from their own page. */
const namesShown = 100;

/**
 * By `?from=` and `?to=`, in any order. Without one of them, the newest is compared with the one before it of the same
 * application, if there is one.
 */
export const data = load("/[project]/releases/compared", async ({ search, ...context }) => {
  const { project } = scopeOf(context);
  const api = consoleApi();
  const [names, nameOf] = await Promise.all([api.releaseNames(project.id), shownNames()]);
  const to = search.get("to") ?? names.find((name) => releaseBefore(name, names) !== undefined) ?? names[0] ?? "";
  const from = search.get("from") ?? releaseBefore(to, names) ?? names[names.indexOf(to) + 1] ?? to;
  const found = await api.releaseComparison(project.id, { from, to });
  if (found === undefined) notFound();
  const release = ({ adoption, asNewest: _, ...rest }: typeof found.from) => ({
    ...rest,
    adoption: trendLine({ values: adoption, change: undefined, from: rest.firstSeen, stepMs: hourMs, top: 1 }).before,
    hours: adoption.length,
  });
  const issues = (list: typeof found.newIssues) =>
    list.map(({ issue, before, after }) => ({
      number: issue.number,
      title: titleOf(issue),
      state: showState(issue.state, nameOf),
      visitors: issue.visitors,
      before,
      after,
    }));
  return {
    names: [...new Set([found.to.name, found.from.name, ...names.slice(0, namesShown)])],
    from: release(found.from),
    to: release(found.to),
    newIssues: issues(found.newIssues),
    goneIssues: issues(found.goneIssues),
    grownIssues: issues(found.grownIssues),
    routes: found.routes,
  };
});

/** The release before, of the same application: several may report to one project, as `shop@2` and `admin@7`. */
function releaseBefore(name: string, names: readonly string[]): string | undefined {
  const applicationOf = (release: string): string | undefined => /^[^@]+@/.exec(release)?.[0];
  const older = names.slice(names.indexOf(name) + 1);
  return older.find((other) => applicationOf(other) === applicationOf(name));
}
