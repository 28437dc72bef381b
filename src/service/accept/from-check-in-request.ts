import {
  type Envelope,
  isObject,
  type JsonObject,
  jsonItem,
  type Reading,
  readCheckInStatus,
  readEventId,
  readJson,
} from "#protocol";
import type { AcceptLimits } from "./limits.ts";

/**
 * Reads a check-in from the URL of a request, which is how shell scripts send it. A posted body may add the schedule.
 */
export function fromCheckInRequest(
  monitor: string,
  query: URLSearchParams,
  body: Buffer,
  limits: AcceptLimits,
): Reading<Envelope> {
  const extra = readExtra(body, limits);
  if (extra.kind === "unreadable") return extra;
  const field = (name: string): unknown => query.get(name) ?? extra.value[name];
  const status = readCheckInStatus(field("status"));
  if (status === undefined) return { kind: "unreadable", why: "A check-in needs ?status=in_progress, ok or error." };
  const checkIn = {
    // Without an id, an end belongs to the last run that has not ended.
    check_in_id: readEventId(field("check_in_id")),
    monitor_slug: decodedName(monitor),
    status,
    duration: field("duration"),
    environment: field("environment"),
    release: field("release"),
    monitor_config: extra.value.monitor_config,
  };
  return { kind: "read", value: { header: {}, items: [jsonItem("check_in", checkIn)], skipped: [] } };
}

function readExtra(body: Buffer, limits: AcceptLimits): Reading<JsonObject> {
  if (body.length === 0) return { kind: "read", value: {} };
  const reading = readJson(body, limits.protocol);
  if (reading.kind === "unreadable") return reading;
  return isObject(reading.value)
    ? { kind: "read", value: reading.value }
    : { kind: "unreadable", why: "The body must be a JSON object." };
}

function decodedName(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // A stray percent sign is part of the name.
    return part;
  }
}
