import { dayMs } from "../clock.ts";
import type { LiveRecord, StoreReader, VisitorRecord } from "../stores/store.ts";
import type { QueryContext } from "./query-context.ts";

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
export async function live(
  { store, now }: QueryContext,
  { project, after, visitor }: LiveQuestion,
): Promise<LiveAnswer> {
  const news = await store.recent({ project, after, limit: mostAtOnce });
  const next = news.at(-1)?.rowId ?? after;
  if (visitor === undefined) return { records: news, after: next };
  const trail = await store.trail({ project, visitor, from: now - latelyMs, to: now + aheadMs });
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

/** The visitors of the last day, newest first. */
export async function liveVisitors({ store, now }: QueryContext, project: number): Promise<readonly LiveVisitor[]> {
  const recent = await store.recentVisitors(project, among);
  const visitors = recent.filter(({ last }) => last.at >= now - latelyMs).slice(0, mostVisitors);
  return Promise.all(
    visitors.map(async (visitor) => ({ ...visitor, name: await nameIn(store, project, visitor.lastEventId) })),
  );
}

/** The row of what came in last, to ask `live` after. */
export async function newestRow({ store }: QueryContext, project: number): Promise<number | undefined> {
  return (await store.recent({ project, limit: 1 })).at(-1)?.rowId;
}

/** Only an event says who somebody is, and only as much as was let through. */
async function nameIn(store: StoreReader, project: number, eventId: string | undefined): Promise<string | undefined> {
  const body = eventId === undefined ? undefined : (await store.event(project, eventId))?.body;
  const user = body?.kind === "whole" ? body.event.user : undefined;
  return user?.email ?? user?.username ?? user?.id;
}
