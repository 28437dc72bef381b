import { href } from "holdfast";
import { action, load, notFound } from "holdfast/server";
import { consoleApi, isAtLeast } from "holdfast/service";
import { shownRelease } from "../../../parts/release/release-name.ts";
import { usualDaysOfIssue } from "../../../parts/time/day-choices.ts";
import { askedFor, sortOf } from "../../../server/asked-issues.ts";
import { titleOf } from "../../../server/issue-title.ts";
import { knownValues } from "../../../server/known-people.ts";
import { formOf } from "../../../server/posted.ts";
import { scopeOf, wholeNumber } from "../../../server/scope.ts";
import { showEvent } from "../../../server/show-event.ts";
import { showHistory } from "../../../server/show-history.ts";
import { isNew, showState } from "../../../server/show-state.ts";
import { shownNames } from "../../../server/shown-names.ts";
import { changeTicket } from "../../../server/ticket-actions.ts";
import { timeRange } from "../../../server/time-range.ts";
import { triageByForm } from "../../../server/triage.ts";

const eventsListed = 20;

export const data = load("/[project]/issues/[number]", async ({ search, ...context }) => {
  const scope = scopeOf(context);
  const { project, role } = scope;
  const api = consoleApi();
  const now = api.now();
  const { days, period } = timeRange(search, now, usualDaysOfIssue);
  const number = wholeNumber(context.params.number);
  const found = number === undefined ? undefined : await api.issue(project.id, number, period);
  if (!found) notFound();
  const { issue } = found;
  const list = {
    filter: askedFor(search, context.cookies, scope.person).filter,
    sort: sortOf(search),
    place: search.get("place") ?? undefined,
  };
  const [latest, recent = [], neighbours, known, nameOf, kept, owner] = await Promise.all([
    api.event(project.id, issue.lastEventId),
    api.eventsOf(project.id, issue.number, { limit: eventsListed }),
    api.issueNeighbours({ project: project.id, number: issue.number, ...list }),
    knownValues(scope),
    shownNames(),
    api.kept(project.id)?.list({ issue: issue.number, limit: 0 }),
    api.ownership.ruleOf(project.id, issue.number),
  ]);
  const linked = (one: typeof issue) => ({
    number: one.number,
    title: titleOf(one),
    state: showState(one.state, nameOf),
  });
  return {
    now,
    days,
    known,
    neighbours,
    mayChange: isAtLeast(role, "member"),
    opensTicket:
      api.tickets.template(project.id) === ""
        ? undefined
        : href("/[project]/issues/[number]/ticket", { project: project.id, number: issue.number }),
    owner: owner && {
      rule: owner.rule,
      to: owner.to,
      shownName: owner.to && nameOf(owner.to),
      isAssigned: owner.to === issue.assignee,
    },
    mayErase: isAtLeast(role, "owner"),
    /** Submissions that wait to be run again. */
    kept: kept?.total ?? 0,
    issue: {
      number: issue.number,
      title: titleOf(issue),
      culprit: issue.culprit,
      route: issue.route,
      level: issue.level,
      state: showState(issue.state, nameOf, isNew(issue, now)),
      events: issue.events,
      visitors: issue.visitors,
      firstSeen: issue.firstSeen,
      lastSeen: issue.lastSeen,
      firstRelease: issue.firstRelease,
      lastRelease: issue.lastRelease,
      assignee: issue.assignee && nameOf(issue.assignee),
      ticket: issue.ticket,
      isMine: issue.assignee === scope.person.name,
    },
    suspect: found.suspect && {
      hash: found.suspect.commit.hash,
      author: found.suspect.commit.author,
      at: found.suspect.commit.at,
      subject: found.suspect.commit.subject,
      file: found.suspect.file,
    },
    chart: found.chart,
    deploys: found.releases
      .filter(({ firstSeen }) => firstSeen >= period.from)
      .map(({ release, firstSeen }) => ({ name: release, at: (firstSeen - period.from) / (period.to - period.from) })),
    distributions: found.distributions,
    history: showHistory(found.history, project.id, nameOf),
    groups: found.groups.map(({ id, rule, parts, events }) => ({ id, rule, parts, events })),
    similar: found.similar.map(linked),
    mentionedIn: found.mentionedIn.map(linked),
    latest: latest && showEvent(latest),
    recent: recent.map(({ eventId, at, route, release, environment }) => ({
      eventId,
      at,
      about: [route, release && shownRelease(release), environment].filter(Boolean).join(" · "),
    })),
  };
});

export const actions = {
  change: action({ route: "/[project]/issues/[number]" }, ({ input, ...context }) => {
    const scope = scopeOf(context);
    const number = wholeNumber(context.params.number) ?? notFound();
    return triageByForm(scope, [number], formOf(input));
  }),
  ticket: action({ route: "/[project]/issues/[number]" }, ({ input, ...context }) => {
    const scope = scopeOf(context);
    const number = wholeNumber(context.params.number) ?? notFound();
    return changeTicket(scope, number, formOf(input));
  }),
};
