import { dayMs } from "../clock.ts";
import type { EventRecord } from "../stores/records.ts";
import type { StoreReader } from "../stores/store.ts";
import { visitorHash } from "../stores/values/visitor-hash.ts";
import type { QueryContext } from "./query-context.ts";
import { identityIn, nameOfVisitor, type VisitorIdentity } from "./visitor.ts";

/** Things whose name contains a text. Issues are found by their own list. */
export interface SearchAnswer {
  visitors: readonly FoundVisitor[];
  releases: readonly string[];
  routes: readonly string[];
}

export interface FoundVisitor {
  visitor: number;
  /** Undefined if only page views are stored, which do not say who it was. */
  name: string | undefined;
  /** Their other identities, to distinguish visitors of one name. */
  about: string;
  lastAt: number;
}

/** A shorter text is part of nearly every name. */
const shortestText = 2;
const mostOfAKind = 6;
/** Records and visitors in which parts of names are searched: names are only in events, each takes 0.1 ms to read. */
const recentRecords = 1_000;
const recentNames = 30;
/** A route without a visit yesterday or today is not what people look for. */
const routesOfMs = dayMs;
/** Enough that one of them is an event, which names the visitor. */
const recordsOfOne = 20;

export async function search({ store, now }: QueryContext, project: number, typed: string): Promise<SearchAnswer> {
  const text = typed.trim();
  if (text.length < shortestText) return { visitors: [], releases: [], routes: [] };
  const contains = (name: string): boolean => name.toLowerCase().includes(text.toLowerCase());
  const [visitors, releases, routes] = await Promise.all([
    visitorsLike(store, project, text),
    store.releaseNames(project),
    store.measuresByRoute({ project, step: "day", from: now - routesOfMs, to: now }),
  ]);
  return {
    visitors,
    releases: releases.filter(contains).slice(0, mostOfAKind),
    routes: [...routes.keys()].filter(contains).sort(shortestFirst).slice(0, mostOfAKind),
  };
}

/**
 * Only hashes of identities are indexed, so a whole id, e-mail address, user name, name or network address finds every
 * stored visitor; part of one finds those who met an error lately.
 */
async function visitorsLike(store: StoreReader, project: number, text: string): Promise<readonly FoundVisitor[]> {
  const called = (await visitorsCalled(store, project, text)).slice(0, mostOfAKind);
  const found = new Map<number, FoundVisitor>();
  for (const visitor of called) {
    const { events, segments } = await store.visitorHistory({ project, visitor, limit: recordsOfOne });
    const lastAt = Math.max(...[...events, ...segments].map(({ at }) => at));
    found.set(visitor, { visitor, lastAt, ...namesOf(identityIn(events)) });
  }
  for (const { event, who } of await recentlyNamed(store, project)) {
    const { visitor, at } = event;
    const names = Object.values(who).map((name: string) => name.toLowerCase());
    if (visitor === undefined || found.has(visitor) || found.size >= mostOfAKind) continue;
    if (names.some((name) => name.includes(text.toLowerCase())))
      found.set(visitor, { visitor, lastAt: at, ...namesOf(who) });
  }
  return [...found.values()];
}

async function recentlyNamed(store: StoreReader, project: number) {
  const recent = await store.recentVisitors(project, recentRecords);
  const ids = recent.flatMap(({ lastEventId }) => lastEventId ?? []).slice(0, recentNames);
  const events = (await store.eventsById(project, ids)).toSorted((a, b) => b.at - a.at);
  return events.flatMap((event: EventRecord) => {
    const who = identityIn([event]);
    return who === undefined ? [] : [{ event, who }];
  });
}

function namesOf(who: VisitorIdentity | undefined): Pick<FoundVisitor, "name" | "about"> {
  const name = nameOfVisitor(who);
  const others = [who?.name, who?.username, who?.id].filter((each) => each !== undefined && each !== name);
  return { name, about: others.join(", ") };
}

export const emailAddress: RegExp = /^[^\s@:]+@[^\s@]+\.[^\s@]+$/;

/** Visitors of whom this is an id, e-mail address, user name, name or network address, as a whole. */
export async function visitorsCalled(store: StoreReader, project: number, text: string): Promise<readonly number[]> {
  const isEmail = emailAddress.test(text);
  const found = new Set<number>();
  for (const spelling of new Set([text, text.toLowerCase()])) {
    const identity = visitorHash(spelling);
    const known = await store.visitorsKnownAs(project, identity);
    // A visitor with an id is shown with the reports that name only the e-mail address.
    const isBeside = isEmail && known.length > 1;
    for (const visitor of known) if (!isBeside || visitor !== identity) found.add(visitor);
  }
  return found.size > 0 || !isEmail ? [...found] : writersOf(store, project, text);
}

/** Visitors who gave this e-mail address with their feedback about an error. */
async function writersOf(store: StoreReader, project: number, email: string): Promise<readonly number[]> {
  const feedback = await store.feedback(project, { email });
  const events = await Promise.all(
    feedback
      .slice(0, mostOfAKind)
      .map(({ eventId }) => (eventId === undefined ? undefined : eventOf(store, project, eventId))),
  );
  return [...new Set(events.flatMap((event) => event?.visitor ?? []))];
}

/** Feedback may name its event by the digest alone. */
function eventOf(store: StoreReader, project: number, eventId: string): Promise<EventRecord | undefined> {
  return store.event(project, eventId.slice(0, 15));
}

function shortestFirst(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : 1);
}
