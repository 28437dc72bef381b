import type { ConsoleApi } from "holdfast/service";

export type Trace = NonNullable<Awaited<ReturnType<ConsoleApi["trace"]>>>;
export type TraceLine = Trace["lines"][number];
export type RepeatedSpans = Trace["repeats"][number];

/** What the address of the screen asks for. */
export interface WantedRows {
  filter: string;
  /** Milliseconds of the clock. Spans that do not touch it are left out. */
  range: { fromMs: number; toMs: number } | undefined;
  /** Whether repeats have rows. Without, every row is a span. */
  foldsRepeats: boolean;
  /** Ids of rows that are not as they are at first: repeats that are unfolded, spans whose children are hidden. */
  toggled: ReadonlySet<string>;
  /** This span is shown in any case. */
  chosen: string | undefined;
}

/** A row of the waterfall: a span, or several equal ones. */
export interface TraceRow {
  id: string;
  line: TraceLine;
  /** Set if the row stands for all spans of a repeat. */
  repeat: RepeatedSpans | undefined;
  depth: number;
  /** `none` if nothing is below it. */
  fold: "none" | "open" | "folded";
  /** Places of the lines that this row stands for: itself, and those that are folded into it. */
  contains: readonly number[];
}

/** Lines that are still to be read, from `at` up to `end`. */
interface Part {
  at: number;
  end: number;
  /** The rows of an unfolded repeat are one level deeper than their lines. */
  deeper: number;
  /** The first line is a span of an unfolded repeat, and is not replaced by it again. */
  isInRepeat: boolean;
}

/** Rows in the order of the lines; the spans of an unfolded repeat follow its row. */
export function traceRows(
  { lines, repeats }: Pick<Trace, "lines" | "repeats">,
  wanted: WantedRows,
): readonly TraceRow[] {
  const kept = placesToKeep(lines, wanted);
  const ends = endsOf(lines);
  const repeatAt = repeatsByPlace(wanted.foldsRepeats ? repeats : [], kept);
  const rows: TraceRow[] = [];
  const parts: Part[] = [{ at: 0, end: lines.length, deeper: 0, isInRepeat: false }];
  for (let part = parts.at(-1); part !== undefined; part = parts.at(-1)) {
    const place = part.at;
    const line = lines[place];
    const end = ends[place] ?? lines.length;
    if (place >= part.end || line === undefined) {
      parts.pop();
      continue;
    }
    part.at = end;
    if (!kept.has(place)) continue;
    const depth = line.depth + part.deeper;
    const repeat = part.isInRepeat ? undefined : repeatAt.get(place);
    part.isInRepeat = false;
    if (repeat !== undefined) {
      if (repeat.places[0] !== place) continue;
      const id = idOf(lines, repeat);
      const isOpen = isUnfolded(lines, repeat, id, wanted);
      const contains = isOpen ? [] : repeat.places.flatMap((one) => between(one, ends[one] ?? one + 1));
      rows.push({ id, line, repeat, depth, fold: isOpen ? "open" : "folded", contains });
      if (isOpen) parts.push(...repeat.places.toReversed().map((one) => memberOf(one, ends, part.deeper + 1)));
      continue;
    }
    const { spanId } = line.span;
    const fold = end === place + 1 ? "none" : wanted.toggled.has(spanId) ? "folded" : "open";
    const contains = fold === "folded" ? between(place, end) : [place];
    rows.push({ id: spanId, line, repeat: undefined, depth, fold, contains });
    if (fold === "open") part.at = place + 1;
  }
  return rows;
}

function memberOf(place: number, ends: readonly number[], deeper: number): Part {
  return { at: place, end: ends[place] ?? place + 1, deeper, isInRepeat: true };
}

/** The id that names a repeat in addresses: that of its first span, and a sign that is in none. */
export function idOf(lines: readonly TraceLine[], { places: [first = 0] }: RepeatedSpans): string {
  return `${lines[first]?.span.spanId ?? ""}x`;
}

function isUnfolded(lines: readonly TraceLine[], repeat: RepeatedSpans, id: string, wanted: WantedRows): boolean {
  if (wanted.toggled.has(id)) return true;
  return wanted.chosen !== undefined && repeat.places.some((place) => lines[place]?.span.spanId === wanted.chosen);
}

/** A repeat of which a filter or a range keeps only a part is not folded: the part is what was asked for. */
function repeatsByPlace(
  repeats: readonly RepeatedSpans[],
  kept: ReadonlySet<number>,
): ReadonlyMap<number, RepeatedSpans> {
  const found = new Map<number, RepeatedSpans>();
  for (const repeat of repeats)
    if (repeat.places.every((place) => kept.has(place))) for (const place of repeat.places) found.set(place, repeat);
  return found;
}

/** Exclusive end of the lines below each line. */
function endsOf(lines: readonly TraceLine[]): readonly number[] {
  const ends = new Array<number>(lines.length).fill(lines.length);
  const open: number[] = [];
  for (const [place, { depth }] of lines.entries()) {
    for (const ended of open.splice(depth)) ends[ended] = place;
    open.push(place);
  }
  return ends;
}

/** The lines that match, and their ancestors, so that the tree stays connected. */
function placesToKeep(lines: readonly TraceLine[], { filter, range }: WantedRows): ReadonlySet<number> {
  const word = filter.toLowerCase();
  const kept = new Set<number>();
  let wanted = -1;
  for (let place = lines.length - 1; place >= 0; place--) {
    const line = lines[place];
    if (line === undefined) continue;
    const isParent = line.depth === wanted;
    if (!isParent && !(matches(line, word) && touches(line, range))) continue;
    kept.add(place);
    wanted = line.depth - 1;
  }
  return kept;
}

function matches({ span: { op = "", name } }: TraceLine, word: string): boolean {
  return word === "" || `${op} ${name}`.toLowerCase().includes(word);
}

function touches({ span: { startMs, endMs } }: TraceLine, range: WantedRows["range"]): boolean {
  return range === undefined || (endMs >= range.fromMs && startMs <= range.toMs);
}

function between(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}
