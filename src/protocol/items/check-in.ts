import { readEventId, readTraceId } from "../ids.ts";
import { type ProtocolLimits, protocolLimits } from "../limits.ts";
import { isObject, nonEmptyText, numberOf, objectOf, present, type Reading } from "../loose-values.ts";

export type CheckInStatus = "in_progress" | "ok" | "error";

/** A scheduled task's report that it started or how it ended. */
export interface ReportedCheckIn {
  readonly checkInId?: string;
  readonly monitor: string;
  readonly status: CheckInStatus;
  readonly durationSeconds?: number;
  readonly release?: string;
  readonly environment?: string;
  /** Schedule of the task, if the client sends it. */
  readonly plan?: MonitorPlan;
  readonly traceId?: string;
}

/** Schedule of a task, with its allowed delay and duration. */
export interface MonitorPlan {
  readonly schedule: MonitorSchedule;
  /** Allowed delay of the start. */
  readonly marginMs?: number;
  readonly maxRuntimeMs?: number;
  /** Failed runs in a row after which an issue is filed. */
  readonly failureThreshold?: number;
  /** Good runs in a row after which it is resolved. */
  readonly recoveryThreshold?: number;
}

export type MonitorSchedule =
  | { readonly kind: "interval"; readonly everyMs: number }
  /** Five crontab fields, in a time zone. */
  | { readonly kind: "crontab"; readonly expression: string; readonly timeZone?: string };

export function readCheckIn(value: unknown, limits: ProtocolLimits = protocolLimits): Reading<ReportedCheckIn> {
  if (!isObject(value)) return { kind: "unreadable", why: "A check-in must be a JSON object." };
  const monitor = nonEmptyText(value.monitor_slug, limits.shortText);
  const status = readCheckInStatus(value.status);
  if (monitor === undefined || status === undefined)
    return { kind: "unreadable", why: "A check-in must have monitor_slug and status." };
  return {
    kind: "read",
    value: present({
      checkInId: readEventId(value.check_in_id),
      monitor,
      status,
      durationSeconds: numberOf(value.duration),
      release: nonEmptyText(value.release, limits.shortText),
      environment: nonEmptyText(value.environment, limits.shortText),
      plan: planOf(value.monitor_config, limits),
      traceId: readTraceId(objectOf(objectOf(value.contexts).trace).trace_id),
    }),
  };
}

export function readCheckInStatus(value: unknown): CheckInStatus | undefined {
  return value === "in_progress" || value === "ok" || value === "error" ? value : undefined;
}

function planOf(value: unknown, limits: ProtocolLimits): MonitorPlan | undefined {
  if (!isObject(value)) return undefined;
  const schedule = scheduleOf(objectOf(value.schedule), nonEmptyText(value.timezone, limits.shortText), limits);
  if (schedule === undefined) return undefined;
  return present({
    schedule,
    marginMs: minutesOf(value.checkin_margin),
    maxRuntimeMs: minutesOf(value.max_runtime),
    failureThreshold: countOf(value.failure_issue_threshold),
    recoveryThreshold: countOf(value.recovery_threshold),
  });
}

function scheduleOf(
  { type, value, unit }: { readonly [key: string]: unknown },
  timeZone: string | undefined,
  limits: ProtocolLimits,
): MonitorSchedule | undefined {
  if (type === "crontab") {
    const expression = nonEmptyText(value, limits.shortText);
    return expression === undefined ? undefined : present({ kind: "crontab" as const, expression, timeZone });
  }
  const everyMs = (numberOf(value) ?? 0) * (unitsMs.get(unit) ?? 0);
  return type === "interval" && everyMs > 0 ? { kind: "interval", everyMs } : undefined;
}

/** Months and years at their longest, so that a task is reported late rather than too soon. */
const unitsMs: ReadonlyMap<unknown, number> = new Map([
  ["minute", 60_000],
  ["hour", 3_600_000],
  ["day", 86_400_000],
  ["week", 7 * 86_400_000],
  ["month", 31 * 86_400_000],
  ["year", 366 * 86_400_000],
]);

function countOf(value: unknown): number | undefined {
  const count = numberOf(value);
  return count !== undefined && Number.isInteger(count) && count >= 1 ? count : undefined;
}

function minutesOf(value: unknown): number | undefined {
  const minutes = numberOf(value);
  return minutes !== undefined && minutes >= 0 ? minutes * 60_000 : undefined;
}
