import { action, load } from "holdfast/server";
import { type IssueSort, isAtLeast, openedDesk, readFilter } from "holdfast/service";
import { titleOf } from "../../../server/issue-title.ts";
import { formOf, numbersIn } from "../../../server/posted.ts";
import { scopeOf } from "../../../server/scope.ts";
import { timeRange } from "../../../server/time-range.ts";
import { changeOf, triage } from "../../../server/triage.ts";

const sorts: readonly IssueSort[] = ["last-seen", "first-seen", "events", "visitors"];

/** What each tab adds to what was typed. */
const tabs = { unresolved: "is:unresolved", resolved: "is:resolved", muted: "is:muted", all: "" } as const;
type Tab = keyof typeof tabs;

export const data = load("/_holdfast/[project]/issues", ({ search, ...context }) => {
  const { project, role } = scopeOf(context);
  const desk = openedDesk();
  const now = desk.now();
  const { days, period } = timeRange(search, now);
  const typed = (search.get("q") ?? "").slice(0, 1_000);
  const sort = sorts.find((one) => one === search.get("sort")) ?? "last-seen";
  // Who types a state means it; the tabs are for those who do not.
  const tab = readFilter(typed).states.length > 0 ? undefined : tabOf(search.get("tab"));
  const after = search.get("after");
  const { rows, next } = desk.issues({
    project: project.id,
    filter: tab ? `${tabs[tab]} ${typed}` : typed,
    sort,
    period,
    ...(after !== null && { after }),
  });
  const counts = desk.issueTabs(project.id, typed);
  return {
    now,
    mayChange: isAtLeast(role, "member"),
    days,
    typed,
    sort,
    tab,
    next,
    isFirstPage: after === null,
    counts: { unresolved: counts.open + counts.regressed, resolved: counts.resolved, muted: counts.muted },
    rows: rows.map((row) => ({
      number: row.number,
      title: titleOf(row),
      culprit: row.culprit,
      route: row.route,
      level: row.level,
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

export const actions = {
  change: action({ route: "/_holdfast/[project]/issues" }, async ({ input, ...context }) => {
    const scope = scopeOf(context);
    const form = formOf(input);
    const changed = await triage(scope, numbersIn(form, "number"), changeOf(form, scope));
    return changed === 1 ? "1 issue changed." : `${changed} issues changed.`;
  }),
};

function tabOf(text: string | null): Tab {
  return text !== null && Object.hasOwn(tabs, text) ? (text as Tab) : "unresolved";
}
