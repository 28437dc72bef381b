import type { TraceParent } from "#protocol";
import type { WireSpan } from "../wire.ts";

export type SpanStatus = "ok" | "internal_error" | "not_found" | "cancelled" | "deadline_exceeded" | "unknown_error";

/** One span of a trace. Times are milliseconds since 1970, with fractions. */
export class Span {
  readonly parentId: string | undefined;
  readonly startMs: number;
  #spanId: string | undefined;
  op: string;
  name: string;
  endMs: number | undefined;
  status: SpanStatus = "ok";
  data: Readonly<Record<string, unknown>> = noData;
  /** Links to related traces. */
  links: TraceLink[] | undefined;

  constructor(parentId: string | undefined, op: string, name: string, startMs: number, spanId?: string) {
    this.#spanId = spanId;
    this.parentId = parentId;
    this.op = op;
    this.name = name;
    this.startMs = startMs;
  }

  /** Created on first use: most requests are neither traced nor fail. */
  get spanId(): string {
    this.#spanId ??= quickId(2);
    return this.#spanId;
  }
}

const noData: Readonly<Record<string, unknown>> = {};

export interface TraceLink {
  trace_id: string;
  span_id: string;
  sampled: boolean;
}

export interface SegmentStart {
  /** The trace that is continued, if there is one. */
  parent: TraceParent | undefined;
  /** Ids that were given out before the segment began. */
  ids?: { traceId: string; spanId?: string };
  sampled: boolean;
  sampleRate: number;
  op: string;
  name: string;
  startMs: number;
}

/**
 * The part of a trace that one side sees: a request on the server, a page or a navigation in the browser. Sent as one
 * transaction.
 */
export class TraceSegment {
  sampled: boolean;
  readonly sampleRate: number;
  readonly root: Span;
  #traceId: string | undefined;
  #spans: Span[] | undefined;
  readonly #atMost: number;
  /** Origin of its name; receivers decide by it whether the name has few values. */
  nameSource: "route" | "url" | "custom" | "task" = "url";
  measurements: Record<string, { value: number; unit: string }> | undefined;
  /** Number of spans over the limit. */
  left = 0;

  constructor(start: SegmentStart, spansAtMost: number) {
    this.#traceId = start.ids?.traceId ?? start.parent?.traceId;
    this.sampled = start.sampled;
    this.sampleRate = start.sampleRate;
    this.root = new Span(start.parent?.spanId, start.op, start.name, start.startMs, start.ids?.spanId);
    this.#atMost = spansAtMost;
  }

  get traceId(): string {
    this.#traceId ??= quickId(4);
    return this.#traceId;
  }

  /** A navigation that joins a prefetch continues its trace. */
  set traceId(id: string) {
    this.#traceId = id;
  }

  begin(parent: Span | undefined, op: string, name: string, startMs: number, spanId?: string): Span {
    const span = new Span(this.sampled ? (parent ?? this.root).spanId : undefined, op, name, startMs, spanId);
    if (!this.sampled) return span;
    this.#spans ??= [];
    if (this.#spans.length < this.#atMost) this.#spans.push(span);
    else this.left++;
    return span;
  }

  /** Returns the trace context for an outgoing request. */
  parentFor(span: Span | undefined): TraceParent {
    return { traceId: this.traceId, spanId: (span ?? this.root).spanId, sampled: this.sampled };
  }

  /** Spans that are still open end with the segment. */
  wireSpans(endMs: number): WireSpan[] {
    return (this.#spans ?? []).map((span) => ({
      span_id: span.spanId,
      parent_span_id: span.parentId,
      trace_id: this.traceId,
      op: span.op,
      description: span.name,
      start_timestamp: span.startMs / 1000,
      // A page may start a span after its navigation has ended.
      timestamp: Math.max(span.startMs, span.endMs ?? endMs) / 1000,
      status: span.endMs === undefined ? "cancelled" : span.status,
      origin: "auto.holdfast",
      // Without another copy of its op and origin, which would be a seventh of a trace.
      data: span.data === noData ? undefined : span.data,
    }));
  }
}

const hexOfByte: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/**
 * Creates an id of 32-bit words for spans, traces and transactions: they must be unique, not secret. Every request
 * creates several, and the secure source would be a tenth of the cost of tracing.
 */
export function quickId(words: number): string {
  let id = "";
  for (let word = 0; word < words; word++) {
    const bits = Math.floor(Math.random() * 0x1_0000_0000);
    id += `${hexOfByte[bits >>> 24]}${hexOfByte[(bits >>> 16) & 255]}${hexOfByte[(bits >>> 8) & 255]}${hexOfByte[bits & 255]}`;
  }
  return id;
}
