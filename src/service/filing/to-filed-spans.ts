import { hash } from "node:crypto";
import {
  type Measurement,
  type ReportedSpan,
  type ReportedTransaction,
  readSpanId,
  type TransactionRoot,
  textAttribute,
  vitalsOf,
} from "#protocol";
import type { FiledMeasure, FiledSegment, FiledSpans, RowKey, SegmentKind, StoredJson } from "../stores/filed.ts";
import { countsOfSegment } from "../stores/values/page-counts.ts";
import { jsonOfSpans } from "../stores/values/spans-json.ts";
import { sessionOf, visitorHash, visitorOf } from "../stores/values/visitor-hash.ts";
import { type ClientTime, happenedAt } from "./client-time.ts";
import { routeName, routeOfSpan } from "./route-name.ts";

/** Converts a transaction: its root span, its children, and the page's vitals. */
export function spansOfTransaction(transaction: ReportedTransaction, row: RowKey, time: ClientTime): FiledSpans {
  return spansOfRoot(transaction, bodyOf([transaction.segment, ...transaction.spans], time), row, time);
}

/** Converts a transaction that is stored as reported. Its children are in the client's bytes and need not be parsed. */
export function spansOfUntouched(
  root: TransactionRoot,
  reported: Uint8Array,
  row: RowKey,
  time: ClientTime,
): FiledSpans {
  return spansOfRoot(root, { form: "reported", bytes: reported }, row, time);
}

function spansOfRoot(transaction: TransactionRoot, body: StoredJson, row: RowKey, time: ClientTime): FiledSpans {
  const { event, segment: root } = transaction;
  const route = textAttribute(root.attributes, "http.route") ?? transaction.name;
  const { release, environment } = event;
  const who = { visitor: visitorOf(event.user), session: sessionOf(event.contexts) };
  const segment = segmentOf(root, routeName(route), { release, environment, ...who }, time);
  return {
    kind: "spans",
    ...row,
    receivedAt: Math.round(time.receivedAt),
    traceId: root.traceId,
    key: keyOf([root]),
    at: segment.at,
    body,
    segments: [segment],
    measures: [...durationOf(root, segment), ...vitalMeasures(transaction.measurements, segment)],
    counts: countsOfSegment(root, segment.route, segment.at),
  };
}

/**
 * Converts spans that arrived one by one. An envelope usually contains those of one trace, but this is not guaranteed.
 */
export function spansOfContainer(
  spans: readonly ReportedSpan[],
  nextRow: () => RowKey,
  time: ClientTime,
): FiledSpans[] {
  const byTrace = Map.groupBy(spans, ({ traceId }) => traceId);
  return [...byTrace].map(([traceId, ofTrace]) => {
    const segments = ofTrace.filter(({ isSegment }) => isSegment);
    const filed = segments.map((span) => segmentOf(span, routeOfSpan(span), factsOf(span), time));
    return {
      kind: "spans",
      ...nextRow(),
      receivedAt: Math.round(time.receivedAt),
      traceId,
      key: keyOf(ofTrace),
      at: happenedAt(ofTrace[0]?.startMs, time),
      body: bodyOf(ofTrace, time),
      segments: filed,
      measures: [
        ...segments.flatMap((span, index) => (filed[index] ? durationOf(span, filed[index]) : [])),
        ...ofTrace.flatMap((span) => lateVitals(span, time)),
      ],
      counts: segments.flatMap((span) => countsOfSegment(span, routeOfSpan(span), happenedAt(span.startMs, time))),
    };
  });
}

function lateVitals(span: ReportedSpan, time: ClientTime): FiledMeasure[] {
  const segmentId = readSpanId(span.attributes["sentry.segment.id"]);
  const context = { route: routeOfSpan(span), at: happenedAt(span.startMs, time), release: factsOf(span).release };
  const measures = vitalMeasures(vitalsOf(span.attributes), context);
  return segmentId === undefined || segmentId === span.spanId
    ? measures
    : measures.map((measure) => ({ ...measure, segmentId }));
}

interface SpanFacts {
  release: string | undefined;
  environment: string | undefined;
  visitor: number | undefined;
  session: number | undefined;
}

function factsOf({ attributes }: ReportedSpan): SpanFacts {
  const user = textAttribute(attributes, "user.id") ?? textAttribute(attributes, "user.email");
  return {
    release: textAttribute(attributes, "sentry.release") ?? textAttribute(attributes, "service.version"),
    environment:
      textAttribute(attributes, "sentry.environment") ?? textAttribute(attributes, "deployment.environment.name"),
    visitor: user === undefined ? undefined : visitorHash(user),
    session: sessionOf({ session: { id: textAttribute(attributes, "session.id") } }),
  };
}

function segmentOf(span: ReportedSpan, route: string, facts: SpanFacts, time: ClientTime): FiledSegment {
  return {
    spanId: span.spanId,
    route,
    op: kindOf(span),
    at: happenedAt(span.startMs, time),
    durationMs: span.endMs - span.startMs,
    status: span.status,
    ...facts,
  };
}

function kindOf({ op, attributes }: ReportedSpan): SegmentKind {
  if (op === "pageload" || op === "navigation") return op;
  const isRequest = (op !== undefined && answering.test(op)) || attributes["http.route"] !== undefined;
  return isRequest ? "request" : "task";
}

/** Operations of a server request in clients of different languages and years. */
const answering = /^(?:http|g?rpc|websocket)\.server|^(?:rails|rack)\.request$/;

/** Interactions and prefetches are separate segments. No visitor waits for them. */
function durationOf(span: ReportedSpan, { route, op, at, durationMs, release }: FiledSegment): FiledMeasure[] {
  return span.op?.startsWith("ui.") === true || span.op === "prefetch"
    ? []
    : [{ route, measure: op, at, value: durationMs, release }];
}

const vitalNames = new Set(["lcp", "cls", "inp", "fcp", "ttfb", "fp"]);

function vitalMeasures(
  measured: Readonly<Record<string, Measurement>>,
  { route, at, release }: { route: string; at: number; release: string | undefined },
): FiledMeasure[] {
  return Object.entries(measured)
    .filter(([name]) => vitalNames.has(name))
    .map(([measure, { value, unit }]) => ({
      route,
      measure,
      at,
      value: unit === "second" ? value * 1_000 : value,
      release,
    }));
}

function bodyOf(spans: readonly ReportedSpan[], time: ClientTime): StoredJson {
  return jsonOfSpans(spans.map((span) => corrected(span, time)));
}

/** Converts to the service's clock, so that browser and server share one axis. */
function corrected(span: ReportedSpan, { correction }: ClientTime): ReportedSpan {
  return correction === 0 ? span : { ...span, startMs: span.startMs + correction, endMs: span.endMs + correction };
}

/** A key of 48 bits. The same for a second delivery of the same spans. */
function keyOf(spans: readonly ReportedSpan[]): number {
  const ids = spans.map(({ spanId }) => spanId).join("");
  return Number.parseInt(hash("sha1", ids).slice(0, 12), 16);
}
