import { describeSchedule } from "../check-ins/describe-schedule.ts";
import { nextDue } from "../check-ins/schedule.ts";
import { type MonitorWatch, type ProblemKind, watchOf } from "../check-ins/watch-state.ts";
import type { MonitorRecord, MonitorRun } from "../stores/records.ts";
import type { QueryContext } from "./query-context.ts";
import { type TaskState, taskState } from "./task-state.ts";

export interface ShownRun {
  readonly kind: "ok" | "late" | "failed" | "too-long" | "missed" | "running";
  /** Its start, or when it was due. */
  readonly at: number;
  readonly durationMs: number | undefined;
}

export interface ScheduledTaskAnswer {
  readonly name: string;
  readonly environment: string | undefined;
  /** In words. Undefined if its check-ins do not say it. */
  readonly schedule: string | undefined;
  readonly nextDueAt: number | undefined;
  readonly state: TaskState;
  readonly lastAt: number;
  readonly ok: number;
  readonly failed: number;
  readonly isMuted: boolean;
  /** Newest last. */
  readonly runs: readonly ShownRun[];
  /** Problems whose issues are open. */
  readonly problems: readonly ProblemKind[];
}

const runsShown = 30;

/** The tasks of a project with their last runs. */
export async function scheduledTasks(
  { store, now }: QueryContext,
  project: number,
): Promise<readonly ScheduledTaskAnswer[]> {
  return (await store.monitors(project)).map((monitor) => taskOf(monitor, now));
}

function taskOf(monitor: MonitorRecord, now: number): ScheduledTaskAnswer {
  const { name, environment, lastAt, ok, failed, isMuted, plan } = monitor;
  const watch = watchOf(monitor);
  return {
    name,
    environment,
    lastAt,
    ok,
    failed,
    isMuted,
    schedule: plan && describeSchedule(plan.schedule),
    nextDueAt: nextTime(monitor, now),
    state: taskState(monitor, now),
    runs: shownRuns(monitor, watch).slice(-runsShown),
    problems: watch.problems.filter(({ resolvedAt }) => resolvedAt === undefined).map(({ kind }) => kind),
  };
}

function nextTime({ plan, runs, lastAt }: MonitorRecord, now: number): number | undefined {
  if (plan === undefined) return undefined;
  if (plan.schedule.kind === "crontab") return nextDue(plan.schedule, now);
  return nextDue(plan.schedule, Math.max(...runs.map(({ startedAt }) => startedAt), runs.length === 0 ? lastAt : 0));
}

function shownRuns({ runs }: MonitorRecord, watch: MonitorWatch): ShownRun[] {
  const missed = watch.missed.map((at): ShownRun => ({ kind: "missed", at, durationMs: undefined }));
  const shown = runs.map(
    (run): ShownRun => ({
      kind: kindOf(run, watch),
      at: run.startedAt,
      durationMs: run.durationMs,
    }),
  );
  // Missed times before the first listed run have no neighbours to compare with.
  const from = runs.length < runsShown ? 0 : (runs[0]?.startedAt ?? 0);
  return [...shown, ...missed.filter(({ at }) => at >= from)].sort((left, right) => left.at - right.at);
}

function kindOf({ status, startedAt }: MonitorRun, { late, tooLong }: MonitorWatch): ShownRun["kind"] {
  if (status === "error") return "failed";
  if (tooLong.includes(startedAt)) return "too-long";
  if (status === "in_progress") return "running";
  return late.includes(startedAt) ? "late" : "ok";
}
