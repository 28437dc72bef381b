import { readSpanId, readTraceId } from "../ids.ts";
import { type ProtocolLimits, protocolLimits } from "../limits.ts";
import { isObject, nonEmptyText, numberOf, present, type Reading, timeOf } from "../loose-values.ts";
import { type AttributeMap, readAttributes } from "./attributes.ts";

export interface ReportedMetric {
  readonly timestampMs?: number;
  readonly name: string;
  readonly type: "counter" | "gauge" | "distribution";
  readonly value: number;
  readonly unit?: string;
  readonly traceId?: string;
  readonly spanId?: string;
  readonly attributes: AttributeMap;
}

/** Reads the payload of a `trace_metric` item: a container of measured values. */
export function readMetrics(
  value: unknown,
  limits: ProtocolLimits = protocolLimits,
): Reading<readonly ReportedMetric[]> {
  if (!isObject(value)) return { kind: "unreadable", why: "Metrics must be a JSON object with items." };
  const entries = Array.isArray(value.items) ? value.items.slice(0, limits.itemsPerContainer) : [value];
  const metrics: ReportedMetric[] = [];
  for (const entry of entries.filter(isObject)) {
    const name = nonEmptyText(entry.name, limits.shortText);
    const number = numberOf(entry.value);
    if (name === undefined || number === undefined) continue;
    metrics.push(
      present({
        timestampMs: timeOf(entry.timestamp),
        name,
        type: typeOf(entry.type),
        value: number,
        unit: nonEmptyText(entry.unit, limits.shortText),
        traceId: readTraceId(entry.trace_id),
        spanId: readSpanId(entry.span_id),
        attributes: readAttributes(entry.attributes, limits.shortText),
      }),
    );
  }
  return { kind: "read", value: metrics };
}

function typeOf(value: unknown): ReportedMetric["type"] {
  return value === "gauge" || value === "distribution" ? value : "counter";
}
