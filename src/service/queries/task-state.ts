import type { MonitorSchedule } from "#protocol";
import { nextCronTime } from "../check-ins/cron.ts";
import type { MonitorRecord } from "../stores/records.ts";

/** State of a scheduled task. */
export type TaskState =
  | { readonly kind: "ended-well" | "failed" | "running" }
  /** It began, and has not reported its end within its time limit. */
  | { readonly kind: "no-end" }
  /** It should have started again. */
  | { readonly kind: "overdue"; readonly expectedAt: number };

export interface Task extends MonitorRecord {
  readonly state: TaskState;
}

/** Defaults of the official clients: 30 minutes for a run, a minute to start. */
const usualRuntimeMs = 30 * 60_000;
const usualMarginMs = 60_000;
/** A task that starts slightly before its minute counts for it. */
const tooSoonMs = 30_000;

/** Missing reports never count as success: neither a missing end nor a missing start. */
export function taskState({ lastStatus, lastAt, lastDurationMs = 0, plan }: MonitorRecord, now: number): TaskState {
  const isRunning = lastStatus === "in_progress";
  if (isRunning && now - lastAt > (plan?.maxRuntimeMs ?? usualRuntimeMs)) return { kind: "no-end" };
  const startedAt = isRunning ? lastAt : lastAt - lastDurationMs;
  const expectedAt = plan && nextRun(plan.schedule, startedAt);
  if (expectedAt !== undefined && now > expectedAt + (plan?.marginMs ?? usualMarginMs))
    return { kind: "overdue", expectedAt };
  return { kind: isRunning ? "running" : lastStatus === "ok" ? "ended-well" : "failed" };
}

function nextRun(schedule: MonitorSchedule, startedAt: number): number | undefined {
  return schedule.kind === "interval"
    ? startedAt + schedule.everyMs
    : nextCronTime(schedule.expression, schedule.timeZone, startedAt + tooSoonMs);
}
