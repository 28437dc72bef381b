import type { ReportedLog } from "#protocol";
import { type ClientTime, happenedAt } from "../filing/client-time.ts";
import type { Scrubber } from "../filing/scrub.ts";
import type { FiledLogs } from "../stores/filed.ts";

export function toFiledLogs(
  logs: readonly ReportedLog[],
  place: { rowId: number; project: number },
  time: ClientTime,
  scrubber: Scrubber,
): FiledLogs {
  return {
    kind: "logs",
    ...place,
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
