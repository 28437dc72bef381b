import { type ProtocolLimits, protocolLimits } from "../limits.ts";
import { isObject, nonEmptyText, numberOf, objectOf, present, type Reading, textOf, timeOf } from "../loose-values.ts";
import { type AttributeMap, readAttributes } from "./attributes.ts";
import { eventOf, type ReportedEvent } from "./event.ts";
import { linksOf, type ReportedSpan, spanOf } from "./span.ts";

/** A page load, navigation or request with its spans, from clients that do not send spans one by one. */
export interface ReportedTransaction {
  /** Fields shared with events: id, release, environment, user, request, tags, contexts. */
  readonly event: ReportedEvent;
  readonly name: string;
  /** `route`, `url`, `custom` …: shows whether the name is equal for all visits of one page. */
  readonly nameSource?: string;
  /** The transaction itself as the root span. */
  readonly segment: ReportedSpan;
  /** Its children, up to the limit. */
  readonly spans: readonly ReportedSpan[];
  /** Number of spans before the limit. */
  readonly spanCount: number;
  /** `lcp`, `cls`, `inp`, `fcp`, `ttfb` and the client's own, in the client's unit. */
  readonly measurements: Readonly<Record<string, Measurement>>;
}

export interface Measurement {
  readonly value: number;
  readonly unit?: string;
}

export function readTransaction(value: unknown, limits: ProtocolLimits = protocolLimits): Reading<ReportedTransaction> {
  if (!isObject(value)) return { kind: "unreadable", why: "A transaction must be a JSON object." };
  const event = eventOf(value, limits);
  const { trace } = event;
  const startMs = timeOf(value.start_timestamp);
  if (trace?.spanId === undefined)
    return { kind: "unreadable", why: "A transaction must have contexts.trace with trace_id and span_id." };
  if (startMs === undefined || event.timestampMs === undefined) {
    return { kind: "unreadable", why: "A transaction must have start_timestamp and timestamp." };
  }
  const name = event.transaction ?? "unnamed";
  const spans = Array.isArray(value.spans) ? value.spans : [];
  const segment: ReportedSpan = present({
    traceId: trace.traceId,
    spanId: trace.spanId,
    parentSpanId: trace.parentSpanId,
    name,
    op: trace.op,
    origin: trace.origin,
    startMs,
    endMs: Math.max(startMs, event.timestampMs),
    isSegment: true,
    status: trace.status ?? "ok",
    attributes: readAttributes(trace.data, limits.longText),
    links: linksOf(event.contexts.trace?.links, limits),
  });
  return {
    kind: "read",
    value: present({
      event,
      name,
      nameSource: textOf(objectOf(value.transaction_info).source, limits.shortText),
      segment,
      spans: spans
        .slice(0, limits.spansPerTransaction)
        .filter(isObject)
        .map((span) => spanOf(span, limits, { traceId: trace.traceId }))
        .filter((span) => span !== undefined),
      spanCount: spans.length,
      measurements: measurementsOf(value.measurements, limits),
    }),
  };
}

/**
 * Reads vitals from span attributes of clients that send spans one by one: `browser.web_vital.lcp.value` and similar.
 */
export function vitalsOf(attributes: AttributeMap): Readonly<Record<string, Measurement>> {
  const vitals: [string, Measurement][] = [];
  for (const [name, value] of Object.entries(attributes)) {
    const vital = /^browser\.web_vital\.(\w+)\.value$/.exec(name)?.[1];
    if (vital !== undefined && typeof value === "number") vitals.push([vital, { value }]);
  }
  return Object.fromEntries(vitals);
}

function measurementsOf(value: unknown, limits: ProtocolLimits): Readonly<Record<string, Measurement>> {
  const measurements: [string, Measurement][] = [];
  for (const [name, entry] of Object.entries(objectOf(value)).slice(0, limits.tags)) {
    const number = numberOf(isObject(entry) ? entry.value : entry);
    if (number !== undefined)
      measurements.push([name, present({ value: number, unit: nonEmptyText(objectOf(entry).unit, limits.shortText) })]);
  }
  return Object.fromEntries(measurements);
}
