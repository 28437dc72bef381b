import { digestOf } from "#protocol";
import { dayMs } from "../clock.ts";
import { mergeSketchSet, type SketchSet, sketchCount } from "../sketches/quantile-sketch.ts";
import { readFilter } from "../stores/filter-language.ts";
import { errorCount, errorPageCount, fullLoadCount, prefetchCount } from "../stores/page-counts.ts";
import type { FeedbackRecord, IssueRecord, IssueSort, StoreReader } from "../stores/store.ts";
import { type SessionHealth, sessionHealth } from "./crash-free.ts";
import { pageVitals, type Vital, type VitalName } from "./pages.ts";
import { filled, type Period } from "./period.ts";
import type { QueryContext } from "./query-context.ts";
import { type Task, taskState } from "./task-state.ts";

export interface OverviewAnswer {
  /** The last 24 hours. */
  today: Health;
  /** The same 24 hours a week ago. */
  weekAgo: Health;
  /** Errors per hour of the last 24, oldest first. */
  errorsByHour: readonly number[];
  newIssues: readonly IssueRecord[];
  regressedIssues: readonly IssueRecord[];
  /** When releases were first seen in that time, for marks in the chart. */
  deploys: readonly { release: string; at: number }[];
  /** What the clients did not send in that time, by their own account, the most first. */
  leftOut: readonly LeftOut[];
  /** Tasks that run by the clock and say how they ended, whenever that was. */
  tasks: readonly Task[];
  /** What visitors wrote about events that have not come, newest first. */
  notesWithoutEvent: readonly NoteWithoutEvent[];
}

/** A note whose event is not here: it may still come, or was lost before it was reported. */
export interface NoteWithoutEvent extends FeedbackRecord {
  /** Of the event that it is about. */
  digest: string;
}

/** A filter's rule, or why something could not be delivered; and of what kind it was. */
export interface LeftOut {
  reason: string;
  category: string;
  n: number;
}

export interface Health {
  pagesServed: number;
  errors: number;
  /** How often a visitor saw an error page, or a part of a page that stood in for one. */
  errorPages: number;
  sessions: SessionHealth;
  vitals: Readonly<Partial<Record<VitalName, Vital>>>;
  /** Share of prefetched pages that were used, 0 to 1. */
  prefetchHitRate: number | undefined;
  fullLoads: number;
}

/** Is it on fire, and since which deploy? */
export async function overview({ store, now }: QueryContext, project: number): Promise<OverviewAnswer> {
  const period: Period = { from: now - dayMs, to: now };
  const listed = (filter: string, sort: IssueSort) =>
    store.issues({ project, filter: readFilter(filter), sort, limit: 20 });
  const [today, weekAgo, errors, open, regressed, releases, leftOut, notes, monitors] = await Promise.all([
    healthIn(store, project, period),
    healthIn(store, project, { from: period.from - 7 * dayMs, to: period.to - 7 * dayMs }),
    store.counts({ project, step: "hour", ...period, name: errorCount }),
    listed("is:open", "first-seen"),
    listed("is:regressed", "last-seen"),
    store.releases(project),
    leftOutIn(store, project, period),
    notesWithoutEvent(store, project, now - 7 * dayMs),
    store.monitors(project),
  ]);
  return {
    today,
    weekAgo,
    errorsByHour: filled(errors, "hour", period),
    newIssues: open.issues.filter(({ firstSeen }) => firstSeen >= period.from),
    regressedIssues: regressed.issues,
    deploys: releases
      .filter(({ firstSeen }) => firstSeen >= period.from)
      .map(({ name, firstSeen }) => ({ release: name, at: firstSeen })),
    leftOut,
    notesWithoutEvent: notes,
    tasks: monitors.map((monitor) => ({ ...monitor, state: taskState(monitor, now) })),
  };
}

/** Each is one look into the store; what is older than these was seen here before. */
const notesLookedAt = 30;

async function notesWithoutEvent(store: StoreReader, project: number, since: number): Promise<NoteWithoutEvent[]> {
  const found: NoteWithoutEvent[] = [];
  for (const note of (await store.feedback(project)).slice(0, notesLookedAt)) {
    const { at, eventId } = note;
    if (eventId === undefined || at < since) continue;
    if ((await store.event(project, eventId.slice(0, digestHexDigits))) !== undefined) continue;
    found.push({ ...note, digest: digestOf(eventId) });
  }
  return found;
}

/** A note may name its event by its digest alone. */
const digestHexDigits = 15;

async function leftOutIn(store: StoreReader, project: number, { from, to }: Period): Promise<LeftOut[]> {
  const sums = new Map<string, LeftOut>();
  for (const { reason, category, n } of await store.discards(project, from, to)) {
    const key = JSON.stringify([reason, category]);
    sums.set(key, { reason, category, n: (sums.get(key)?.n ?? 0) + n });
  }
  return [...sums.values()].sort((left, right) => right.n - left.n);
}

async function healthIn(store: StoreReader, project: number, { from, to }: Period): Promise<Health> {
  const [measures, counts, sessions] = await Promise.all([
    store.measuresByRoute({ project, step: "hour", from, to }),
    store.counts({ project, step: "hour", from, to }),
    store.sessions(project, from, to),
  ]);
  const all: SketchSet = new Map();
  for (const sketches of measures.values()) mergeSketchSet(all, sketches);
  const totals = new Map<string, number>();
  const add = (key: string, n: number): void => void totals.set(key, (totals.get(key) ?? 0) + n);
  for (const { name, label, n } of counts) {
    add(name, n);
    add(`${name} ${label}`, n);
  }
  const stored = totals.get(`${prefetchCount} stored`) ?? 0;
  const used = ["fresh", "stale", "joined"].reduce((sum, use) => sum + (totals.get(`${prefetchCount} ${use}`) ?? 0), 0);
  return {
    pagesServed: sketchCount(all.get("request") ?? new Map()),
    errors: totals.get(errorCount) ?? 0,
    errorPages: totals.get(errorPageCount) ?? 0,
    sessions: sessionHealth(sessions),
    vitals: pageVitals(all),
    prefetchHitRate: stored === 0 ? undefined : Math.min(1, used / stored),
    fullLoads: totals.get(fullLoadCount) ?? 0,
  };
}
