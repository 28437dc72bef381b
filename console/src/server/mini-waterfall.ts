import { consoleApi, type EventAnswer } from "holdfast/service";

export interface MiniWaterfall {
  durationMs: number;
  spans: number;
  /** Position of the event on the axis, 0 to 1. */
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

// What fits a glance. The whole trace is a click away.
const mostLines = 12;

/** The trace around an event: its span, the ancestors of that, and the longest spans. */
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

/** Lines are in parents-first order, so the parent of a line is the nearest one before it with a smaller depth. */
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
