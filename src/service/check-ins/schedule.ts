import type { MonitorPlan, MonitorSchedule } from "#protocol";
import { nextCronTime } from "./cron.ts";

export type PlanTimes = Required<Omit<MonitorPlan, "schedule">>;

/** Defaults of the official clients: 30 minutes for a run, a minute to start. */
const usualPlan: PlanTimes = { maxRuntimeMs: 1_800_000, marginMs: 60_000, failureThreshold: 1, recoveryThreshold: 1 };

/** A task that starts slightly before its minute counts for it. */
export const tooSoonMs = 30_000;

/** The next due time after a moment. With an interval, after the start of a run or the last due time. */
export function nextDue(schedule: MonitorSchedule, after: number): number | undefined {
  return schedule.kind === "interval"
    ? after + schedule.everyMs
    : nextCronTime(schedule.expression, schedule.timeZone, after);
}

export function planWithDefaults(plan: MonitorPlan | undefined): PlanTimes {
  return {
    // Less than a minute would report every task that starts with its minute.
    marginMs: Math.max(plan?.marginMs ?? 0, usualPlan.marginMs),
    maxRuntimeMs: plan?.maxRuntimeMs || usualPlan.maxRuntimeMs,
    failureThreshold: plan?.failureThreshold ?? usualPlan.failureThreshold,
    recoveryThreshold: plan?.recoveryThreshold ?? usualPlan.recoveryThreshold,
  };
}
