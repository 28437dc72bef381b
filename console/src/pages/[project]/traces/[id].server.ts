import { load, notFound } from "holdfast/server";
import { consoleApi } from "holdfast/service";
import { scopeOf, wholeNumber } from "../../../server/scope.ts";
import { pairsOf } from "../../../server/show-event.ts";
import { keepWithParents, packLines } from "../../../server/trace-lines.ts";

/** More rows than a person reads. The filter finds the others. */
const mostLines = 10_000;
const mostPins = 200;

export const data = load("/[project]/traces/[id]", async ({ search, ...context }) => {
  const { project } = scopeOf(context);
  const trace = await consoleApi().trace(project.id, context.params.id.toLowerCase());
  if (!trace) notFound();
  const filter = (search.get("filter") ?? "").slice(0, 200);
  const lines = keepWithParents(trace.lines, filter).slice(0, mostLines);
  const chosen = search.get("span");
  const line = trace.lines.find(({ span }) => span.spanId === chosen);
  const zoom = search.get("zoom");
  const zoomed = trace.lines.find(({ span }) => span.spanId === zoom);
  return {
    traceId: trace.traceId,
    startMs: trace.startMs,
    durationMs: trace.endMs - trace.startMs,
    /** Range of the axis in milliseconds since the start: the whole trace, or the duration of one span. */
    axis: zoomed
      ? {
          fromMs: zoomed.span.startMs - trace.startMs,
          lastsMs: zoomed.durationMs,
          span: zoomed.span.spanId,
          name: zoomed.span.name,
        }
      : { fromMs: 0, lastsMs: trace.endMs - trace.startMs },
    filter,
    /** First row of the part that is shown without scripts. */
    from: wholeNumber(search.get("from") ?? undefined) ?? 0,
    spans: trace.lines.length,
    damaged: trace.damaged,
    lines: packLines(lines, trace.startMs),
    links: trace.links,
    errors: trace.errors
      .slice(0, mostPins)
      .map(({ eventId, at, level }) => ({ eventId, level, afterMs: at - trace.startMs })),
    logs: trace.logs
      .slice(0, mostPins)
      .map(({ at, level, body }) => ({ afterMs: Math.max(0, at - trace.startMs), level, body })),
    span: line && {
      id: line.span.spanId,
      name: line.span.name,
      durationMs: line.durationMs,
      selfMs: line.selfMs,
      afterMs: line.span.startMs - trace.startMs,
      isCritical: line.onCriticalPath,
      pairs: pairsOf({
        operation: line.span.op,
        status: line.span.status,
        origin: line.span.origin,
        "span id": line.span.spanId,
        parent: line.span.parentSpanId,
        ...line.span.attributes,
      }),
    },
  };
});
