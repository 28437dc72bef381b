import { type Clock, dayMs } from "../clock.ts";
import type { MonitorRecord } from "../stores/records.ts";
import type { Store } from "../stores/store.ts";
import { type Judgement, judgeMonitor, type RunProblem } from "./judge-monitor.ts";
import type { CheckInLimits } from "./limits.ts";
import { blindEnvelope, problemEnvelope, problemId } from "./problem-envelope.ts";
import { planWithDefaults } from "./schedule.ts";
import { type OpenProblem, watchOf } from "./watch-state.ts";

export interface CheckInWatchDeps {
  readonly store: Pick<
    Store,
    | "monitors"
    | "changeMonitor"
    | "watchedAt"
    | "setWatchedAt"
    | "lease"
    | "event"
    | "issue"
    | "change"
    | "appliedUpTo"
    | "countedUpTo"
  >;
  /** Runs work that uses the store, when it is its turn. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Accepts an envelope for a project. Resolves when it survives, and rejects if it is refused. */
  report(project: number, envelope: Uint8Array): Promise<void>;
  /** Whether everything that was accepted is filed. */
  hasFiledAll(): boolean;
  readonly clock: Clock;
  readonly limits: CheckInLimits;
}

interface Judged extends Judgement {
  readonly monitor: MonitorRecord;
}

interface Turn {
  readonly now: number;
  readonly watchedAt: number | undefined;
  readonly judged: readonly Judged[];
}

/** In the history of an issue, for what no person did. */
export const byNextRun = "check-ins";

/**
 * Evaluates the check-ins of all projects: problems become events, and issues are resolved after a good run. One
 * process of a store does it at a time. The reports come first and the findings are saved last. Both can be repeated,
 * because a problem always has the same event.
 */
export async function watchCheckIns(deps: CheckInWatchDeps): Promise<void> {
  if (!deps.hasFiledAll() || !(await deps.store.lease("check-ins", deps.limits.leaseMs))) return;
  const turn = await deps.inTurn(() => judgeAll(deps));
  if (turn === undefined) return;
  await reportProblems(deps, turn);
  await deps.inTurn(() => saveFindings(deps, turn));
}

async function judgeAll({ store, clock, limits }: CheckInWatchDeps): Promise<Turn | undefined> {
  // What was received until now is evaluated a little later, when every process has filed it.
  const now = clock.now() - limits.graceMs;
  if ((await store.countedUpTo()) < (await store.appliedUpTo())) return undefined;
  const monitors = await store.monitors(undefined);
  // A service without tasks writes nothing.
  if (monitors.length === 0) return undefined;
  const watchedAt = await store.watchedAt();
  const judged = monitors.map((monitor) => {
    const { marginMs } = planWithDefaults(monitor.plan);
    // Tasks of a time without evaluation were not expected by anyone. A new task is not older than its first check-in.
    const pause = monitor.watch === undefined ? 0 : now - (watchedAt ?? 0);
    const isBlind = watchedAt === undefined || pause > Math.max(marginMs, limits.pauseMs);
    const blindSince = isBlind ? (watchedAt ?? 0) : undefined;
    const time = { now, blindSince, idOf: (problem: RunProblem) => problemId(monitor, problem) };
    return { monitor, ...judgeMonitor(monitor, watchOf(monitor), time) };
  });
  return { now, watchedAt, judged };
}

async function reportProblems({ report }: CheckInWatchDeps, { now, watchedAt, judged }: Turn): Promise<void> {
  for (const { monitor, problems } of judged) {
    const { schedule } = monitor.plan ?? {};
    const timeZone = schedule?.kind === "crontab" ? schedule.timeZone : undefined;
    for (const problem of problems) await report(monitor.project, problemEnvelope(monitor, problem, timeZone));
  }
  if (watchedAt === undefined) return;
  const blind = new Map<number, number>();
  for (const { wasBlind, monitor } of judged)
    if (wasBlind && !monitor.isMuted) blind.set(monitor.project, (blind.get(monitor.project) ?? 0) + 1);
  for (const [project, monitors] of blind)
    await report(project, blindEnvelope(project, { from: watchedAt, to: now, monitors }));
}

async function saveFindings(deps: CheckInWatchDeps, { now, judged }: Turn): Promise<void> {
  const { store } = deps;
  for (const { monitor, watch } of judged) {
    const problems: OpenProblem[] = [];
    for (const problem of watch.problems) if (!(await isSettled(deps, monitor, problem, now))) problems.push(problem);
    const text = JSON.stringify({ ...watch, problems });
    if (text !== monitor.watch) await store.changeMonitor({ ...nameOf(monitor), kind: "watched", watch: text });
  }
  await store.setWatchedAt(now);
}

/** Resolves the issue of a problem that is over. Its event may not be counted yet; then the next turn tries again. */
async function isSettled(
  { store }: CheckInWatchDeps,
  { project }: MonitorRecord,
  { eventId, resolvedAt }: OpenProblem,
  now: number,
): Promise<boolean> {
  if (resolvedAt === undefined) return false;
  const event = await store.event(project, eventId);
  const issue = event && (await store.issue(project, { id: event.issue }));
  // Retention may have deleted it.
  if (issue === undefined) return now - resolvedAt > dayMs;
  const { kind } = issue.state;
  if (kind === "open" || kind === "regressed")
    await store.change({
      project,
      issues: [issue.mergedInto ?? issue.id],
      change: { kind: "resolve", in: "now" },
      by: byNextRun,
      at: resolvedAt,
    });
  return true;
}

function nameOf({
  project,
  name,
  environment,
}: MonitorRecord): Pick<MonitorRecord, "project" | "name" | "environment"> {
  return { project, name, environment };
}
