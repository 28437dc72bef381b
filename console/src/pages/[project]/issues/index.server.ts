import { action, load, type PageBudget } from "holdfast/server";
import { consoleApi, isAtLeast } from "holdfast/service";
import { askedFor, sortOf } from "../../../server/asked-issues.ts";
import { titleOf } from "../../../server/issue-title.ts";
import { knownValues } from "../../../server/known-people.ts";
import { formOf, numbersIn } from "../../../server/posted.ts";
import { savedLinks } from "../../../server/saved-searches.ts";
import { scopeOf } from "../../../server/scope.ts";
import { showMessage, typeBefore } from "../../../server/show-message.ts";
import { isNew, showState } from "../../../server/show-state.ts";
import { shownNames } from "../../../server/shown-names.ts";
import { spikeWords } from "../../../server/spike-words.ts";
import { hourIn, timeRange } from "../../../server/time-range.ts";
import { triageByForm } from "../../../server/triage.ts";

/** An issue is new for a day. */

export const data = load("/[project]/issues", async ({ search, ...context }) => {
  const scope = scopeOf(context);
  const { project, role } = scope;
  const api = consoleApi();
  const now = api.now();
  const { days, period } = timeRange(search, now);
  const { typed, tab, inAllTabs, filter } = askedFor(search, context.cookies, scope.person);
  const hour = hourIn(search.get("hour"));
  const sort = hour === undefined ? sortOf(search) : "events";
  const after = search.get("after");
  const [{ rows, next }, counts, known, problems, newest, nameOf] = await Promise.all([
    api.issues({ project: project.id, filter, sort, period, hour, ...(after !== null && { after }) }),
    api.issueTabs(project.id, inAllTabs),
    knownValues(scope),
    api.filterProblems(project.id, typed),
    api.newestRow(project.id),
    shownNames(),
  ]);
  return {
    now,
    mayChange: isAtLeast(role, "member"),
    known,
    days,
    typed,
    filter,
    saved: savedLinks(scope, "issues", search),
    problems,
    hour,
    sort,
    tab,
    next,
    newest,
    isFirstPage: after === null,
    spike: spikeWords(api.spikes.recent(project.id), now),
    counts: {
      unresolved: countOf(counts.open + counts.regressed),
      resolved: countOf(counts.resolved),
      muted: countOf(counts.muted),
    },
    rows: rows.map((row) => ({
      number: row.number,
      title: titleOf(row),
      type: typeBefore(row),
      message: showMessage(row.title),
      culprit: row.culprit,
      where: [row.route, row.culprit].filter(Boolean).join(" · "),
      state: showState(row.state, nameOf, isNew(row, now)),
      sparkline: row.sparkline,
      events: row.eventsInHour ?? row.events,
      visitors: row.visitors,
      stuck: row.stuck,
      place: row.place,
      firstSeen: row.firstSeen,
      lastSeen: row.lastSeen,
      release: row.lastRelease,
      assignee: row.assignee && nameOf(row.assignee),
      ticket: row.ticket,
    })),
  };
});

/** Counted up to a thousand for each state. */
function countOf(n: number): string {
  return n >= 1_000 ? "1,000+" : String(n);
}

export const budget = { firstLoadBytes: 113_300 } satisfies PageBudget;

export const actions = {
  change: action({ route: "/[project]/issues" }, ({ input, ...context }) => {
    const scope = scopeOf(context);
    const form = formOf(input);
    return triageByForm(scope, numbersIn(form, "number"), form);
  }),
};
