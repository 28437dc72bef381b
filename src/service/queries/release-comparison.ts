import { dayMs, hourMs, quarterMs } from "../clock.ts";
import { quantileOf, type SketchSet } from "../sketches/quantile-sketch.ts";
import type { IssueRecord, ReleaseIssueRecord, ReleaseRecord, SessionRecord } from "../stores/records.ts";
import { unitOf } from "../stores/series-step.ts";
import type { StoreReader } from "../stores/store.ts";
import { fullLoadCount } from "../stores/values/page-counts.ts";
import { changeOfMeasure, changeOfShare } from "./change-point.ts";
import { pageVitals, type Vital, type VitalName } from "./pages.ts";
import type { Period } from "./period.ts";
import type { QueryContext } from "./query-context.ts";
import type { RouteMeasure } from "./route-trend.ts";

/** Two releases side by side. `from` is the older one. */
export interface ReleaseComparison {
  from: ComparedRelease;
  to: ComparedRelease;
  /** Issues that only the newer one has, and that it was the first to have. */
  newIssues: readonly ComparedIssue[];
  /** Issues that only the older one has. */
  goneIssues: readonly ComparedIssue[];
  /** Issues that are more frequent for each visit of the newer one. */
  grownIssues: readonly ComparedIssue[];
  /** Routes that took longer or shorter while each was the newest release, the largest change first. */
  routes: readonly ComparedRoute[];
}

export interface ComparedRelease {
  name: string;
  firstSeen: number;
  /** The time in which it was the newest one, a week at most: what is compared of its routes. */
  asNewest: Period;
  events: number;
  visits: number;
  vitals: Readonly<Partial<Record<VitalName, Vital>>>;
  /** Its share of all visits, for each of the hours since it was first seen. Undefined for hours without visits. */
  adoption: readonly (number | undefined)[];
  deploy: DeployEffect;
}

/** What a deployment did to those who were there. */
export interface DeployEffect {
  /** Errors of the project in its first hour, by quarters of an hour. Undefined if they are no longer known. */
  errorsInFirstHour: number | undefined;
  /** Its share of visits after an hour and after a day. */
  adoptedInHour: number | undefined;
  adoptedInDay: number | undefined;
  /** Visitors of the build before whose page was loaded again, because the server had another build. */
  skewLoads: number | undefined;
}

export interface ComparedIssue {
  issue: IssueRecord;
  /** Events in both. */
  before: number;
  after: number;
}

export interface ComparedRoute {
  route: string;
  measure: RouteMeasure;
  /** 75th percentiles. */
  before: number;
  after: number;
  times: number;
}

/** A release with more issues has them in a list, not on this screen. */
const issuesRead = 5_000;
const issuesShown = 20;
const routesShown = 30;
const weekMs = 7 * dayMs;
// Hourly counters are deleted after 15 days.
const hoursKeptMs = 14 * dayMs;

/** Answers: what did this release break, repair, slow down? Undefined if one of them is unknown. */
export async function releaseComparison(
  { store, now }: QueryContext,
  project: number,
  names: { from: string; to: string },
): Promise<ReleaseComparison | undefined> {
  const releases = await store.releases(project);
  const [older, newer] = [names.from, names.to]
    .flatMap((name) => releases.find((release) => release.name === name) ?? [])
    .sort((a, b) => a.firstSeen - b.firstSeen);
  if (older === undefined || newer === undefined) return undefined;
  const describe = (release: ReleaseRecord) =>
    comparedRelease({ store, now }, project, release, asNewest(release, releases, now));
  const [from, to, before, after] = await Promise.all([
    describe(older),
    describe(newer),
    store.releaseIssues(project, older.name, issuesRead),
    store.releaseIssues(project, newer.name, issuesRead),
  ]);
  const [routes, issues] = await Promise.all([
    comparedRoutes({ store, now }, project, from, to),
    comparedIssues(store, project, { before, after, visits: [from.visits, to.visits], newer: newer.name }),
  ]);
  return { from, to, ...issues, routes };
}

function asNewest({ firstSeen }: ReleaseRecord, releases: readonly ReleaseRecord[], now: number): Period {
  const next = releases.filter((other) => other.firstSeen > firstSeen).at(-1)?.firstSeen ?? now;
  return { from: firstSeen, to: Math.min(next, firstSeen + weekMs, now) };
}

async function comparedRelease(
  { store, now }: QueryContext,
  project: number,
  { name, firstSeen, events }: ReleaseRecord,
  newest: Period,
): Promise<ComparedRelease> {
  const to = Math.min(now, firstSeen + weekMs);
  const day = Math.min(now, firstSeen + dayMs);
  const [measures, sessions, traffic, loads] = await Promise.all([
    store.releaseMeasures(project, name),
    store.sessions(project, firstSeen, to),
    store.traffic({ project, step: "quarter", from: firstSeen, to: firstSeen + hourMs - quarterMs }),
    store.counts({ project, step: "hour", from: firstSeen, to: day, name: fullLoadCount }),
  ]);
  const adoption = adoptionOf(sessions, name, { from: firstSeen, to });
  return {
    name,
    firstSeen,
    asNewest: newest,
    events,
    visits: startedIn(sessions.filter(({ release }) => release === name)),
    vitals: pageVitals(measures),
    adoption,
    deploy: {
      errorsInFirstHour: traffic.length === 0 ? undefined : traffic.reduce((sum, { errors }) => sum + errors, 0),
      adoptedInHour: adoption[1],
      adoptedInDay: adoption[24],
      skewLoads:
        firstSeen < now - hoursKeptMs
          ? undefined
          : loads.filter(({ label }) => label === "build-mismatch").reduce((sum, { n }) => sum + n, 0),
    },
  };
}

/** Its share of the visits that began in each hour. */
export function adoptionOf(
  sessions: readonly SessionRecord[],
  name: string,
  { from, to }: Period,
): (number | undefined)[] {
  const first = Math.floor(from / hourMs);
  const hours = Array.from({ length: Math.floor(to / hourMs) - first + 1 }, () => ({ own: 0, all: 0 }));
  for (const { at, release, started } of sessions) {
    const hour = hours[Math.floor(at / hourMs) - first];
    if (hour === undefined) continue;
    hour.all += started;
    if (release === name) hour.own += started;
  }
  return hours.map(({ own, all }) => (all === 0 ? undefined : own / all));
}

function startedIn(sessions: readonly SessionRecord[]): number {
  return sessions.reduce((sum, { started }) => sum + started, 0);
}

interface IssueSides {
  before: readonly ReleaseIssueRecord[];
  after: readonly ReleaseIssueRecord[];
  visits: readonly [before: number, after: number];
  newer: string;
}

type IssueLists = Pick<ReleaseComparison, "newIssues" | "goneIssues" | "grownIssues">;

async function comparedIssues(store: StoreReader, project: number, sides: IssueSides): Promise<IssueLists> {
  const { newIds, goneIds, grownIds, eventsOf } = divideIssues(sides);
  const read = async (ids: readonly number[]): Promise<ComparedIssue[]> => {
    const issues = await Promise.all(ids.slice(0, issuesShown).map((id) => store.issue(project, { id })));
    return issues.flatMap((issue) => (issue === undefined ? [] : [{ issue, ...eventsOf(issue.id) }]));
  };
  const [newIssues, goneIssues, grownIssues] = await Promise.all([read(newIds), read(goneIds), read(grownIds)]);
  return {
    newIssues: newIssues.filter(({ issue }) => issue.firstRelease === sides.newer),
    goneIssues,
    grownIssues,
  };
}

/** Ids of the issues of each kind, most frequent first. */
export function divideIssues({ before, after, visits }: Omit<IssueSides, "newer">): {
  newIds: readonly number[];
  goneIds: readonly number[];
  grownIds: readonly number[];
  eventsOf: (issue: number) => { before: number; after: number };
} {
  const old = new Map(before.map(({ issue, events }) => [issue, events]));
  const now = new Map(after.map(({ issue, events }) => [issue, events]));
  const eventsOf = (issue: number) => ({ before: old.get(issue) ?? 0, after: now.get(issue) ?? 0 });
  // Without visits, events of all issues say how much each release was used.
  const sum = (list: readonly ReleaseIssueRecord[]): number => list.reduce((all, { events }) => all + events, 0);
  const [amongOld, amongNew] = visits.every((n) => n > 0) ? visits : [sum(before), sum(after)];
  const hasGrown = (issue: number): boolean => {
    const events = eventsOf(issue);
    const steps = [
      { at: 0, n: events.before, among: amongOld },
      { at: 1, n: events.after, among: amongNew },
    ];
    return (changeOfShare(steps, [])?.times ?? 0) > 1;
  };
  return {
    newIds: after.filter(({ issue }) => !old.has(issue)).map(({ issue }) => issue),
    goneIds: before.filter(({ issue }) => !now.has(issue)).map(({ issue }) => issue),
    grownIds: after.filter(({ issue }) => old.has(issue) && hasGrown(issue)).map(({ issue }) => issue),
    eventsOf,
  };
}

const comparedMeasures = ["pageload", "navigation", "request"] as const;

async function comparedRoutes(
  { store, now }: QueryContext,
  project: number,
  from: ComparedRelease,
  to: ComparedRelease,
): Promise<readonly ComparedRoute[]> {
  const measured = ({ asNewest: period }: ComparedRelease) => {
    const step = period.to - period.from <= 2 * dayMs && period.from > now - hoursKeptMs ? "hour" : "day";
    // The step in which the next release appeared has both, and belongs to that one.
    const to = period.to < now ? Math.max(period.from, period.to - unitOf(step)) : period.to;
    return store.measuresByRoute({ project, step, from: period.from, to });
  };
  const [before, after] = await Promise.all([measured(from), measured(to)]);
  return changedRoutes(before, after).slice(0, routesShown);
}

/** For each route, the time that changed most. */
export function changedRoutes(
  before: ReadonlyMap<string, SketchSet>,
  after: ReadonlyMap<string, SketchSet>,
): ComparedRoute[] {
  const size = ({ times }: ComparedRoute): number => Math.abs(Math.log(times));
  const largest = (list: readonly ComparedRoute[]): ComparedRoute | undefined =>
    list.toSorted((a, b) => size(b) - size(a))[0];
  const routes = [...after].flatMap(([route, sketches]) => {
    const changes = comparedMeasures.flatMap((measure): ComparedRoute[] => {
      const [old, now] = [before.get(route)?.get(measure), sketches.get(measure)];
      if (old === undefined || now === undefined || quantileOf(old, 0.75) === 0) return [];
      const steps = [
        { at: 0, sketch: old },
        { at: 1, sketch: now },
      ];
      const change = changeOfMeasure(steps, []);
      if (change?.times === undefined) return [];
      return [{ route, measure, before: change.before, after: change.after, times: change.times }];
    });
    return largest(changes) ?? [];
  });
  return routes.sort((a, b) => size(b) - size(a));
}
