import type { TraceParent } from "#protocol";
import type { WireSpan } from "../wire.ts";

export type SpanStatus = "ok" | "internal_error" | "not_found" | "cancelled" | "deadline_exceeded" | "unknown_error";

/** One step of a trace. Times are milliseconds since 1970, with fractions. */
export class Span {
  readonly parentId: string | undefined;
  readonly startMs: number;
  #spanId: string | undefined;
  op: string;
  name: string;
  endMs: number | undefined;
  status: SpanStatus = "ok";
  data: Readonly<Record<string, unknown>> = noData;
  /** Other traces that had a part in it. */
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
  own?: { traceId: string; spanId?: string };
  sampled: boolean;
  sampleRate: number;
  op: string;
  name: string;
  startMs: number;
}

/**
 * The part of a trace that one side sees: a request on the server, a page or a navigation in the browser. Goes out as
 * one transaction.
 */
export class TraceSegment {
  sampled: boolean;
  readonly sampleRate: number;
  readonly root: Span;
  #traceId: string | undefined;
  #spans: Span[] | undefined;
  readonly #atMost: number;
  /** How its name was found; receivers judge by it whether the name is one of few. */
  nameSource: "route" | "url" | "custom" = "url";
  measurements: Record<string, { value: number; unit: string }> | undefined;
  /** Spans beyond the bound. */
  left = 0;

  constructor(start: SegmentStart, spansAtMost: number) {
    this.#traceId = start.own?.traceId ?? start.parent?.traceId;
    this.sampled = start.sampled;
    this.sampleRate = start.sampleRate;
    this.root = new Span(start.parent?.spanId, start.op, start.name, start.startMs, start.own?.spanId);
    this.#atMost = spansAtMost;
  }

  get traceId(): string {
    this.#traceId ??= quickId(4);
    return this.#traceId;
  }

  /** A navigation that joins a prefetch goes on with the trace of that. */
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

  /** What a request to elsewhere says about the trace. */
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
      // A page may begin something after the navigation that brought it has ended.
      timestamp: Math.max(span.startMs, span.endMs ?? endMs) / 1000,
      status: span.endMs === undefined ? "cancelled" : span.status,
      origin: "auto.holdfast",
      data: { "sentry.op": span.op, "sentry.origin": "auto.holdfast", ...span.data },
    }));
  }
}

const hexOfByte: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/**
 * An id of so many words of 32 bits, for spans, traces and transactions: they must differ, not be secret. Every request
 * makes several, and the secure source would be a tenth of what tracing costs.
 */
export function quickId(words: number): string {
  let id = "";
  for (let word = 0; word < words; word++) {
    const bits = Math.floor(Math.random() * 0x1_0000_0000);
    id += `${hexOfByte[bits >>> 24]}${hexOfByte[(bits >>> 16) & 255]}${hexOfByte[(bits >>> 8) & 255]}${hexOfByte[bits & 255]}`;
  }
  return id;
}
