import { type ProtocolLimits, protocolLimits } from "../limits.ts";
import {
  isObject,
  type JsonObject,
  nonEmptyText,
  numberOf,
  objectOf,
  present,
  type Reading,
  textOf,
  timeOf,
} from "../loose-values.ts";
import { type AttributeMap, readAttributes } from "./attributes.ts";
import { eventOf, type ReportedEvent, type TraceContext, traceContextOf, userOf } from "./event.ts";
import { linksOf, type ReportedSpan, spanOf } from "./span.ts";

/** A transaction without its children. */
export interface TransactionRoot {
  /** Fields shared with events, as far as they identify release and visitor. */
  readonly event: Pick<ReportedEvent, "release" | "environment" | "user" | "contexts">;
  readonly name: string;
  /** The transaction itself as the root span. */
  readonly segment: ReportedSpan;
  /** `lcp`, `cls`, `inp`, `fcp`, `ttfb` and the client's own, in the client's unit. */
  readonly measurements: Readonly<Record<string, Measurement>>;
}

/** A page load, navigation or request with its spans, from clients that do not send spans one by one. */
export interface ReportedTransaction extends TransactionRoot {
  /** Fields shared with events: id, release, environment, user, request, tags, contexts. */
  readonly event: ReportedEvent;
  /** `route`, `url`, `custom` …: shows whether the name is equal for all visits of one page. */
  readonly nameSource?: string;
  /** Its children, up to the limit. */
  readonly spans: readonly ReportedSpan[];
  /** Number of spans before the limit. */
  readonly spanCount: number;
}

export interface Measurement {
  readonly value: number;
  readonly unit?: string;
}

export function readTransaction(value: unknown, limits: ProtocolLimits = protocolLimits): Reading<ReportedTransaction> {
  if (!isObject(value)) return notAnObject;
  const event = eventOf(value, limits);
  const root = rootOf(value, event, limits);
  if (root.kind === "unreadable") return root;
  const { traceId } = root.value.segment;
  const spans = Array.isArray(value.spans) ? value.spans : [];
  return {
    kind: "read",
    value: present({
      ...root.value,
      event,
      nameSource: textOf(objectOf(value.transaction_info).source, limits.shortText),
      spans: spans
        .slice(0, limits.spansPerTransaction)
        .filter(isObject)
        .map((span) => spanOf(span, limits, { traceId }))
        .filter((span) => span !== undefined),
      spanCount: spans.length,
    }),
  };
}

/** Reads the root alone: a quarter of the time of reading a transaction with three spans. */
export function readTransactionRoot(value: unknown, limits: ProtocolLimits = protocolLimits): Reading<TransactionRoot> {
  if (!isObject(value)) return notAnObject;
  const { trace, session } = objectOf(value.contexts);
  const facts = {
    timestampMs: timeOf(value.timestamp),
    transaction: nonEmptyText(value.transaction, limits.shortText),
    release: nonEmptyText(value.release, limits.shortText),
    environment: nonEmptyText(value.environment, limits.shortText),
    user: userOf(value.user, limits),
    contexts: { trace: objectOf(trace), session: objectOf(session) },
    trace: traceContextOf(trace, limits),
  };
  return rootOf(value, present(facts), limits);
}

const notAnObject = { kind: "unreadable", why: "A transaction must be a JSON object." } as const;

type RootFacts = TransactionRoot["event"] & Pick<ReportedEvent, "timestampMs" | "transaction" | "trace">;

function rootOf(value: JsonObject, event: RootFacts, limits: ProtocolLimits): Reading<TransactionRoot> {
  const { trace, timestampMs } = event;
  const startMs = timeOf(value.start_timestamp);
  if (trace?.spanId === undefined)
    return { kind: "unreadable", why: "A transaction must have contexts.trace with trace_id and span_id." };
  if (startMs === undefined || timestampMs === undefined) {
    return { kind: "unreadable", why: "A transaction must have start_timestamp and timestamp." };
  }
  const name = event.transaction ?? "unnamed";
  const links = linksOf(event.contexts.trace?.links, limits);
  const segment = segmentOf({ ...trace, spanId: trace.spanId }, { name, startMs, timestampMs, links }, limits);
  return { kind: "read", value: { event, name, segment, measurements: measurementsOf(value.measurements, limits) } };
}

function segmentOf(
  trace: TraceContext & { readonly spanId: string },
  { name, startMs, timestampMs, links }: Pick<ReportedSpan, "name" | "startMs" | "links"> & { timestampMs: number },
  limits: ProtocolLimits,
): ReportedSpan {
  return present({
    traceId: trace.traceId,
    spanId: trace.spanId,
    parentSpanId: trace.parentSpanId,
    name,
    op: trace.op,
    origin: trace.origin,
    startMs,
    endMs: Math.max(startMs, timestampMs),
    isSegment: true,
    status: trace.status ?? "ok",
    attributes: readAttributes(trace.data, limits.longText),
    links,
  });
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
