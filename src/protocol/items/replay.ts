import { readEventId } from "../ids.ts";
import { type ProtocolLimits, protocolLimits } from "../limits.ts";
import { countOf, isObject, listOf, nonEmptyText, present, type Reading, timeOf } from "../loose-values.ts";

/** One segment of a recorded visit. The recording itself follows in its own item as bytes. */
export interface ReportedReplay {
  readonly replayId: string;
  readonly segment: number;
  readonly timestampMs?: number;
  readonly urls: readonly string[];
  readonly errorIds: readonly string[];
  readonly traceIds: readonly string[];
}

export function readReplay(value: unknown, limits: ProtocolLimits = protocolLimits): Reading<ReportedReplay> {
  if (!isObject(value)) return { kind: "unreadable", why: "A replay event must be a JSON object." };
  const replayId = readEventId(value.replay_id ?? value.event_id);
  if (replayId === undefined) return { kind: "unreadable", why: "A replay event must have replay_id." };
  const ids = (list: unknown): string[] =>
    listOf(list)
      .slice(0, limits.tags)
      .map(readEventId)
      .filter((id) => id !== undefined);
  return {
    kind: "read",
    value: present({
      replayId,
      segment: countOf(value.segment_id) ?? 0,
      timestampMs: timeOf(value.timestamp),
      urls: listOf(value.urls)
        .slice(0, limits.tags)
        .map((url) => nonEmptyText(url, limits.longText))
        .filter((url) => url !== undefined),
      errorIds: ids(value.error_ids),
      traceIds: ids(value.trace_ids),
    }),
  };
}
