import type { IssueState } from "../issues/issue-state.ts";
import { type SessionHealth, sessionHealth } from "../sessions/crash-free.ts";
import type { ReleaseRecord, StoreReader } from "../stores/store.ts";
import { readFilter } from "./filter-language.ts";
import { type Vital, type VitalName, vitalsOf } from "./pages.ts";
import { dayMs, lastDays } from "./period.ts";

export interface ReleaseAnswer extends ReleaseRecord {
  health: SessionHealth;
  /** Share of the last day's sessions that ran it: during a deploy, how many visitors are still on the old one. */
  adoption: number | undefined;
  regressedIssues: number;
  /** Said to be fixed in it, and not seen since. */
  resolvedIssues: number;
  vitals: Readonly<Partial<Record<VitalName, Vital>>>;
  /** p75 now minus p75 of the release before; above zero is slower. */
  change: Readonly<Partial<Record<VitalName, number>>>;
}

// As many as fit on a screen with something to compare them with.
const shown = 50;
const healthDays = 30;

/** Newest first, each compared with the one before. */
export function releases(store: StoreReader, project: number, now: number): readonly ReleaseAnswer[] {
  const records = store.releases(project).slice(0, shown + 1);
  const { from, to } = lastDays(healthDays, now);
  const sessions = store.sessions(project, from, to);
  const lastDay = sessions.filter(({ at }) => at >= now - dayMs);
  const startedLastDay = lastDay.reduce((sum, { started }) => sum + started, 0);
  const inState = (state: string) =>
    store.issues({ project, filter: readFilter(`is:${state}`), sort: "last-seen", limit: 500 }).issues;
  const [regressed, resolved] = [inState("regressed"), inState("resolved")];
  const vitals = records.map(({ name }) => vitalsOf(store.releaseMeasures(project, name)));
  return records.slice(0, shown).map((record, index) => {
    const own = ({ release }: { release: string | undefined }) => release === record.name;
    const started = lastDay.filter(own).reduce((sum, session) => sum + session.started, 0);
    return {
      ...record,
      health: sessionHealth(sessions.filter(own)),
      adoption: startedLastDay === 0 ? undefined : started / startedLastDay,
      regressedIssues: regressed.filter(({ state }) => state.kind === "regressed" && state.release === record.name)
        .length,
      resolvedIssues: resolved.filter(({ state }) => isFixedIn(state, record.name, records[index + 1]?.name)).length,
      vitals: vitals[index] ?? {},
      change: changeOf(vitals[index] ?? {}, vitals[index + 1] ?? {}),
    };
  });
}

function isFixedIn(state: IssueState, release: string, before: string | undefined): boolean {
  if (state.kind !== "resolved") return false;
  const { fixed } = state;
  return fixed.in === "release" ? fixed.release === release : fixed.in === "next-release" && fixed.after === before;
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
