import type { RepeatedSpans, Trace, TraceLine } from "./trace-rows.ts";

export type ExampleSpan = readonly [depth: number, name: string, startMs: number, endMs: number];

/** A trace for tests. The id of a span is `s` and its place; places of repeats are given. */
export function aTrace(
  spans: readonly ExampleSpan[],
  repeats: readonly (readonly number[])[],
  change: (line: TraceLine, place: number) => Partial<TraceLine> = () => ({}),
): Trace {
  const lines = spans.map((span, place): TraceLine => {
    const line = lineOf(span, place);
    return { ...line, ...change(line, place) };
  });
  const startMs = lines[0]?.span.startMs ?? 0;
  const endMs = lines.reduce((last, { span }) => Math.max(last, span.endMs), 0);
  return {
    traceId: "t",
    lines,
    startMs,
    endMs,
    repeats: repeats.map((places) => repeatOf(lines, places)),
    segments: [],
    errors: [],
    logs: [],
    damaged: 0,
    links: [],
  };
}

function lineOf([depth, name, startMs, endMs]: ExampleSpan, place: number): TraceLine {
  return {
    span: {
      traceId: "t",
      spanId: `s${place}`,
      name,
      startMs,
      endMs,
      isSegment: depth === 0,
      status: "ok",
      attributes: {},
      links: [],
    },
    depth,
    children: 0,
    durationMs: endMs - startMs,
    selfMs: endMs - startMs,
    kind: "code",
    isFailed: false,
    onCriticalPath: false,
    waits: [],
    isOrphan: false,
  };
}

function repeatOf(lines: readonly TraceLine[], places: readonly number[]): RepeatedSpans {
  const durations = places.map((place) => lines[place]?.durationMs ?? 0);
  const coveredMs = durations.reduce((sum, one) => sum + one, 0);
  return {
    places,
    name: lines[places[0] ?? 0]?.span.name ?? "",
    kind: "database",
    coveredMs,
    waitMs: coveredMs,
    shortestMs: Math.min(...durations),
    longestMs: Math.max(...durations),
    isInSequence: true,
    isNPlusOne: places.length >= 5,
  };
}
