import { consoleApi, type EventAnswer } from "holdfast/service";

export interface MiniWaterfall {
  durationMs: number;
  spans: number;
  /** Where the event lies on the axis, 0 to 1. */
  eventAt: number;
  lines: {
    id: string;
    name: string;
    op: string | undefined;
    depth: number;
    from: number;
    share: number;
    isCritical: boolean;
    hasEvent: boolean;
  }[];
}

// As much as one sees at a glance; the whole is a click away.
const mostLines = 12;

/** The trace around an event: the span it happened in, all above that, and the spans that took longest. */
export async function miniWaterfall({ event }: EventAnswer): Promise<MiniWaterfall | undefined> {
  if (event.traceId === undefined) return undefined;
  const trace = await consoleApi().trace(event.project, event.traceId);
  if (!trace || trace.lines.length === 0) return undefined;
  const whole = Math.max(1, trace.endMs - trace.startMs);
  const own = event.body.kind === "whole" ? event.body.event.contexts.trace?.span_id : undefined;
  const wanted = new Set(withParents(trace.lines, own));
  for (const line of trace.lines.toSorted((a, b) => b.durationMs - a.durationMs)) {
    if (wanted.size >= mostLines) break;
    wanted.add(line);
  }
  return {
    durationMs: trace.endMs - trace.startMs,
    spans: trace.lines.length,
    eventAt: (event.at - trace.startMs) / whole,
    lines: trace.lines
      .filter((line) => wanted.has(line))
      .slice(0, mostLines)
      .map(({ span, depth, durationMs, onCriticalPath }) => ({
        id: span.spanId,
        name: span.name,
        op: span.op,
        depth,
        from: (span.startMs - trace.startMs) / whole,
        share: durationMs / whole,
        isCritical: onCriticalPath,
        hasEvent: span.spanId === own,
      })),
  };
}

/** Lines come parents first, so that what is above a line is the nearest before it of each smaller depth. */
function withParents<Line extends { depth: number; span: { spanId: string } }>(
  lines: readonly Line[],
  spanId: unknown,
): Line[] {
  const at = lines.findIndex(({ span }) => span.spanId === spanId);
  const found: Line[] = [];
  let depth = Number.POSITIVE_INFINITY;
  for (const line of at < 0 ? [] : lines.slice(0, at + 1).reverse()) {
    if (line.depth >= depth) continue;
    found.push(line);
    depth = line.depth;
  }
  return found;
}
