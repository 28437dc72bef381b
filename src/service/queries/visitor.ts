import { titleLine, titleOfEvent } from "../grouping/title.ts";
import type { EventRecord, IssueRecord, VisitorHistory } from "../stores/records.ts";
import type { StoreReader } from "../stores/store.ts";
import { visitorHash } from "../stores/values/visitor-hash.ts";
import type { QueryContext } from "./query-context.ts";
import { type PastVisit, type VisitStep, visitsOf } from "./visits.ts";

/** Who a visitor is, as their reports say it and scrubbing has kept it. */
export interface VisitorIdentity {
  id?: string;
  email?: string;
  username?: string;
  name?: string;
}

export interface VisitorAnswer {
  visitor: number;
  /** Undefined for an anonymous visit. */
  who: VisitorIdentity | undefined;
  firstAt: number;
  /** Newest first. */
  visits: readonly (Omit<PastVisit, "steps"> & { steps: readonly NumberedStep[] })[];
  /** Issues in these visits, those met most often first. */
  issues: readonly { number: number; title: string; state: IssueRecord["state"]; times: number }[];
  /** Time before which the next page begins. Undefined if there are no earlier visits. */
  earlier: number | undefined;
}

/** A step with the visible number of its issue. */
export type NumberedStep = Omit<VisitStep, "issue"> & { issue?: number };

/** What a person reads at once; bodies of events take 0.1 ms each. */
const recordsPerPage = 200;
/** Events that are read for the name of a visitor. The newest nearly always says it, if its body was kept. */
const eventsForName = 3;

/** Visits of a visitor before a time, or the newest. Undefined if none is stored. */
export async function visitorById(
  { store }: QueryContext,
  project: number,
  visitor: number,
  before?: number,
): Promise<VisitorAnswer | undefined> {
  const own = await store.visitorHistory({ project, visitor, before, limit: recordsPerPage });
  const who = identityIn(own.events);
  const others = await otherHistories(store, { project, visitor, before }, who);
  const { events, segments, firstAt, from, hasMore } = together([own, ...others]);
  if (firstAt === undefined) return undefined;
  const identity = who ?? identityIn(events);
  const [about, sent] = await Promise.all([
    store.feedback(project, { eventIds: events.map(({ eventId }) => eventId) }),
    identity?.email === undefined ? [] : store.feedback(project, { email: identity.email }),
  ]);
  const feedback = [...new Map([...about, ...sent].map((each) => [each.id, each])).values()].filter(
    ({ at }) => (!hasMore || at >= from) && at < (before ?? Number.POSITIVE_INFINITY),
  );
  const visits = visitsOf({ events, segments, feedback });
  // The oldest visit may go on on the next page.
  const shown = hasMore && visits.length > 1 ? visits.slice(0, -1) : visits;
  const issues = await issuesIn(store, project, events);
  return {
    visitor,
    who: identity,
    firstAt,
    visits: shown.map((visit) => ({ ...visit, steps: visit.steps.map((step) => withIssue(step, issues)) })),
    issues: countsOf(shown, issues),
    earlier: hasMore ? shown.at(-1)?.from : undefined,
  };
}

/** Names of visitors. One whose newest events do not say it is left out. */
export async function visitorNamesOf(
  { store }: QueryContext,
  project: number,
  visitors: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const events = await store.newestEventsOf(project, visitors, eventsForName);
  const names = new Map<number, string>();
  for (const [visitor, own] of Map.groupBy(events, (event) => event.visitor)) {
    const name = nameOfVisitor(identityIn(own.toSorted((a, b) => b.at - a.at)));
    if (visitor !== undefined && name !== undefined) names.set(visitor, name);
  }
  return names;
}

/** The newest event that says who it was. */
export function identityIn(newestFirst: readonly EventRecord[]): VisitorIdentity | undefined {
  for (const { body } of newestFirst) {
    const { id, email, username, name } = (body.kind === "whole" && body.event.user) || {};
    if ((id ?? email ?? username ?? name) === undefined) continue;
    return { ...(id && { id }), ...(email && { email }), ...(username && { username }), ...(name && { name }) };
  }
  return undefined;
}

/** A name for a list: an e-mail address says more than a number. */
export function nameOfVisitor(who: VisitorIdentity | undefined): string | undefined {
  return who?.email ?? who?.username ?? who?.name ?? who?.id;
}

/**
 * Some reports of a person may name an id and others only the e-mail address, which are two visitors in the store.
 * User names are not followed: several people may share one, such as `guest`.
 */
async function otherHistories(
  store: StoreReader,
  { project, visitor, before }: { project: number; visitor: number; before: number | undefined },
  who: VisitorIdentity | undefined,
): Promise<readonly VisitorHistory[]> {
  if (who?.email === undefined) return [];
  const known = await store.visitorsKnownAs(project, visitorHash(who.email));
  // Of several people with one address, such as a family, only the chosen one is shown.
  const others =
    visitor === visitorHash(who.email) ? known : known.filter((one) => one === visitorHash(who.email ?? ""));
  const wanted = others.filter((other) => other !== visitor);
  return Promise.all(
    wanted.map((other) => store.visitorHistory({ project, visitor: other, before, limit: recordsPerPage })),
  );
}

/** Cuts all histories where the first of them ends. */
function together(histories: readonly VisitorHistory[]) {
  const ends = histories.filter(({ hasMore }) => hasMore).map(oldestIn);
  const from = Math.max(Number.NEGATIVE_INFINITY, ...ends);
  const firsts = histories.flatMap(({ firstAt }) => (firstAt === undefined ? [] : [firstAt]));
  return {
    events: histories.flatMap(({ events }) => events.filter(({ at }) => at >= from)).sort((a, b) => b.at - a.at),
    segments: histories.flatMap(({ segments }) => segments.filter(({ at }) => at >= from)),
    firstAt: firsts.length === 0 ? undefined : Math.min(...firsts),
    from,
    hasMore: ends.length > 0,
  };
}

/** Events of servers in a trace may be older than the page. */
function oldestIn({ events, segments }: VisitorHistory): number {
  const times = [...events.filter(({ visitor }) => visitor !== undefined), ...segments].map(({ at }) => at);
  return Math.min(...times);
}

async function issuesIn(store: StoreReader, project: number, events: readonly EventRecord[]) {
  const found = new Map<number, { record: IssueRecord; title: string }>();
  const newest = new Map(events.toReversed().map((event) => [event.issue, event]));
  await Promise.all(
    [...newest].map(async ([id, { body }]) => {
      const record = await store.issue(project, { id });
      if (record === undefined) return;
      const title = body.kind === "whole" ? titleOfEvent(body.event) : titleLine(record.type, record.title);
      found.set(id, { record, title });
    }),
  );
  return found;
}

type FoundIssues = Awaited<ReturnType<typeof issuesIn>>;

function withIssue({ issue, ...step }: VisitStep, issues: FoundIssues): NumberedStep {
  const found = issue === undefined ? undefined : issues.get(issue);
  if (found === undefined) return step;
  return { ...step, text: step.text || found.title, issue: found.record.number };
}

function countsOf(visits: readonly PastVisit[], issues: FoundIssues): VisitorAnswer["issues"] {
  const times = new Map<number, number>();
  for (const { steps } of visits)
    for (const { issue } of steps) if (issue !== undefined) times.set(issue, (times.get(issue) ?? 0) + 1);
  return [...times]
    .flatMap(([id, count]) => {
      const found = issues.get(id);
      return found === undefined
        ? []
        : [{ number: found.record.number, title: found.title, state: found.record.state, times: count }];
    })
    .sort((a, b) => b.times - a.times || b.number - a.number);
}
