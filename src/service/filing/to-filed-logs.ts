import type { ReportedLog } from "#protocol";
import type { FiledLogs, RowKey } from "../stores/filed.ts";
import { type ClientTime, happenedAt } from "./client-time.ts";
import type { Scrubber } from "./scrub.ts";

export function toFiledLogs(
  logs: readonly ReportedLog[],
  row: RowKey,
  time: ClientTime,
  scrubber: Scrubber,
): FiledLogs {
  return {
    kind: "logs",
    ...row,
    receivedAt: Math.round(time.receivedAt),
    lines: logs.map(({ timestampMs, level, body, traceId, spanId, attributes }) => ({
      at: happenedAt(timestampMs, time),
      level,
      body: scrubber.text(body),
      ...(traceId === undefined ? {} : { traceId }),
      ...(spanId === undefined ? {} : { spanId }),
      attributes: scrubber.named(attributes),
    })),
  };
}
