import { dayMs } from "../clock.ts";
import type { LiveRecord, StoreReader, VisitorRecord } from "../stores/store.ts";

export interface LiveQuestion {
  project: number;
  /** What was answered last; without it, the newest there is. */
  after?: number | undefined;
  /** Of one visitor alone. */
  visitor?: number | undefined;
}

export interface LiveAnswer {
  /** In the order of their arrival. */
  records: readonly LiveRecord[];
  /** What to ask after the next time. */
  after: number | undefined;
}

// More at once cannot be read; who fell behind goes on with the newest.
const mostAtOnce = 200;
// Visitors from longer ago are not recent.
const latelyMs = dayMs;
// A client's clock may be ahead by some of it.
const aheadMs = 60_000;

/** What came in since the last question; the first answer has the newest there is. */
export function live(store: StoreReader, { project, after, visitor }: LiveQuestion, now: number): LiveAnswer {
  const news = store.recent(project, after, mostAtOnce);
  const next = news.at(-1)?.rowId ?? after;
  if (visitor === undefined) return { records: news, after: next };
  const trail = store.trail(project, visitor, now - latelyMs, now + aheadMs);
  const traces = new Set(trail.map(traceOf).filter((trace) => trace !== undefined));
  // Servers do not know who asks; but what they did for a visitor is in the visitor's trace.
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

/** Somebody who was here lately. */
export interface LiveVisitor extends VisitorRecord {
  /** From their last error, if there was one. */
  name: string | undefined;
}

// Who was here in the last thousand views and errors; a busy site has more, and then the box finds one by name.
const among = 1_000;
// As many as stand beside the stream without scrolling far.
const mostVisitors = 30;

export function liveVisitors(store: StoreReader, project: number, now: number): readonly LiveVisitor[] {
  const lately = store.recentVisitors(project, among).filter(({ last }) => last.at >= now - latelyMs);
  const visitors = lately.slice(0, mostVisitors);
  return visitors.map((visitor) => ({ ...visitor, name: nameIn(store, project, visitor.lastEventId) }));
}

/** Only an event says who somebody is, and only as much as was let through. */
function nameIn(store: StoreReader, project: number, eventId: string | undefined): string | undefined {
  const body = eventId === undefined ? undefined : store.event(project, eventId)?.body;
  const user = body?.kind === "whole" ? body.event.user : undefined;
  return user?.email ?? user?.username ?? user?.id;
}
