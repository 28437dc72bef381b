import { readSpanId, readTraceId } from "../ids.ts";
import { type ProtocolLimits, protocolLimits } from "../limits.ts";
import {
  booleanOf,
  isObject,
  type JsonObject,
  listOf,
  nonEmptyText,
  objectOf,
  present,
  type Reading,
  timeOf,
} from "../loose-values.ts";
import { type AttributeMap, readAttributes, textAttribute } from "./attributes.ts";

/** One span of a trace, from a span item, a transaction or OpenTelemetry. */
export interface ReportedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly op?: string;
  readonly origin?: string;
  readonly startMs: number;
  readonly endMs: number;
  /** Root of the work of one process for one trace: a page load, a request, a task. */
  readonly isSegment: boolean;
  /** `ok`, or the name of the error. */
  readonly status: string;
  readonly attributes: AttributeMap;
  readonly links: readonly SpanLink[];
}

export interface SpanLink {
  readonly traceId: string;
  readonly spanId: string;
  readonly attributes: AttributeMap;
}

/** Reads a `span` item: a container of spans (version 2), or a single span of older clients. */
export function readSpans(value: unknown, limits: ProtocolLimits = protocolLimits): Reading<readonly ReportedSpan[]> {
  if (!isObject(value)) return { kind: "unreadable", why: "Spans must be a JSON object with items." };
  const entries = Array.isArray(value.items) ? value.items.slice(0, limits.itemsPerContainer) : [value];
  const spans = entries
    .filter(isObject)
    .map((entry) => spanOf(entry, limits))
    .filter((span) => span !== undefined);
  if (spans.length === 0 && entries.length > 0)
    return { kind: "unreadable", why: "No span has a trace id, a span id and a start." };
  return { kind: "read", value: spans };
}

/** Reads one span in either form: `name` and `attributes` in the new one, `description`, `op` and `data` in the old. */
export function spanOf(
  value: JsonObject,
  limits: ProtocolLimits,
  inherited?: { traceId: string },
): ReportedSpan | undefined {
  const traceId = readTraceId(value.trace_id) ?? inherited?.traceId;
  const spanId = readSpanId(value.span_id);
  const startMs = timeOf(value.start_timestamp);
  if (traceId === undefined || spanId === undefined || startMs === undefined) return undefined;
  const attributes = readAttributes(value.attributes ?? value.data, limits.longText);
  const op = nonEmptyText(value.op, limits.shortText) ?? textAttribute(attributes, "sentry.op");
  const parentSpanId = readSpanId(value.parent_span_id);
  return present({
    traceId,
    spanId,
    parentSpanId,
    name: nonEmptyText(value.name ?? value.description, limits.longText) ?? op ?? "unnamed",
    op,
    origin: nonEmptyText(value.origin, limits.shortText) ?? textAttribute(attributes, "sentry.origin"),
    startMs,
    // A clock that was set back during the span would give it a negative length.
    endMs: Math.max(startMs, timeOf(value.end_timestamp ?? value.timestamp) ?? startMs),
    isSegment: booleanOf(value.is_segment) ?? (parentSpanId === undefined && inherited === undefined),
    status: nonEmptyText(value.status, limits.shortText) ?? "ok",
    attributes,
    links: linksOf(value.links, limits),
  });
}

export function linksOf(value: unknown, limits: ProtocolLimits): readonly SpanLink[] {
  const links: SpanLink[] = [];
  for (const entry of listOf(value).slice(0, limits.tags)) {
    const link = objectOf(entry);
    const traceId = readTraceId(link.trace_id);
    const spanId = readSpanId(link.span_id);
    if (traceId !== undefined && spanId !== undefined) {
      links.push({ traceId, spanId, attributes: readAttributes(link.attributes, limits.shortText) });
    }
  }
  return links;
}
