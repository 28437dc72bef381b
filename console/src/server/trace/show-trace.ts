import { grouped, milliseconds } from "../../parts/charts/numbers.ts";
import { type AxisRange, type Bars, type Period, placeBars } from "./place-bars.ts";
import { idOf, type RepeatedSpans, type Trace, type TraceLine, type TraceRow } from "./trace-rows.ts";

/** A row of the waterfall for the browser. Absent fields are empty. */
export interface ShownRow {
  id: string;
  name: string;
  op?: string;
  kind: TraceLine["kind"];
  depth: number;
  fold: TraceRow["fold"];
  tookMs: number;
  selfMs: number;
  bars: Bars;
  /** Where the trace waited for it, or for what is folded into it. */
  waits: Bars;
  /** The status, if it did not end well. */
  trouble?: string;
  isOrphan?: true;
  /** Number of spans, if the row stands for several. */
  times?: number;
  isNPlusOne?: true;
  /** Events that were reported in it, or in what is folded into it. */
  events?: readonly { id: string; title: string }[];
}

/** Longer names are cut off on every screen. The side panel has the whole name. */
const longestName = 160;

/** More do not fit a row. The list above the waterfall has all. */
const mostEventsOfRow = 3;

export function showRows(trace: Trace, rows: readonly TraceRow[], axis: AxisRange): readonly ShownRow[] {
  const eventsOf = eventsBySpan(trace);
  return rows.map((row): ShownRow => {
    const { line, repeat, depth, fold } = row;
    const { span, kind } = line;
    const inside = row.contains.flatMap((place) => trace.lines[place] ?? []);
    const events = inside.flatMap(({ span: { spanId } }) => eventsOf.get(spanId) ?? []).slice(0, mostEventsOfRow);
    const own = repeat === undefined ? [line] : linesOf(trace, repeat);
    const status = repeat === undefined ? span.status : "ok";
    return {
      id: row.id,
      name: (repeat?.name ?? span.name).slice(0, longestName),
      ...(span.op !== undefined && { op: span.op }),
      kind,
      depth,
      fold,
      tookMs: repeat?.coveredMs ?? line.durationMs,
      selfMs: own.reduce((sum, one) => sum + one.selfMs, 0),
      bars: placeBars(own.map(periodOf), axis),
      waits: placeBars(
        inside.flatMap(({ waits }) => waits),
        axis,
      ),
      ...(status !== "ok" && status !== "unset" && { trouble: status }),
      ...(line.isOrphan && { isOrphan: true }),
      ...(repeat && { times: repeat.places.length }),
      ...(repeat?.isNPlusOne && { isNPlusOne: true }),
      ...(events.length > 0 && {
        events: events.map(({ eventId, title, level }) => ({
          id: eventId,
          title: (title ?? level).slice(0, longestName),
        })),
      }),
    };
  });
}

function eventsBySpan({ errors }: Trace): ReadonlyMap<string, Trace["errors"]> {
  const found = new Map<string, Trace["errors"][number][]>();
  for (const event of errors) {
    if (event.spanId === undefined) continue;
    const known = found.get(event.spanId);
    if (known) known.push(event);
    else found.set(event.spanId, [event]);
  }
  return found;
}

export function linesOf({ lines }: Pick<Trace, "lines">, { places }: RepeatedSpans): readonly TraceLine[] {
  return places.flatMap((place) => lines[place] ?? []);
}

function periodOf({ span }: TraceLine): Period {
  return { fromMs: span.startMs, toMs: span.endMs };
}

export const kindNames: Readonly<Record<TraceLine["kind"], string>> = {
  browser: "Browser",
  request: "Request",
  code: "Code",
  database: "Database",
  render: "Render",
};

/** Milliseconds of the critical path for each kind that occurs in the trace, most first. */
export function waitsByKind(
  lines: readonly TraceLine[],
): readonly { kind: TraceLine["kind"]; name: string; ms: number }[] {
  const sums = new Map<TraceLine["kind"], number>();
  for (const { kind, waits } of lines) sums.set(kind, (sums.get(kind) ?? 0) + sumOf(waits));
  return [...sums].map(([kind, ms]) => ({ kind, name: kindNames[kind], ms })).sort((a, b) => b.ms - a.ms);
}

export function sumOf(periods: readonly Period[]): number {
  return periods.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
}

/** A repeat that is worth a sentence above the waterfall. */
export interface ShownAdvice {
  id: string;
  name: string;
  times: number;
  kind: TraceLine["kind"];
  coveredMs: number;
  /** What it is, and what to do. Its name is between both. */
  texts: readonly [before: string, after: string];
}

/** More sentences would be read by no one. */
const mostAdvice = 3;

/** N+1 queries and requests, the longest first. */
export function adviceFor({ lines, repeats }: Pick<Trace, "lines" | "repeats">): readonly ShownAdvice[] {
  return repeats
    .filter(({ isNPlusOne }) => isNPlusOne)
    .toSorted((a, b) => b.coveredMs - a.coveredMs)
    .slice(0, mostAdvice)
    .map((repeat) => ({
      id: idOf(lines, repeat),
      name: repeat.name.slice(0, longestName),
      times: repeat.places.length,
      kind: repeat.kind,
      coveredMs: repeat.coveredMs,
      texts: adviceTexts(repeat),
    }));
}

function adviceTexts({ kind, places, coveredMs, shortestMs, longestMs }: RepeatedSpans): [string, string] {
  const [one, more] = kind === "database" ? ["query", "queries"] : ["request", "requests"];
  const times = grouped(places.length);
  const each = `${milliseconds(shortestMs)} to ${milliseconds(longestMs)} each`;
  return [
    `${times} equal ${more}, one after another (N+1).`,
    `takes ${milliseconds(coveredMs)} in all, ${each}. One ${one} for all values would be waited for once instead of ${times} times.`,
  ];
}

/** Only what takes at least this share of the time is in the title. */
const titleShare = 0.1;
const longestTitle = 120;

/** The finding in words: how long the trace took, and what a mistake took of it. */
export function titleOf(
  { lines, startMs, endMs }: Pick<Trace, "lines" | "startMs" | "endMs">,
  [worst]: readonly ShownAdvice[],
): string {
  const name = lines[0]?.span.name;
  if (name === undefined) return "Trace";
  const took = `${name.slice(0, longestTitle)} took ${milliseconds(endMs - startMs)}`;
  if (!worst || worst.coveredMs < (endMs - startMs) * titleShare) return took;
  const things = worst.kind === "database" ? "queries" : "requests";
  return `${took}, ${milliseconds(worst.coveredMs)} of it in ${grouped(worst.times)} equal ${things}`;
}
