import type { ReportedLog } from "#protocol";
import type { FiledLogs, LogLine, RowKey } from "../stores/filed.ts";
import { longestBlockMs } from "../stores/log-pages.ts";
import { type ClientTime, happenedAt } from "./client-time.ts";
import type { Scrubber } from "./scrub.ts";

/** Usually one block. A client that was offline sends lines of a long time, which become several. */
export function toFiledLogs(
  logs: readonly ReportedLog[],
  nextRow: () => RowKey,
  time: ClientTime,
  scrubber: Scrubber,
): FiledLogs[] {
  const lines = logs.map(({ timestampMs, level, body, traceId, spanId, attributes }) => ({
    at: happenedAt(timestampMs, time),
    level,
    body: scrubber.text(body),
    ...(traceId === undefined ? {} : { traceId }),
    ...(spanId === undefined ? {} : { spanId }),
    attributes: scrubber.named(attributes),
  }));
  const receivedAt = Math.round(time.receivedAt);
  return blocksOf(lines).map((block) => ({ kind: "logs", ...nextRow(), receivedAt, lines: block }));
}

function blocksOf(lines: readonly LogLine[]): readonly (readonly LogLine[])[] {
  const blocks: LogLine[][] = [];
  let first = Number.NEGATIVE_INFINITY;
  for (const line of lines.toSorted((a, b) => a.at - b.at)) {
    if (line.at - first > longestBlockMs) {
      blocks.push([]);
      first = line.at;
    }
    blocks.at(-1)?.push(line);
  }
  return blocks;
}
