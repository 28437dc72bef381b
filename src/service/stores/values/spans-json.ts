import { type ReportedSpan, readTransaction } from "#protocol";
import type { StoredJson } from "../filed.ts";

const decoder = new TextDecoder();

/** Stores spans whose transaction cannot be stored as sent. */
export function jsonOfSpans(spans: readonly ReportedSpan[]): StoredJson {
  return { form: "filed", bytes: Buffer.from(JSON.stringify(spans)) };
}

/** Parses stored spans of either form. */
export function spansOfJson({ form, bytes }: StoredJson): readonly ReportedSpan[] {
  const value: unknown = JSON.parse(decoder.decode(bytes));
  // Validated when it was filed. The checksum proves that it is unchanged.
  if (form === "filed") return value as readonly ReportedSpan[];
  const reading = readTransaction(value);
  return reading.kind === "read" ? [reading.value.segment, ...reading.value.spans] : [];
}

/** Spans of a trace. One that several envelopes contain is there once. */
export class TraceSpans {
  readonly #byId = new Map<string, ReportedSpan>();

  add(stored: StoredJson): void {
    for (const span of spansOfJson(stored)) if (!this.#byId.has(span.spanId)) this.#byId.set(span.spanId, span);
  }

  /** In order of time. */
  all(): ReportedSpan[] {
    return [...this.#byId.values()].sort((a, b) => a.startMs - b.startMs);
  }
}

/** Adds spans to those of their trace. */
export function addToTrace(traces: Map<string, TraceSpans>, traceId: string, stored: StoredJson): void {
  const spans = traces.get(traceId) ?? new TraceSpans();
  spans.add(stored);
  traces.set(traceId, spans);
}

export function spansByTrace(traces: ReadonlyMap<string, TraceSpans>): ReadonlyMap<string, readonly ReportedSpan[]> {
  return new Map([...traces].map(([traceId, spans]) => [traceId, spans.all()]));
}
