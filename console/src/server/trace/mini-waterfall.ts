import { consoleApi, type EventAnswer } from "holdfast/service";
import { type ShownRow, showRows } from "./show-trace.ts";
import { type TraceRow, traceRows } from "./trace-rows.ts";

export interface MiniWaterfall {
  spans: number;
  rows: readonly (ShownRow & { hasEvent: boolean })[];
}

// What fits a glance. The whole trace is a click away.
const mostRows = 12;

/** The trace around an event: its span, the ancestors of that, and the longest spans. Repeats are folded. */
export async function miniWaterfall({ event }: EventAnswer): Promise<MiniWaterfall | undefined> {
  if (event.traceId === undefined) return undefined;
  const trace = await consoleApi().trace(event.project, event.traceId);
  if (!trace || trace.lines.length === 0) return undefined;
  const own = event.body.kind === "whole" ? event.body.event.contexts.trace?.span_id : undefined;
  const rows = traceRows(trace, {
    filter: "",
    range: undefined,
    foldsRepeats: true,
    toggled: new Set(),
    chosen: undefined,
  });
  const axis = { fromMs: trace.startMs, lastsMs: trace.endMs - trace.startMs };
  const shown = showRows(trace, shortened(rows, own), axis);
  return { spans: trace.lines.length, rows: shown.map((row) => ({ ...row, hasEvent: row.id === own })) };
}

function shortened(rows: readonly TraceRow[], own: unknown): readonly TraceRow[] {
  const wanted = new Set(withParents(rows, own));
  for (const row of rows.toSorted((a, b) => tookMs(b) - tookMs(a))) {
    if (wanted.size >= mostRows) break;
    wanted.add(row);
  }
  return rows.filter((row) => wanted.has(row)).slice(0, mostRows);
}

function tookMs({ line, repeat }: TraceRow): number {
  return repeat?.coveredMs ?? line.durationMs;
}

/** Rows are in parents-first order, so the parent of a row is the nearest one before it with a smaller depth. */
function withParents(rows: readonly TraceRow[], own: unknown): TraceRow[] {
  const at = rows.findIndex(({ id }) => id === own);
  const found: TraceRow[] = [];
  let depth = Number.POSITIVE_INFINITY;
  for (const row of at < 0 ? [] : rows.slice(0, at + 1).reverse()) {
    if (row.depth >= depth) continue;
    found.push(row);
    depth = row.depth;
  }
  return found;
}
