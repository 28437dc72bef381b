import type { ConsoleApi } from "holdfast/service";
import { shownRelease } from "../parts/release/release-name.ts";

type Usual = Awaited<ReturnType<ConsoleApi["usual"]>>;

/** The chart of a day as a few texts, so that the browser computes nothing. Its field is 1,000 by 100. */
export interface DayDrawing {
  /** Beginning of the first bar. */
  from: number;
  stepMs: number;
  /** Errors of each bar, and what is usual then, if that is known. */
  bars: readonly (readonly [errors: number, usual?: number])[];
  /** Heights of the lines behind the bars, in the field, and the numbers they stand for. */
  grid: readonly { y: number; value: number }[];
  /** What is usual, the part of the bars within it, and the part above. */
  band: string;
  usual: string;
  above: string;
  /** The chart in one sentence. */
  summary: string;
}

const wide = 1_000;
/** Names of releases are above the bars. */
const top = 12;

export function drawDay({ from, stepMs, errors: { values, low, high, usual } }: Usual): DayDrawing {
  const most = niceTop(Math.max(1, ...values, ...high));
  const y = (value: number): number => rounded(100 - (value / most) * (100 - top));
  const slot = wide / values.length;
  const box = (x: number, width: number, upper: number, lower: number): string =>
    upper < lower ? `M${rounded(x)} ${upper}h${rounded(width)}V${lower}h-${rounded(width)}z` : "";
  const each = (draw: (value: number, n: number) => string): string => values.map(draw).join("");
  const bar = (n: number, upper: number, lower: number): string =>
    box((n + 0.14) * slot, 0.72 * slot, y(upper), y(lower));
  return {
    from,
    stepMs,
    bars: values.map((value, n) => {
      const known = usual[n];
      return known === undefined ? [value] : [value, Math.round(known)];
    }),
    grid: [0.25, 0.5, 0.75, 1].map((share) => ({ y: y(most * share), value: most * share })),
    band: each((_, n) => (high[n] === undefined ? "" : box(n * slot, slot, y(high[n]), y(low[n] ?? 0)))),
    usual: each((value, n) => bar(n, Math.min(value, high[n] ?? value), 0)),
    above: each((value, n) => bar(n, value, Math.min(value, high[n] ?? value))),
    summary: summaryOf(values, high),
  };
}

/** The next of 4, 8, 20, 40, 80 …, so that the four lines have whole numbers. */
function niceTop(most: number): number {
  for (let unit = 1; ; unit *= 10) for (const step of [4, 8, 20]) if (step * unit >= most) return step * unit;
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

function summaryOf(values: readonly number[], high: readonly number[]): string {
  const total = values.reduce((sum, value) => sum + value, 0);
  const above = values.reduce((sum, value, n) => sum + Math.max(0, value - (high[n] ?? value)), 0);
  return `Errors in the last 24 hours: ${total}, of which ${Math.round(above)} are above what is usual`;
}

export interface ReleaseMark {
  name: string;
  /** Place in the day, from 0 to 1. */
  share: number;
  /** Errors began with it. */
  isCause: boolean;
  /** Where its name begins, if there is room for it: in the middle above the mark, but inside the chart. */
  anchor: Anchor | undefined;
}

/** In the chart their names would cover each other. */
const releasesMarked = 6;
/** Width of a letter: 6.4 px of the 320 px that the chart has on a phone. */
const letterShare = 0.02;
const gapShare = 0.02;

type Anchor = "start" | "middle" | "end";

/** First sightings of releases in the day. The cause keeps its name, and of others the later one. */
export function markReleases(
  deploys: readonly { release: string; at: number }[],
  { from, stepMs, bars }: Pick<DayDrawing, "from" | "stepMs" | "bars">,
  cause: string | undefined,
): ReleaseMark[] {
  const marks = deploys
    .slice(-releasesMarked)
    .map(({ release, at }) => {
      const share = (at - from) / (bars.length * stepMs);
      return { name: shownRelease(release), share, isCause: release === cause };
    })
    .filter(({ share }) => share >= 0 && share <= 1);
  const named: (typeof marks)[number][] = [];
  for (const mark of marks.toSorted((a, b) => Number(b.isCause) - Number(a.isCause) || b.share - a.share))
    if (named.every((other) => !covers(other, mark))) named.push(mark);
  return marks.map((mark) => ({ ...mark, anchor: named.includes(mark) ? anchorOf(mark.share) : undefined }));
}

type Placed = Pick<ReleaseMark, "name" | "share">;

function covers(one: Placed, other: Placed): boolean {
  const [from, to] = nameSpan(one);
  const [otherFrom, otherTo] = nameSpan(other);
  return from < otherTo + gapShare && otherFrom < to + gapShare;
}

function nameSpan({ name, share }: Placed): [from: number, to: number] {
  const width = name.length * letterShare;
  const before = { start: 0, middle: 0.5, end: 1 }[anchorOf(share)];
  return [share - before * width, share + (1 - before) * width];
}

function anchorOf(share: number): Anchor {
  return share > 0.85 ? "end" : share < 0.15 ? "start" : "middle";
}
