import { readEventId, readTraceId } from "./ids.ts";
import { type ProtocolLimits, protocolLimits } from "./limits.ts";
import { isObject, type JsonObject, nonEmptyText, numberOf, objectOf, present, type Reading } from "./loose-values.ts";

export type CheckInStatus = "in_progress" | "ok" | "error";

/** A task that runs by the clock tells that it began or how it ended. */
export interface ReportedCheckIn {
  readonly checkInId?: string;
  readonly monitor: string;
  readonly status: CheckInStatus;
  readonly durationSeconds?: number;
  readonly release?: string;
  readonly environment?: string;
  /** When the task should run, if the client says so. */
  readonly schedule?: JsonObject;
  readonly traceId?: string;
}

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
      schedule: isObject(value.monitor_config) ? value.monitor_config : undefined,
      traceId: readTraceId(objectOf(objectOf(value.contexts).trace).trace_id),
    }),
  };
}

export function readCheckInStatus(value: unknown): CheckInStatus | undefined {
  return value === "in_progress" || value === "ok" || value === "error" ? value : undefined;
}
