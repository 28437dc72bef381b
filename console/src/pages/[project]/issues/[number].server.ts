import { action, load, notFound } from "holdfast/server";
import { consoleApi, isAtLeast } from "holdfast/service";
import { shownRelease } from "../../../parts/release/release-name.ts";
import { usualDaysOfIssue } from "../../../parts/time/day-choices.ts";
import { titleOf } from "../../../server/issue-title.ts";
import { knownPeople, knownReleases } from "../../../server/known-people.ts";
import { formOf } from "../../../server/posted.ts";
import { scopeOf, wholeNumber } from "../../../server/scope.ts";
import { showEvent } from "../../../server/show-event.ts";
import { timeRange } from "../../../server/time-range.ts";
import { changeOf, triage } from "../../../server/triage.ts";

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
  const [latest, recent = [], releases, people] = await Promise.all([
    api.event(project.id, issue.lastEventId),
    api.eventsOf(project.id, issue.number, { limit: eventsListed }),
    knownReleases(scope),
    knownPeople(scope),
  ]);
  return {
    now,
    days,
    releases,
    people,
    mayChange: isAtLeast(role, "member"),
    issue: {
      number: issue.number,
      title: titleOf(issue),
      culprit: issue.culprit,
      route: issue.route,
      level: issue.level,
      state: issue.state,
      events: issue.events,
      visitors: issue.visitors,
      firstSeen: issue.firstSeen,
      lastSeen: issue.lastSeen,
      firstRelease: issue.firstRelease,
      lastRelease: issue.lastRelease,
      assignee: issue.assignee,
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
    history: found.history,
    groups: found.groups.map(({ id, rule, parts, events }) => ({ id, rule, parts, events })),
    similar: found.similar.map((one) => ({ number: one.number, title: titleOf(one), state: one.state })),
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
    return triage(scope, [number], changeOf(formOf(input), scope));
  }),
};
