import { readSpanId, readTraceId } from "../ids.ts";
import { type ProtocolLimits, protocolLimits } from "../limits.ts";
import { isObject, nonEmptyText, numberOf, present, type Reading, textOf, timeOf } from "../loose-values.ts";
import { type AttributeMap, readAttributes } from "./attributes.ts";
import { readLevel } from "./level.ts";

export type LogLevel = "trace" | "debug" | "info" | "warn" | "error" | "fatal";

export interface ReportedLog {
  readonly timestampMs?: number;
  readonly level: LogLevel;
  readonly body: string;
  readonly severityNumber?: number;
  readonly traceId?: string;
  readonly spanId?: string;
  readonly attributes: AttributeMap;
}

/** Reads the payload of a `log` item: a container of lines, or a single line. */
export function readLogs(value: unknown, limits: ProtocolLimits = protocolLimits): Reading<readonly ReportedLog[]> {
  if (!isObject(value)) return { kind: "unreadable", why: "Logs must be a JSON object with items." };
  const entries = Array.isArray(value.items) ? value.items.slice(0, limits.itemsPerContainer) : [value];
  const logs: ReportedLog[] = entries.filter(isObject).map((entry) =>
    present({
      timestampMs: timeOf(entry.timestamp),
      level: logLevelOf(entry.level, numberOf(entry.severity_number)),
      body: textOf(isObject(entry.body) ? JSON.stringify(entry.body) : entry.body, limits.longText) ?? "",
      severityNumber: numberOf(entry.severity_number),
      traceId: readTraceId(entry.trace_id),
      spanId: readSpanId(entry.span_id) ?? readSpanId(nonEmptyText(entry.parent_span_id, limits.shortText)),
      attributes: readAttributes(entry.attributes, limits.longText),
    }),
  );
  return { kind: "read", value: logs };
}

function logLevelOf(value: unknown, severity: number | undefined): LogLevel {
  if (value === "trace") return "trace";
  const level = readLevel(value);
  if (level !== undefined) return level === "warning" ? "warn" : level;
  return levelOfSeverity(severity ?? 9);
}

/** OpenTelemetry's severity numbers: four steps for each of six levels, 1 to 24. */
function levelOfSeverity(severity: number): LogLevel {
  if (severity < 5) return "trace";
  if (severity < 9) return "debug";
  if (severity < 13) return "info";
  if (severity < 17) return "warn";
  return severity < 21 ? "error" : "fatal";
}
