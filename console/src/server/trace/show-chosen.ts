import { milliseconds } from "../../parts/charts/numbers.ts";
import { type Pair, pairsOf } from "../show-event.ts";
import { kindNames, linesOf, sumOf } from "./show-trace.ts";
import { idOf, type RepeatedSpans, type Trace, type TraceLine } from "./trace-rows.ts";

/** The span or repeat of the side panel. Times are in milliseconds since the start of the trace. */
export interface ShownChoice {
  id: string;
  name: string;
  kind: TraceLine["kind"];
  kindName: string;
  fromMs: number;
  toMs: number;
  /** The status, if it did not end well. */
  trouble: string | undefined;
  /** Only for several spans. */
  repeat:
    | {
        times: number;
        /** Heights of small bars, 0 to 1: one for each span, or for as many as fit. */
        heights: readonly number[];
      }
    | undefined;
  /** Its times, in words. */
  facts: readonly Pair[];
  pairs: readonly Pair[];
}

export function showSpan({ startMs }: Trace, line: TraceLine): ShownChoice {
  const { span, kind, durationMs, selfMs, waits, isFailed } = line;
  return {
    id: span.spanId,
    name: span.name,
    kind,
    kindName: kindNames[kind],
    fromMs: span.startMs - startMs,
    toMs: span.endMs - startMs,
    trouble: isFailed ? span.status : undefined,
    repeat: undefined,
    facts: pairsOf({
      Duration: milliseconds(durationMs),
      "Self time": milliseconds(selfMs),
      "Starts after": milliseconds(Math.max(0, span.startMs - startMs)),
      "Critical path": criticalText(sumOf(waits)),
    }),
    pairs: pairsOf({
      operation: span.op,
      status: span.status,
      origin: span.origin,
      "span id": span.spanId,
      parent: span.parentSpanId,
      ...span.attributes,
    }),
  };
}

export function showRepeat(trace: Trace, repeat: RepeatedSpans): ShownChoice {
  const lines = linesOf(trace, repeat);
  const [first] = lines;
  const { places, name, kind, coveredMs, waitMs, shortestMs, longestMs, isInSequence } = repeat;
  const fromMs = (first?.span.startMs ?? trace.startMs) - trace.startMs;
  const parent = trace.lines.find(({ span }) => span.spanId === first?.span.parentSpanId);
  return {
    id: idOf(trace.lines, repeat),
    name,
    kind,
    kindName: kindNames[kind],
    fromMs,
    toMs: lines.reduce((last, { span }) => Math.max(last, span.endMs), 0) - trace.startMs,
    trouble: undefined,
    repeat: { times: places.length, heights: heightsOf(lines.map(({ durationMs }) => durationMs)) },
    facts: pairsOf({
      Duration: `${milliseconds(coveredMs)} in all`,
      Each: `${milliseconds(shortestMs)} to ${milliseconds(longestMs)}`,
      Order: isInSequence ? "one after another" : "several at the same time",
      Within: parent?.span.name,
      "Self time": milliseconds(lines.reduce((sum, line) => sum + line.selfMs, 0)),
      "Starts after": milliseconds(Math.max(0, fromMs)),
      "Critical path": criticalText(waitMs),
    }),
    pairs: [],
  };
}

function criticalText(ms: number): string | undefined {
  return ms > 0 ? milliseconds(ms) : undefined;
}

/** As many bars as the panel has room for. */
const mostHeights = 80;

/** Each bar is the longest of its spans, because that is the one to look at. */
export function heightsOf(durations: readonly number[]): readonly number[] {
  const bars = Math.min(mostHeights, durations.length);
  const highest = durations.reduce((most, one) => Math.max(most, one), 0) || 1;
  return Array.from({ length: bars }, (_, bar) => {
    const from = Math.floor((bar * durations.length) / bars);
    const to = Math.floor(((bar + 1) * durations.length) / bars);
    const longest = durations.slice(from, to).reduce((most, one) => Math.max(most, one), 0);
    return Math.round((longest / highest) * 100) / 100;
  });
}
