import type { MonitorSchedule } from "#protocol";
import type { MonitorRecord } from "../stores/store.ts";
import { nextCronTime } from "./cron.ts";

/** How a task that runs by the clock is doing. */
export type TaskState =
  | { readonly kind: "ended-well" | "failed" | "running" }
  /** It began and has not said how it ended, for longer than it may take. */
  | { readonly kind: "no-end" }
  /** It should have begun again. */
  | { readonly kind: "overdue"; readonly expectedAt: number };

export interface Task extends MonitorRecord {
  readonly state: TaskState;
}

/** What the official clients take where nothing is said: half an hour for a run, a minute to begin. */
const usualRuntimeMs = 30 * 60_000;
const usualMarginMs = 60_000;
/** A task that begins a little before its minute has begun in it. */
const tooSoonMs = 30_000;

/** Nothing that a task does not say is taken for well: neither that it never ended, nor that it never came. */
export function taskState({ lastStatus, lastAt, lastDurationMs = 0, plan }: MonitorRecord, now: number): TaskState {
  const isRunning = lastStatus === "in_progress";
  if (isRunning && now - lastAt > (plan?.maxRuntimeMs ?? usualRuntimeMs)) return { kind: "no-end" };
  const begunAt = isRunning ? lastAt : lastAt - lastDurationMs;
  const expectedAt = plan && nextRun(plan.schedule, begunAt);
  if (expectedAt !== undefined && now > expectedAt + (plan?.marginMs ?? usualMarginMs))
    return { kind: "overdue", expectedAt };
  return { kind: isRunning ? "running" : lastStatus === "ok" ? "ended-well" : "failed" };
}

function nextRun(schedule: MonitorSchedule, begunAt: number): number | undefined {
  return schedule.kind === "interval"
    ? begunAt + schedule.everyMs
    : nextCronTime(schedule.expression, schedule.timeZone, begunAt + tooSoonMs);
}
