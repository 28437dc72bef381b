import type { Contender } from "./contenders.ts";
import type { FirstLoad } from "./in-browser.ts";
import type { Measured } from "./measure-load.ts";

export interface Round {
  startMs: number;
  idle: number;
  peak: number;
  loads: Readonly<Record<string, Measured>>;
  visit: VisitTimes;
  /** The same on a processor that is four times slower. */
  slowed: VisitTimes;
  heap: number;
}

/** Milliseconds that a visitor waits. */
export interface VisitTimes {
  cold: number;
  prefetched: number;
  alive: number;
  /** Of a prefetched click. */
  requests: number;
}

export interface Figures {
  install: { packages: number; megabytes: number; buildSeconds: number };
  home: FirstLoad;
  items: FirstLoad;
  rounds: Round[];
}

/** How a column is written and compared. A column without `better` is not compared. */
interface Column {
  write: (figures: Figures) => string;
  value?: (figures: Figures) => number | undefined;
  better?: "less" | "more";
}

type Pick = (round: Round) => number | undefined;

/**
 * Writes every figure as the median with minimum and maximum, and comparable ones as a multiple of the floor. A column
 * in which Holdfast is not first among the frameworks is bold.
 */
export function writeTables(chosen: readonly Contender[], all: ReadonlyMap<string, Figures>, machine: string): string {
  const floor = all.get("floor");
  const timesFloor = (pick: Pick): Column => ({ write: (one) => ratio(one, floor, pick) });
  const load = (target: string): Record<string, Column> => ({
    "processor µs": spread((round) => round.loads[target]?.micros, 0),
    "× floor": timesFloor((round) => round.loads[target]?.micros),
    "requests/s": spread((round) => round.loads[target]?.perSecond, 0, "more"),
    "p50 ms": spread((round) => round.loads[target]?.p50, 1),
    "p99 ms": spread((round) => round.loads[target]?.p99, 1),
  });
  const table = (title: string, columns: Record<string, Column>): string => {
    const rows = chosen.flatMap((contender) => {
      const figures = all.get(contender.name);
      return figures ? [{ contender, figures }] : [];
    });
    const behind = Object.values(columns).map((column) => isBehind(column, all));
    const line = (title: string, cells: readonly string[]): string =>
      `| ${title} | ${cells.map((cell, at) => (behind[at] ? `**${cell}**` : cell)).join(" | ")} |`;
    return [
      `### ${title}`,
      "",
      line("contender", Object.keys(columns)),
      `|---|${behind.map(() => "---:").join("|")}|`,
      ...rows.map(({ contender, figures }) =>
        line(
          contender.title,
          Object.values(columns).map(({ write }) => write(figures)),
        ),
      ),
      "",
    ].join("\n");
  };
  return [
    `Machine: ${machine}. Median (least–greatest). Bold: Holdfast is not first among the frameworks.`,
    "",
    table("Document of `/`", load("/")),
    table("Document of `/items` (100 links)", load("/items")),
    table("Document of `/items/7`", load("/items/7")),
    table("Page data of `/items`", load("page data")),
    table("Start and memory", {
      "start to first 200, ms": spread((round) => round.startMs, 0),
      "× floor": timesFloor((round) => round.startMs),
      "idle MB": spread((round) => round.idle, 0),
      "peak MB": spread((round) => round.peak, 0),
      "peak × floor": timesFloor((round) => round.peak),
    }),
    table("Bytes and requests of a first load", {
      "HTML `/` B": size((one) => one.home.htmlBytes, String),
      "JavaScript until alive, gz kB": size((one) => one.home.scriptGzip, kilo),
      "over the floor gz kB": {
        write: (one) => (floor ? kilo(one.home.scriptGzip - floor.home.scriptGzip) : ""),
      },
      "JavaScript br kB": size((one) => one.home.scriptBrotli, kilo),
      "at idle, gz kB": size((one) => one.home.laterGzip, kilo),
      "requests `/`": size((one) => one.home.requests, String),
      "requests `/items`": size((one) => one.items.requests, String),
      "HTML `/items` B": size((one) => one.items.htmlBytes, String),
    }),
    table("In the browser", {
      "click, cold ms": spread((round) => round.visit.cold, 0),
      "click, prefetched ms": spread((round) => round.visit.prefetched, 0),
      "requests of a prefetched click": spread((round) => round.visit.requests, 0),
      "alive ms (`/items`)": spread((round) => round.visit.alive, 0),
      "heap kept per navigation, B": spread((round) => round.heap, 0),
    }),
    table("In the browser, processor slowed 4 ×", {
      "click, cold ms": spread((round) => round.slowed.cold, 0),
      "click, prefetched ms": spread((round) => round.slowed.prefetched, 0),
      "alive ms (`/items`)": spread((round) => round.slowed.alive, 0),
    }),
    table("Installing and building", {
      packages: size((one) => one.install.packages, String),
      "MB installed": size(
        (one) => one.install.megabytes,
        (megabytes) => megabytes.toFixed(0),
      ),
      "build s": size(
        (one) => one.install.buildSeconds,
        (seconds) => seconds.toFixed(1),
      ),
    }),
  ].join("\n");
}

/** The floor is a bound and no framework. */
function isBehind({ value, better }: Column, all: ReadonlyMap<string, Figures>): boolean {
  const own = all.get("holdfast");
  const ours = own && value?.(own);
  if (ours === undefined || value === undefined) return false;
  const others = [...all]
    .filter(([name]) => name !== "holdfast" && name !== "floor")
    .map(([, figures]) => value(figures));
  return others.some((other) => other !== undefined && (better === "more" ? other > ours : other < ours));
}

function size(value: (figures: Figures) => number, write: (value: number) => string): Column {
  return { write: (figures) => write(value(figures)), value, better: "less" };
}

function spread(pick: Pick, digits: number, better: "less" | "more" = "less"): Column {
  return {
    better,
    value: (figures) => {
      const sorted = sortedValues(figures, pick);
      return sorted.length === 0 ? undefined : middle(sorted);
    },
    write: (figures) => {
      const sorted = sortedValues(figures, pick);
      if (sorted.length === 0) return "–";
      return `${middle(sorted).toFixed(digits)} (${sorted[0]?.toFixed(digits)}–${sorted.at(-1)?.toFixed(digits)})`;
    },
  };
}

function ratio(figures: Figures, floor: Figures | undefined, pick: Pick): string {
  const [own, lowest] = [sortedValues(figures, pick), floor ? sortedValues(floor, pick) : []];
  return own.length === 0 || lowest.length === 0 ? "–" : (middle(own) / middle(lowest)).toFixed(2);
}

function sortedValues(figures: Figures, pick: Pick): number[] {
  return figures.rounds
    .map(pick)
    .filter((value) => value !== undefined)
    .sort((a, b) => a - b);
}

function middle(sorted: readonly number[]): number {
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function kilo(bytes: number): string {
  return (bytes / 1000).toFixed(1);
}
