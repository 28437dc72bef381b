import { dayMs } from "../clock.ts";
import type { ChunkCounts, ChunkRecord, Commit, ReleaseRecord, SessionRecord, StoreReader } from "../stores/store.ts";
import { type SessionHealth, sessionHealth } from "./crash-free.ts";
import { pageVitals, type Vital, type VitalName } from "./pages.ts";
import { lastDays } from "./period.ts";
import type { QueryContext } from "./query-context.ts";

export interface ReleaseAnswer extends Omit<ReleaseRecord, "resolvedIn" | "resolvedAfter"> {
  health: SessionHealth;
  /** Share of the last day's sessions that ran it: during a deploy, how many visitors are still on the old one. */
  adoption: number | undefined;
  /** Said to be fixed in it, and not seen since. */
  resolvedIssues: number;
  vitals: Readonly<Partial<Record<VitalName, Vital>>>;
  /** p75 now minus p75 of the release before; above zero is slower. */
  change: Readonly<Partial<Record<VitalName, number>>>;
  /** How many built files its stacks named, and how many of them have no source map; absent while none was named. */
  maps: ChunkCounts | undefined;
}

/** One release, with what takes more room than a line. */
export interface ReleaseDetails {
  release: ReleaseAnswer;
  /** The one before it. */
  before: string | undefined;
  chunks: readonly ChunkRecord[];
  commits: ReleaseCommits;
}

export type ReleaseCommits =
  /** Those that an earlier release did not have: the last one whose commits are known. */
  | { kind: "since"; release: string; commits: readonly Commit[] }
  /** The newest that were built; how many of them are new is not known. */
  | { kind: "newest"; commits: readonly Commit[] }
  | { kind: "unknown" };

// As many as fit on a screen with something to compare them with.
const shown = 50;
const healthDays = 30;
// A deploy was taken back and others report to the same project: the one to compare with may lie some way back.
const comparedWith = 20;
// Enough to recognise a build by.
const newestShown = 10;

/** Newest first, each compared with the one before. */
export async function releases(context: QueryContext, project: number): Promise<readonly ReleaseAnswer[]> {
  const [all, compare] = await Promise.all([context.store.releases(project), comparison(context, project)]);
  const records = all.slice(0, shown + 1);
  return Promise.all(records.slice(0, shown).map((record, index) => compare(record, records[index + 1])));
}

/** Newest first, without details. */
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

async function comparison({ store, now }: QueryContext, project: number): Promise<Compare> {
  const { from, to } = lastDays(healthDays, now);
  const [sessions, maps] = await Promise.all([store.sessions(project, from, to), store.chunkCounts(project)]);
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

/** Each build tells its newest commits; from where an earlier one had ended they are no news. */
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
