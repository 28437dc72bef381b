import { digestOf } from "#protocol";
import { dayMs, hourMs } from "../clock.ts";
import { mergeSketchSet, type SketchSet, sketchCount } from "../sketches/quantile-sketch.ts";
import { readFilter } from "../stores/filter-language.ts";
import type { CountRecord, FeedbackRecord, IssueRecord, SessionRecord } from "../stores/records.ts";
import type { StoreReader } from "../stores/store.ts";
import type { IssueSort } from "../stores/store-requests.ts";
import { errorCount, errorPageCount, fullLoadCount, prefetchCount } from "../stores/values/page-counts.ts";
import { type AffectedVisitors, affectedVisitors } from "./affected-visitors.ts";
import { type SessionHealth, sessionHealth } from "./crash-free.ts";
import { pageVitals, type Quantiles, quantiles, type Vital, type VitalName } from "./pages.ts";
import type { Period } from "./period.ts";
import type { QueryContext } from "./query-context.ts";
import { hourly, type SlowerRoute, slowerRoutes } from "./slower-routes.ts";
import { type Task, taskState } from "./task-state.ts";
import { type UsualAnswer, usual } from "./usual.ts";

export interface OverviewAnswer {
  /** The last 24 hours. */
  today: Health;
  /** The same 24 hours a week ago. */
  weekAgo: Health;
  /** Quarters of an hour of the last 24 hours beside what is usual, and since when errors are above it. */
  usual: UsualAnswer;
  /** Visitors with an error in that time. */
  affected: AffectedVisitors;
  /** The hours of that time. */
  trends: HourTrends;
  /** Routes that take longer than in the same hours a week ago, the largest change first. */
  slowerRoutes: readonly SlowerRoute[];
  /** Unresolved issues of that time that most visitors have met, at least two. */
  widestIssues: readonly IssueRecord[];
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

/** How measures developed by hours. The last one is running. */
export interface HourTrends {
  /** Beginning of the first hour. */
  from: number;
  stepMs: number;
  /** 75th percentiles of vitals, and the 95th of the server's response time. */
  measures: Readonly<Record<(typeof trendMeasures)[number], Pick<SlowerRoute, "values" | "change">>>;
  /** Share of prefetched pages that were used. Undefined for an hour without any. */
  prefetchHitRate: readonly (number | undefined)[];
  /** Share of visits without a crash. Undefined for an hour in which none began. */
  crashFree: readonly (number | undefined)[];
}

const trendMeasures = ["lcp", "inp", "cls", "request"] as const;

export interface Health {
  pagesServed: number;
  errors: number;
  /** How often a visitor saw an error page or an error boundary's fallback. */
  errorPages: number;
  sessions: SessionHealth;
  vitals: Readonly<Partial<Record<VitalName, Vital>>>;
  /** Response time of the server. */
  request: Quantiles | undefined;
  /** Share of prefetched pages that were used, 0 to 1. */
  prefetchHitRate: number | undefined;
  fullLoads: number;
}

/** Enough to know where to begin. The list sorts by visitors too. */
const widestShown = 5;

/** Answers: is anything broken, and since which deployment? */
export async function overview(context: QueryContext, project: number): Promise<OverviewAnswer> {
  const { store, now } = context;
  const period: Period = { from: now - dayMs, to: now };
  const hours: Period = { from: (Math.floor(now / hourMs) + 1) * hourMs - dayMs, to: now };
  const listed = (filter: string, sort: IssueSort) =>
    store.issues({ project, filter: readFilter(filter), sort, limit: 20 });
  const lastWeek: Period = { from: period.from - 7 * dayMs, to: period.to - 7 * dayMs };
  const measured = store.measuresBothWays({ project, step: "hour", ...period, ofSteps: trendMeasures });
  const measuredBefore = store.measuresByRoute({ project, step: "hour", ...lastWeek });
  const [
    today,
    weekAgo,
    { byStep: byHour },
    open,
    regressed,
    wide,
    releases,
    leftOut,
    notes,
    monitors,
    compared,
    affected,
  ] = await Promise.all([
    dayIn(
      store,
      project,
      period,
      measured.then(({ byRoute }) => byRoute),
    ),
    dayIn(store, project, lastWeek, measuredBefore),
    measured,
    listed("is:open", "first-seen"),
    listed("is:regressed", "last-seen"),
    listed("is:unresolved", "visitors"),
    store.releases(project),
    leftOutIn(store, project, period),
    notesWithoutEvent(store, project, now - 7 * dayMs),
    store.monitors(project),
    usual(context, project),
    affectedVisitors(context, project),
  ]);
  return {
    today: today.health,
    weekAgo: weekAgo.health,
    usual: compared,
    affected,
    trends: trendsIn(byHour, today, hours),
    slowerRoutes: await slowerRoutes(store, { project, ...hours }, { now: today.measures, before: weekAgo.measures }),
    widestIssues: wide.issues
      .filter(({ lastSeen, visitors }) => lastSeen >= period.from && visitors > 1)
      .slice(0, widestShown),
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

/** More would not fit beside the name of a screen. */
const newIssuesCounted = 100;

/** Counts the open issues of the last 24 hours, up to a hundred: those that ask for a decision. */
export async function newIssueCount({ store, now }: QueryContext, project: number): Promise<number> {
  const filter = readFilter("is:open");
  const { issues } = await store.issues({ project, filter, sort: "first-seen", limit: newIssuesCounted });
  return issues.filter(({ firstSeen }) => firstSeen >= now - dayMs).length;
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

/** What was measured in a day, with what it is made of. */
interface MeasuredDay {
  health: Health;
  measures: ReadonlyMap<string, SketchSet>;
  counts: readonly CountRecord[];
  sessions: readonly SessionRecord[];
}

async function dayIn(
  store: StoreReader,
  project: number,
  { from, to }: Period,
  measured: Promise<ReadonlyMap<string, SketchSet>>,
): Promise<MeasuredDay> {
  const [measures, counts, sessions] = await Promise.all([
    measured,
    store.counts({ project, step: "hour", from, to }),
    store.sessions(project, from, to),
  ]);
  const all: SketchSet = new Map();
  for (const sketches of measures.values()) mergeSketchSet(all, sketches);
  const total = (wanted: string): number => counts.reduce((sum, { name, n }) => (name === wanted ? sum + n : sum), 0);
  const health: Health = {
    pagesServed: sketchCount(all.get("request") ?? new Map()),
    errors: total(errorCount),
    errorPages: total(errorPageCount),
    sessions: sessionHealth(sessions),
    vitals: pageVitals(all),
    request: quantiles(all.get("request")),
    prefetchHitRate: hitRateIn(counts),
    fullLoads: total(fullLoadCount),
  };
  return { health, measures, counts, sessions };
}

function hitRateIn(counts: readonly CountRecord[]): number | undefined {
  let [stored, used] = [0, 0];
  for (const { name, label, n } of counts) {
    if (name !== prefetchCount) continue;
    if (label === "stored") stored += n;
    if (label === "fresh" || label === "stale" || label === "joined") used += n;
  }
  return stored === 0 ? undefined : Math.min(1, used / stored);
}

function trendsIn(
  byHour: ReadonlyMap<number, SketchSet>,
  { counts, sessions }: Pick<MeasuredDay, "counts" | "sessions">,
  hours: Period,
): HourTrends {
  const of = (measure: (typeof trendMeasures)[number]) =>
    hourly(byHour, hours, measure, measure === "request" ? 0.95 : 0.75);
  const times = Array.from({ length: dayMs / hourMs }, (_, n) => hours.from + n * hourMs);
  const [countsAt, sessionsAt] = [Map.groupBy(counts, ({ at }) => at), Map.groupBy(sessions, ({ at }) => at)];
  return {
    from: hours.from,
    stepMs: hourMs,
    measures: { lcp: of("lcp"), inp: of("inp"), cls: of("cls"), request: of("request") },
    prefetchHitRate: times.map((at) => hitRateIn(countsAt.get(at) ?? [])),
    crashFree: times.map((at) => sessionHealth(sessionsAt.get(at) ?? []).crashFree),
  };
}
