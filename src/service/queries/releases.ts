import { dayMs } from "../clock.ts";
import type { ChunkCounts, ChunkRecord, Commit, ReleaseRecord, SessionRecord } from "../stores/records.ts";
import type { StoreReader } from "../stores/store.ts";
import { type SessionHealth, sessionHealth } from "./crash-free.ts";
import { pageVitals, type Vital, type VitalName } from "./pages.ts";
import { lastDays } from "./period.ts";
import type { QueryContext } from "./query-context.ts";

export interface ReleaseAnswer extends Omit<ReleaseRecord, "resolvedIn" | "resolvedAfter"> {
  health: SessionHealth;
  /**
   * Share of the last day's sessions that ran it. During a deployment, it shows how many visitors still use the old
   * release.
   */
  adoption: number | undefined;
  /** Resolved in this release, and not seen since. */
  resolvedIssues: number;
  vitals: Readonly<Partial<Record<VitalName, Vital>>>;
  /** Its p75 minus that of the previous release. Above zero is slower. */
  change: Readonly<Partial<Record<VitalName, number>>>;
  /** Number of built files in its stacks, and how many of them have no source map. Undefined while there are none. */
  maps: ChunkCounts | undefined;
}

/** A release with details. */
export interface ReleaseDetails {
  release: ReleaseAnswer;
  /** The previous release. */
  before: string | undefined;
  chunks: readonly ChunkRecord[];
  commits: ReleaseCommits;
}

export type ReleaseCommits =
  /** Commits since an earlier release: the last one whose commits are known. */
  | { kind: "since"; release: string; commits: readonly Commit[] }
  /** The newest commits of the build. How many of them are new is unknown. */
  | { kind: "newest"; commits: readonly Commit[] }
  | { kind: "unknown" };

// One screen, with something to compare with.
const shown = 50;
const healthDays = 30;
// After a rollback, or if several applications report to one project, the release to compare with may be further back.
const comparedWith = 20;
// Enough to recognise a build.
const newestShown = 10;

/** Lists releases, newest first, each compared with the previous one. */
export async function releases(
  context: QueryContext,
  project: number,
  environment?: string,
): Promise<readonly ReleaseAnswer[]> {
  const [all, compare] = await Promise.all([
    context.store.releases(project),
    comparison(context, project, environment),
  ]);
  const records = all.slice(0, shown + 1);
  return Promise.all(records.slice(0, shown).map((record, index) => compare(record, records[index + 1])));
}

/** Lists names only, newest first. */
export function releaseNames({ store }: QueryContext, project: number): Promise<readonly string[]> {
  return store.releaseNames(project);
}

export async function releaseByName(
  context: QueryContext,
  project: number,
  name: string,
): Promise<ReleaseDetails | undefined> {
  const { store } = context;
  const records = await store.releases(project);
  const index = records.findIndex((record) => record.name === name);
  const [record, before] = [records[index], records[index + 1]];
  if (record === undefined) return undefined;
  const [release, chunks, commits] = await Promise.all([
    comparison(context, project).then((compare) => compare(record, before)),
    store.releaseChunks(project, name),
    commitsIn(store, project, name, records.slice(index + 1, index + 1 + comparedWith)),
  ]);
  return { release, before: before?.name, chunks, commits };
}

type Compare = (record: ReleaseRecord, before: ReleaseRecord | undefined) => Promise<ReleaseAnswer>;

async function comparison({ store, now }: QueryContext, project: number, environment?: string): Promise<Compare> {
  const { from, to } = lastDays(healthDays, now);
  const [all, maps] = await Promise.all([store.sessions(project, from, to), store.chunkCounts(project)]);
  const sessions = all.filter((one) => environment === undefined || one.environment === environment);
  const lastDay = sessions.filter(({ at }) => at >= now - dayMs);
  const startedLastDay = startedIn(lastDay);
  const known = new Map<string, Promise<Partial<Record<VitalName, Vital>>>>();
  const vitalsIn = (name: string) => {
    const vitals = known.get(name) ?? store.releaseMeasures(project, name).then(pageVitals);
    known.set(name, vitals);
    return vitals;
  };
  return async ({ resolvedIn, resolvedAfter: _, ...record }, before) => {
    const own = ({ release }: SessionRecord) => release === record.name;
    const [vitals, vitalsBefore] = await Promise.all([vitalsIn(record.name), before ? vitalsIn(before.name) : {}]);
    return {
      ...record,
      health: sessionHealth(sessions.filter(own)),
      adoption: startedLastDay === 0 ? undefined : startedIn(lastDay.filter(own)) / startedLastDay,
      resolvedIssues: resolvedIn + (before?.resolvedAfter ?? 0),
      vitals,
      change: changeOf(vitals, vitalsBefore),
      maps: maps.get(record.name),
    };
  };
}

function startedIn(sessions: readonly SessionRecord[]): number {
  return sessions.reduce((sum, { started }) => sum + started, 0);
}

function changeOf(
  now: Partial<Record<VitalName, Vital>>,
  before: Partial<Record<VitalName, Vital>>,
): Partial<Record<VitalName, number>> {
  const change: Partial<Record<VitalName, number>> = {};
  for (const name of ["lcp", "inp", "cls", "fcp", "ttfb"] as const) {
    const [a, b] = [now[name], before[name]];
    if (a && b) change[name] = a.p75 - b.p75;
  }
  return change;
}

/** Finds the commits between a release and the one before it whose commits are known. */
export async function commitsSince(store: StoreReader, project: number, name: string): Promise<ReleaseCommits> {
  const records = await store.releases(project);
  const index = records.findIndex((record) => record.name === name);
  return commitsIn(store, project, name, records.slice(index + 1, index + 1 + comparedWith));
}

/** Each build records its newest commits. Those from the head of an earlier build on are not new. */
async function commitsIn(
  store: StoreReader,
  project: number,
  name: string,
  earlier: readonly ReleaseRecord[],
): Promise<ReleaseCommits> {
  const own = await store.commits(project, name);
  if (own.length === 0) return { kind: "unknown" };
  for (const { name: release } of earlier) {
    const [head] = await store.commits(project, release);
    const end = own.findIndex(({ hash }) => hash === head?.hash);
    if (end !== -1) return { kind: "since", release, commits: own.slice(0, end) };
  }
  return { kind: "newest", commits: own.slice(0, newestShown) };
}
