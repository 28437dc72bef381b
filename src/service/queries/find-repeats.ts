import type { TraceLine } from "./assemble-trace.ts";
import type { SpanKind } from "./span-kind.ts";

/** Children of one span that do the same, and differ in values at most: one row of the waterfall. */
export interface RepeatedSpans {
  /** Places of its spans in the lines of the trace, in the order of their starts. */
  places: readonly number[];
  /** Their common title. Where titles differ, `?` replaces the values. */
  name: string;
  kind: SpanKind;
  /** Time in which at least one of them ran. */
  coveredMs: number;
  /** Part of the critical path that is theirs, with all spans below them. */
  waitMs: number;
  shortestMs: number;
  longestMs: number;
  /** Whether each began after the one before it had ended, with few exceptions. */
  isInSequence: boolean;
  /** One request per element of a list, where one for all elements would do. */
  isNPlusOne: boolean;
}

/** Two of a kind are common and quickly read. */
const fewestFolded = 3;

/** Fewer queries cost too little to be worth a change. Sentry's detectors use the same number. */
const fewestOfNPlusOne = 5;

/** Clocks and rounding let spans in sequence overlap a little. */
const overlapShare = 0.1;

/**
 * Finds the repeats of a trace. Only spans of one parent are compared, but not only neighbours: two queries per element
 * take turns. A failed span, and one of `apart`, is never folded away.
 */
export function findRepeats(lines: readonly TraceLine[], apart: ReadonlySet<string>): readonly RepeatedSpans[] {
  const groups = new Map<string, number[]>();
  const parents: number[] = [];
  for (const [place, { span, depth, isFailed }] of lines.entries()) {
    parents.length = depth;
    const parent = parents.at(-1) ?? -1;
    parents.push(place);
    if (isFailed || apart.has(span.spanId)) continue;
    const key = `${parent}\n${span.op ?? ""}\n${commonTitle(span.name)}`;
    const group = groups.get(key);
    if (group) group.push(place);
    else groups.set(key, [place]);
  }
  const waits = waitsWithBelow(lines);
  return [...groups.values()]
    .filter(({ length }) => length >= fewestFolded)
    .map((places) => describeRepeat(lines, places, waits));
}

function describeRepeat(
  lines: readonly TraceLine[],
  places: readonly number[],
  waits: readonly number[],
): RepeatedSpans {
  const all = places.flatMap((place) => lines[place] ?? []);
  const names = new Set(all.map(({ span }) => span.name));
  const [name = ""] = names;
  const kind = all[0]?.kind ?? "code";
  const durations = all.map(({ durationMs }) => durationMs);
  const total = sum(durations);
  const coveredMs = covered(all);
  const isInSequence = coveredMs >= total * (1 - overlapShare);
  return {
    places,
    name: names.size === 1 ? name : commonTitle(name),
    kind,
    coveredMs,
    waitMs: sum(places.map((place) => waits[place] ?? 0)),
    shortestMs: durations.reduce((least, one) => Math.min(least, one), Number.POSITIVE_INFINITY),
    longestMs: durations.reduce((most, one) => Math.max(most, one), 0),
    isInSequence,
    isNPlusOne: isInSequence && places.length >= fewestOfNPlusOne && (kind === "database" || kind === "request"),
  };
}

/**
 * Values in a title: texts in quotes, UUIDs, other hexadecimal ids, numbers. One pass, because it reads every span: the
 * patterns that group messages take ten times as long. Placeholders (`$1`, `:2`) and names with digits stay.
 */
const values =
  /'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.)*"|(?<![\w$:@])(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|0x[\da-f]+|(?=[a-f]*\d)[\da-f]{7,}|\d+(?:\.\d+)?)(?!\w)/gi;

/** The title of spans that differ in values only. */
export function commonTitle(name: string): string {
  return name.replace(values, "?").replace(/\?(?:\s*,\s*\?)+/g, "?, …");
}

/** For each line: its own waits and those of all lines below it. */
function waitsWithBelow(lines: readonly TraceLine[]): readonly number[] {
  const waits = lines.map((line) => sum(line.waits.map(({ fromMs, toMs }) => toMs - fromMs)));
  const parents: number[] = [];
  const parentOf = lines.map(({ depth }, place) => {
    parents.length = depth;
    const parent = parents.at(-1);
    parents.push(place);
    return parent;
  });
  for (let place = lines.length - 1; place > 0; place--) {
    const parent = parentOf[place];
    if (parent !== undefined) waits[parent] = (waits[parent] ?? 0) + (waits[place] ?? 0);
  }
  return waits;
}

/** Time in which at least one of them ran. They are in the order of their starts. */
function covered(lines: readonly TraceLine[]): number {
  let total = 0;
  let upTo = Number.NEGATIVE_INFINITY;
  for (const { span } of lines) {
    const from = Math.max(upTo, span.startMs);
    if (span.endMs > from) total += span.endMs - from;
    upTo = Math.max(upTo, span.endMs);
  }
  return total;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
