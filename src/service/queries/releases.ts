import { type SessionHealth, sessionHealth } from "../sessions/crash-free.ts";
import type { ChunkCounts, ChunkRecord, Commit, ReleaseRecord, SessionRecord, StoreReader } from "../stores/store.ts";
import { type Vital, type VitalName, vitalsOf } from "./pages.ts";
import { dayMs, lastDays } from "./period.ts";

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
  /** Those that the release before did not have. */
  | { kind: "since-before"; commits: readonly Commit[] }
  /** The newest; how far back the release before lies is not known. */
  | { kind: "newest"; commits: readonly Commit[] }
  | { kind: "unknown" };

// As many as fit on a screen with something to compare them with.
const shown = 50;
const healthDays = 30;

/** Newest first, each compared with the one before. */
export function releases(store: StoreReader, project: number, now: number): readonly ReleaseAnswer[] {
  const records = store.releases(project).slice(0, shown + 1);
  const compare = comparison(store, project, now);
  return records.slice(0, shown).map((record, index) => compare(record, records[index + 1]));
}

export function releaseByName(
  store: StoreReader,
  project: number,
  name: string,
  now: number,
): ReleaseDetails | undefined {
  const records = store.releases(project);
  const index = records.findIndex((record) => record.name === name);
  const [record, before] = [records[index], records[index + 1]];
  if (record === undefined) return undefined;
  return {
    release: comparison(store, project, now)(record, before),
    before: before?.name,
    chunks: store.releaseChunks(project, name),
    commits: commitsSince(store.commits(project, name), before && store.commits(project, before.name)),
  };
}

function comparison(
  store: StoreReader,
  project: number,
  now: number,
): (record: ReleaseRecord, before: ReleaseRecord | undefined) => ReleaseAnswer {
  const { from, to } = lastDays(healthDays, now);
  const sessions = store.sessions(project, from, to);
  const lastDay = sessions.filter(({ at }) => at >= now - dayMs);
  const startedLastDay = startedIn(lastDay);
  const maps = store.chunkCounts(project);
  const known = new Map<string, Partial<Record<VitalName, Vital>>>();
  const vitalsIn = (name: string) => {
    const vitals = known.get(name) ?? vitalsOf(store.releaseMeasures(project, name));
    known.set(name, vitals);
    return vitals;
  };
  return ({ resolvedIn, resolvedAfter: _, ...record }, before) => {
    const own = ({ release }: SessionRecord) => release === record.name;
    const vitals = vitalsIn(record.name);
    return {
      ...record,
      health: sessionHealth(sessions.filter(own)),
      adoption: startedLastDay === 0 ? undefined : startedIn(lastDay.filter(own)) / startedLastDay,
      resolvedIssues: resolvedIn + (before?.resolvedAfter ?? 0),
      vitals,
      change: changeOf(vitals, before ? vitalsIn(before.name) : {}),
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

/** Each build tells its newest commits; those that the one before had ended with are no longer news. */
function commitsSince(own: readonly Commit[], before: readonly Commit[] | undefined): ReleaseCommits {
  if (own.length === 0) return { kind: "unknown" };
  const head = before?.[0]?.hash;
  const end = head === undefined ? -1 : own.findIndex(({ hash }) => hash === head);
  return end === -1 ? { kind: "newest", commits: own } : { kind: "since-before", commits: own.slice(0, end) };
}
