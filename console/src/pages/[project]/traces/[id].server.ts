import { href } from "holdfast";
import { load, notFound } from "holdfast/server";
import { consoleApi } from "holdfast/service";
import { grouped, milliseconds } from "../../../parts/charts/numbers.ts";
import { scopeOf, wholeNumber } from "../../../server/scope.ts";
import type { AxisRange } from "../../../server/trace/place-bars.ts";
import { readIds, readRange } from "../../../server/trace/read-wanted.ts";
import { showRepeat, showSpan } from "../../../server/trace/show-chosen.ts";
import { eventTitle, showPins } from "../../../server/trace/show-pins.ts";
import { adviceFor, showRows, titleOf, waitsByKind } from "../../../server/trace/show-trace.ts";
import { traceMap } from "../../../server/trace/trace-map.ts";
import { idOf, type Trace, traceRows } from "../../../server/trace/trace-rows.ts";

/** About 340 kB of page data, and more rows than people read. Folding, the filter and the axis lead to the others. */
const mostRows = 2_000;
const mostPins = 200;

export const data = load("/[project]/traces/[id]", async ({ search, ...context }) => {
  const { project } = scopeOf(context);
  const trace = await consoleApi().trace(project.id, context.params.id.toLowerCase());
  if (!trace) notFound();
  const { lines, startMs, endMs } = trace;
  const durationMs = endMs - startMs;
  const filter = (search.get("filter") ?? "").slice(0, 200);
  const range = readRange(search.get("range"), durationMs);
  const axis = range ?? { fromMs: 0, lastsMs: durationMs };
  const clock = { fromMs: startMs + axis.fromMs, lastsMs: axis.lastsMs };
  const wanted = {
    filter,
    range: range && { fromMs: clock.fromMs, toMs: clock.fromMs + clock.lastsMs },
    toggled: readIds(search.get("toggled")),
    chosen: search.get("span") ?? undefined,
  };
  const foldsRepeats = search.get("rows") !== "all";
  const rows = traceRows(trace, { ...wanted, foldsRepeats });
  const advice = adviceFor(trace);
  return {
    traceId: trace.traceId,
    startMs,
    durationMs,
    title: titleOf(trace, advice),
    hasFailed: lines.some(({ isFailed }) => isFailed) || trace.errors.some(({ level }) => isError(level)),
    route: trace.segments[0]?.route,
    release: trace.segments.find(({ release }) => release !== undefined)?.release,
    environment: trace.segments[0]?.environment,
    axis: { ...axis, labels: quarterLabels(axis), frame: frameOf(axis, durationMs) },
    /** What the axis shows, if it is not the whole trace. */
    range: range && rangeText(range),
    leftOut: rows.length > mostRows ? leftOutText(rows.length) : undefined,
    filter,
    foldsRepeats,
    /** First row of the part that is shown without scripts. */
    from: wholeNumber(search.get("from") ?? undefined) ?? 0,
    /** The row that was folded or unfolded last. */
    at: search.get("at") ?? undefined,
    spans: lines.length,
    /** Rows of both ways to show the trace. */
    rowCounts: { folded: traceRows(trace, { ...wanted, foldsRepeats: true }).length, all: lines.length },
    damaged: trace.damaged,
    rows: showRows(trace, rows.slice(0, mostRows), clock),
    map: traceMap(trace),
    kinds: waitsByKind(lines),
    criticalMs: waitsByKind(lines).reduce((sum, { ms }) => sum + ms, 0),
    advice,
    links: trace.links,
    errors: trace.errors.slice(0, mostPins).map((event) => ({
      eventId: event.eventId,
      isError: isError(event.level),
      title: eventTitle(event, startMs),
    })),
    pins: showPins(trace, axis, (id) => href("/[project]/events/[id]", { project: project.id, id })).slice(0, mostPins),
    logs: trace.logs.slice(0, mostPins).map(({ at, level, body }) => ({
      afterMs: Math.max(0, at - startMs),
      level,
      body,
      fails: isError(level),
    })),
    chosen: chosenIn(trace, search.get("span")),
  };
});

function quarterLabels({ fromMs, lastsMs }: AxisRange): readonly string[] {
  return [0, 0.25, 0.5, 0.75, 1].map((share) => (fromMs + share === 0 ? "0" : milliseconds(fromMs + lastsMs * share)));
}

function frameOf({ fromMs, lastsMs }: AxisRange, wholeMs: number): readonly [left: number, width: number] {
  return wholeMs === 0 ? [0, 100] : [(fromMs / wholeMs) * 100, (lastsMs / wholeMs) * 100];
}

function rangeText({ fromMs, lastsMs }: AxisRange): string {
  return `The axis shows ${milliseconds(fromMs)} to ${milliseconds(fromMs + lastsMs)}, and only spans of that time.`;
}

function leftOutText(count: number): string {
  const shown = `${grouped(mostRows)} of ${grouped(count)} rows are shown`;
  return `${shown}: more would make the screen slow. A filter, folding, or a part of the axis leads to the others.`;
}

function isError(level: string): boolean {
  return level === "error" || level === "fatal";
}

function chosenIn(trace: Trace, id: string | null) {
  const repeat = trace.repeats.find((one) => idOf(trace.lines, one) === id);
  if (repeat) return showRepeat(trace, repeat);
  const line = trace.lines.find(({ span }) => span.spanId === id);
  return line && showSpan(trace, line);
}
