import type { LogLine } from "../stores/filed.ts";
import type { EventSummary, SegmentRecord, StoreReader } from "../stores/store.ts";
import { type AssembledTrace, assembleTrace } from "../traces/assemble-trace.ts";

export interface TraceAnswer extends AssembledTrace {
  traceId: string;
  segments: readonly SegmentRecord[];
  errors: readonly EventSummary[];
  logs: readonly LogLine[];
  /** Parts of it that could not be read any more. */
  damaged: number;
}

/** Everything of one trace, from the browser's click to the server's queries. */
export function traceById(store: StoreReader, project: number, traceId: string): TraceAnswer | undefined {
  const { spans, segments, events, logs, damaged } = store.trace(project, traceId);
  if (spans.length === 0 && events.length === 0 && logs.length === 0) return undefined;
  const assembled = assembleTrace(spans);
  // A trace may consist of an error alone: its client did not sample the spans.
  const moments = [...events.map(({ at }) => at), ...logs.map(({ at }) => at)];
  const startMs = Math.min(assembled.startMs, ...moments);
  const endMs = Math.max(assembled.endMs, ...moments);
  return { traceId, lines: assembled.lines, startMs, endMs, segments, errors: events, logs, damaged };
}
