import { type ProtocolLimits, protocolLimits } from "../limits.ts";
import {
  booleanOf,
  countOf,
  isObject,
  type JsonObject,
  listOf,
  nonEmptyText,
  numberOf,
  objectOf,
  present,
  type Reading,
  timeOf,
} from "../loose-values.ts";

export type SessionStatus = "ok" | "exited" | "crashed" | "abnormal" | "unhandled" | "errored";

export interface SessionAttributes {
  readonly release?: string;
  readonly environment?: string;
}

/** One update of one visitor's session. */
export interface ReportedSession {
  readonly sessionId: string;
  /** Whether this is the first update of the session. */
  readonly init: boolean;
  readonly startedMs: number;
  readonly timestampMs?: number;
  readonly status: SessionStatus;
  readonly errors: number;
  readonly durationSeconds?: number;
  readonly userId?: string;
  readonly attributes: SessionAttributes;
}

/** Sessions of a server, counted per minute. */
export interface ReportedSessionCounts {
  readonly startedMs: number;
  readonly exited: number;
  readonly errored: number;
  readonly crashed: number;
  readonly abnormal: number;
  readonly unhandled: number;
  readonly attributes: SessionAttributes;
}

/** Reads the payload of a `session` item. */
export function readSession(value: unknown, limits: ProtocolLimits = protocolLimits): Reading<ReportedSession> {
  if (!isObject(value)) return { kind: "unreadable", why: "A session must be a JSON object." };
  const sessionId = nonEmptyText(value.sid, limits.shortText)?.replaceAll("-", "").toLowerCase();
  const startedMs = timeOf(value.started) ?? timeOf(value.timestamp);
  if (sessionId === undefined || startedMs === undefined)
    return { kind: "unreadable", why: "A session must have sid and started." };
  return {
    kind: "read",
    value: present({
      sessionId,
      init: booleanOf(value.init) ?? false,
      startedMs,
      timestampMs: timeOf(value.timestamp),
      status: statusOf(value.status),
      errors: countOf(value.errors) ?? 0,
      durationSeconds: numberOf(value.duration),
      userId: nonEmptyText(value.did, limits.shortText),
      attributes: sessionAttributesOf(value, limits),
    }),
  };
}

/** Reads the payload of a `sessions` item. */
export function readSessionCounts(
  value: unknown,
  limits: ProtocolLimits = protocolLimits,
): Reading<readonly ReportedSessionCounts[]> {
  if (!isObject(value)) return { kind: "unreadable", why: "Session counts must be a JSON object with aggregates." };
  const attributes = sessionAttributesOf(value, limits);
  const counts: ReportedSessionCounts[] = [];
  for (const entry of listOf(value.aggregates).slice(0, limits.itemsPerContainer)) {
    const aggregate = objectOf(entry);
    const startedMs = timeOf(aggregate.started);
    if (startedMs === undefined) continue;
    counts.push({
      startedMs,
      exited: countOf(aggregate.exited) ?? 0,
      errored: countOf(aggregate.errored) ?? 0,
      crashed: countOf(aggregate.crashed) ?? 0,
      abnormal: countOf(aggregate.abnormal) ?? 0,
      unhandled: countOf(aggregate.unhandled) ?? 0,
      attributes,
    });
  }
  return { kind: "read", value: counts };
}

function sessionAttributesOf(value: JsonObject, limits: ProtocolLimits): SessionAttributes {
  const attrs = objectOf(value.attrs);
  return present({
    release: nonEmptyText(attrs.release ?? value.release, limits.shortText),
    environment: nonEmptyText(attrs.environment ?? value.environment, limits.shortText),
  });
}

function statusOf(value: unknown): SessionStatus {
  switch (value) {
    case "exited":
    case "crashed":
    case "abnormal":
    case "unhandled":
    case "errored":
      return value;
    default:
      return "ok";
  }
}
