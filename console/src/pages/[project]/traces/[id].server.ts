import { load, notFound } from "holdfast/server";
import { openedDesk } from "holdfast/service";
import { scopeOf } from "../../../server/scope.ts";
import { pairsOf } from "../../../server/show-event.ts";

/** More lines than these nobody reads; the filter finds the others. */
const mostLines = 2_000;

export const data = load("/_holdfast/[project]/traces/[id]", ({ search, ...context }) => {
  const { project } = scopeOf(context);
  const trace = openedDesk().trace(project.id, context.params.id.toLowerCase());
  if (!trace) notFound();
  const filter = (search.get("filter") ?? "").slice(0, 200);
  const lines = keepWithParents(trace.lines, filter);
  const whole = Math.max(1, trace.endMs - trace.startMs);
  const chosen = search.get("span");
  const span = trace.lines.find((line) => line.span.spanId === chosen)?.span;
  return {
    traceId: trace.traceId,
    startMs: trace.startMs,
    durationMs: trace.endMs - trace.startMs,
    filter,
    spans: trace.lines.length,
    shown: Math.min(lines.length, mostLines),
    damaged: trace.damaged,
    lines: lines.slice(0, mostLines).map((line) => ({
      id: line.span.spanId,
      name: line.span.name,
      op: line.span.op,
      status: line.span.status,
      depth: line.depth,
      from: (line.span.startMs - trace.startMs) / whole,
      share: line.durationMs / whole,
      durationMs: line.durationMs,
      selfMs: line.selfMs,
      isCritical: line.onCriticalPath,
      isOrphan: line.isOrphan,
    })),
    errors: trace.errors.map(({ eventId, at }) => ({ eventId, at, from: (at - trace.startMs) / whole })),
    logs: trace.logs.slice(0, 200).map(({ at, level, body }) => ({ afterMs: at - trace.startMs, level, body })),
    span: span && {
      name: span.name,
      pairs: pairsOf({
        operation: span.op,
        status: span.status,
        origin: span.origin,
        "span id": span.spanId,
        parent: span.parentSpanId,
        ...span.attributes,
      }),
    },
  };
});

/** The lines that fit and all they hang on, so that the tree stays one. */
function keepWithParents<Line extends { depth: number; span: { name: string; op?: string } }>(
  lines: readonly Line[],
  filter: string,
): readonly Line[] {
  const word = filter.toLowerCase();
  if (word === "") return lines;
  const kept: Line[] = [];
  let wanted = -1;
  for (const line of lines.toReversed()) {
    const fits = `${line.span.op ?? ""} ${line.span.name}`.toLowerCase().includes(word);
    if (!fits && line.depth !== wanted) continue;
    kept.push(line);
    wanted = line.depth - 1;
  }
  return kept.reverse();
}
