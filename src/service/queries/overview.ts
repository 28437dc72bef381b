import { digestOf } from "#protocol";
import { dayMs } from "../clock.ts";
import { mergeSketchSet, type SketchSet, sketchCount } from "../sketches/quantile-sketch.ts";
import { readFilter } from "../stores/filter-language.ts";
import type { FeedbackRecord, IssueRecord } from "../stores/records.ts";
import type { StoreReader } from "../stores/store.ts";
import type { IssueSort } from "../stores/store-requests.ts";
import { errorCount, errorPageCount, fullLoadCount, prefetchCount } from "../stores/values/page-counts.ts";
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
  /** First sightings of releases in that time, for marks in the chart. */
  deploys: readonly { release: string; at: number }[];
  /** Items that clients dropped in that time, as they reported, most frequent first. */
  leftOut: readonly LeftOut[];
  /** Scheduled tasks with their last result, of any time. */
  tasks: readonly Task[];
  /** Notes of visitors about events that have not arrived, newest first. */
  notesWithoutEvent: readonly NoteWithoutEvent[];
}

/** A note whose event has not arrived: it may still arrive, or was lost before it was reported. */
export interface NoteWithoutEvent extends FeedbackRecord {
  /** Digest of its event. */
  digest: string;
}

/** The filter rule or delivery failure, and the category of the items. */
export interface LeftOut {
  reason: string;
  category: string;
  n: number;
}

export interface Health {
  pagesServed: number;
  errors: number;
  /** How often a visitor saw an error page or an error boundary's fallback. */
  errorPages: number;
  sessions: SessionHealth;
  vitals: Readonly<Partial<Record<VitalName, Vital>>>;
  /** Share of prefetched pages that were used, 0 to 1. */
  prefetchHitRate: number | undefined;
  fullLoads: number;
}

/** Answers: is anything broken, and since which deployment? */
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

/** Each costs one read of the store. Older ones were already listed before. */
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

/** A note may name its event only by the digest. */
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
