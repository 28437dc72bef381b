import { dayMs } from "../clock.ts";
import type { LiveRecord, VisitorRecord } from "../stores/records.ts";
import type { QueryContext } from "./query-context.ts";
import { identityIn, nameOfVisitor } from "./visitor.ts";

export interface LiveQuestion {
  project: number;
  /** Position from the last result. Without it, the newest records are returned. */
  after?: number | undefined;
  /** Only records of one visitor. */
  visitor?: number | undefined;
}

export interface LiveAnswer {
  /** In order of arrival. */
  records: readonly LiveRecord[];
  /** Position for the next query. */
  after: number | undefined;
}

// More cannot be read at once. A slow reader continues with the newest.
const mostAtOnce = 200;
// More than a screen. Each event is opened for its title: 200 took 160 ms with ten million events in PostgreSQL.
const mostAtFirst = 60;
// Older visits are not recent.
const latelyMs = dayMs;
// Tolerated lead of a client's clock.
const aheadMs = 60_000;

/** Returns the records since the last query. The first result contains the newest ones. */
export async function live(
  { store, now }: QueryContext,
  { project, after, visitor }: LiveQuestion,
): Promise<LiveAnswer> {
  const news = await store.recent({ project, after, limit: after === undefined ? mostAtFirst : mostAtOnce });
  const next = news.at(-1)?.rowId ?? after;
  if (visitor === undefined) return { records: news, after: next };
  const trail = await store.trail({ project, visitor, from: now - latelyMs, to: now + aheadMs });
  const traces = new Set(trail.map(traceOf).filter((trace) => trace !== undefined));
  // Servers do not know the visitor, but their work for a visitor is in the visitor's trace.
  const own = news.filter((record) => visitorIn(record) === visitor || traces.has(traceOf(record) ?? ""));
  return { records: after === undefined ? together(trail, own) : own, after: next };
}

function traceOf(record: LiveRecord): string | undefined {
  return record.kind === "log" ? record.line.traceId : record.traceId;
}

function visitorIn(record: LiveRecord): number | undefined {
  return record.kind === "log" ? undefined : record.visitor;
}

function together(trail: readonly LiveRecord[], news: readonly LiveRecord[]): readonly LiveRecord[] {
  const known = new Set(trail.map(({ kind, rowId }) => `${kind} ${rowId}`));
  const added = news.filter(({ kind, rowId }) => !known.has(`${kind} ${rowId}`));
  return [...trail, ...added].sort((a, b) => a.rowId - b.rowId).slice(-mostAtOnce);
}

/** A recent visitor. */
export interface LiveVisitor extends VisitorRecord {
  /** From their last error, if there was one. */
  name: string | undefined;
}

// Searches the last thousand views and errors. On a busier site, the search box finds a visitor by name.
const among = 1_000;
// Number that fits beside the stream without much scrolling.
const mostVisitors = 30;

/** Lists the visitors of the last day, newest first. */
export async function liveVisitors({ store, now }: QueryContext, project: number): Promise<readonly LiveVisitor[]> {
  const recent = await store.recentVisitors(project, among);
  const visitors = recent.filter(({ last }) => last.at >= now - latelyMs).slice(0, mostVisitors);
  const ids = visitors.flatMap(({ lastEventId }) => (lastEventId === undefined ? [] : [lastEventId]));
  // Only an event names its user, and only the fields that scrubbing kept.
  const events = new Map((await store.eventsById(project, ids)).map((event) => [event.eventId, event]));
  return visitors.map((visitor) => {
    const event = events.get(visitor.lastEventId ?? "");
    return { ...visitor, name: event && nameOfVisitor(identityIn([event])) };
  });
}

/** Position of the newest record, for `live`. */
export async function newestRow({ store }: QueryContext, project: number): Promise<number | undefined> {
  return (await store.recent({ project, limit: 1 })).at(-1)?.rowId;
}
