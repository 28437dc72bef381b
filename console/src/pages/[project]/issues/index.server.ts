import { action, load, type PageBudget } from "holdfast/server";
import { consoleApi, type IssueSort, isAtLeast } from "holdfast/service";
import { askedFor } from "../../../server/asked-issues.ts";
import { namesEvent } from "../../../server/find-event.ts";
import { titleOf } from "../../../server/issue-title.ts";
import { knownPeople, knownReleases } from "../../../server/known-people.ts";
import { formOf, numbersIn } from "../../../server/posted.ts";
import { scopeOf } from "../../../server/scope.ts";
import { timeRange } from "../../../server/time-range.ts";
import { changeOf, triage } from "../../../server/triage.ts";

const noSuchEvent = "No event of a project that you may see has this digest or id.";

const sorts: readonly IssueSort[] = ["last-seen", "first-seen", "events", "visitors"];

export const data = load("/[project]/issues", async ({ search, ...context }) => {
  const scope = scopeOf(context);
  const { project, role } = scope;
  const api = consoleApi();
  const now = api.now();
  const { days, period } = timeRange(search, now);
  const { typed, tab, filter } = askedFor(search);
  const sort = sorts.find((one) => one === search.get("sort")) ?? "last-seen";
  const after = search.get("after");
  const [{ rows, next }, counts, releases, people, problems, newest] = await Promise.all([
    api.issues({ project: project.id, filter, sort, period, ...(after !== null && { after }) }),
    api.issueTabs(project.id, typed),
    knownReleases(scope),
    knownPeople(scope),
    namesEvent(typed) ? [noSuchEvent] : api.filterProblems(project.id, typed),
    api.newestRow(project.id),
  ]);
  return {
    now,
    mayChange: isAtLeast(role, "member"),
    releases,
    people,
    days,
    typed,
    problems,
    sort,
    tab,
    next,
    newest,
    isFirstPage: after === null,
    counts: { unresolved: counts.open + counts.regressed, resolved: counts.resolved, muted: counts.muted },
    rows: rows.map((row) => ({
      number: row.number,
      title: titleOf(row),
      culprit: row.culprit,
      route: row.route,
      state: row.state,
      sparkline: row.sparkline,
      events: row.events,
      visitors: row.visitors,
      firstSeen: row.firstSeen,
      lastSeen: row.lastSeen,
      release: row.lastRelease,
      assignee: row.assignee,
    })),
  };
});

export const budget = { firstLoadBytes: 119_000 } satisfies PageBudget;

export const actions = {
  change: action({ route: "/[project]/issues" }, ({ input, ...context }) => {
    const scope = scopeOf(context);
    const form = formOf(input);
    return triage(scope, numbersIn(form, "number"), changeOf(form, scope));
  }),
};
