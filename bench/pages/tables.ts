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

type Cell = (figures: Figures) => string;

/** Writes every figure as the median with minimum and maximum, and comparable ones as a multiple of the floor. */
export function writeTables(chosen: readonly Contender[], all: ReadonlyMap<string, Figures>, machine: string): string {
  const floor = all.get("floor");
  const load = (target: string): Record<string, Cell> => ({
    "processor µs": (one) => spread(one, (round) => round.loads[target]?.micros, 0),
    "× floor": (one) => ratio(one, floor, (round) => round.loads[target]?.micros),
    "requests/s": (one) => spread(one, (round) => round.loads[target]?.perSecond, 0),
    "p50 ms": (one) => spread(one, (round) => round.loads[target]?.p50, 1),
    "p99 ms": (one) => spread(one, (round) => round.loads[target]?.p99, 1),
  });
  const table = (title: string, columns: Record<string, Cell>): string => {
    const names = Object.keys(columns);
    const rows = chosen.flatMap((contender) => {
      const figures = all.get(contender.name);
      return figures
        ? [`| ${contender.title} | ${names.map((name) => columns[name]?.(figures) ?? "").join(" | ")} |`]
        : [];
    });
    return [
      `### ${title}`,
      "",
      `| contender | ${names.join(" | ")} |`,
      `|---|${names.map(() => "---:").join("|")}|`,
      ...rows,
      "",
    ].join("\n");
  };
  return [
    `Machine: ${machine}. Median (least–greatest).`,
    "",
    table("Document of `/`", load("/")),
    table("Document of `/items` (100 links)", load("/items")),
    table("Document of `/items/7`", load("/items/7")),
    table("Page data of `/items`", load("page data")),
    table("Start and memory", {
      "start to first 200, ms": (one) => spread(one, (round) => round.startMs, 0),
      "× floor": (one) => ratio(one, floor, (round) => round.startMs),
      "idle MB": (one) => spread(one, (round) => round.idle, 0),
      "peak MB": (one) => spread(one, (round) => round.peak, 0),
      "peak × floor": (one) => ratio(one, floor, (round) => round.peak),
    }),
    table("Bytes and requests of a first load", {
      "HTML `/` B": (one) => String(one.home.htmlBytes),
      "JavaScript until alive, gz kB": (one) => kilo(one.home.scriptGzip),
      "over the floor gz kB": (one) => (floor ? kilo(one.home.scriptGzip - floor.home.scriptGzip) : ""),
      "JavaScript br kB": (one) => kilo(one.home.scriptBrotli),
      "at idle, gz kB": (one) => kilo(one.home.laterGzip),
      "requests `/`": (one) => String(one.home.requests),
      "requests `/items`": (one) => String(one.items.requests),
      "HTML `/items` B": (one) => String(one.items.htmlBytes),
    }),
    table("In the browser", {
      "click, cold ms": (one) => spread(one, (round) => round.visit.cold, 0),
      "click, prefetched ms": (one) => spread(one, (round) => round.visit.prefetched, 0),
      "requests of a prefetched click": (one) => spread(one, (round) => round.visit.requests, 0),
      "alive ms (`/items`)": (one) => spread(one, (round) => round.visit.alive, 0),
      "heap kept per navigation, B": (one) => spread(one, (round) => round.heap, 0),
    }),
    table("In the browser, processor slowed 4 ×", {
      "click, cold ms": (one) => spread(one, (round) => round.slowed.cold, 0),
      "click, prefetched ms": (one) => spread(one, (round) => round.slowed.prefetched, 0),
      "alive ms (`/items`)": (one) => spread(one, (round) => round.slowed.alive, 0),
    }),
    table("Installing and building", {
      packages: (one) => String(one.install.packages),
      "MB installed": (one) => one.install.megabytes.toFixed(0),
      "build s": (one) => one.install.buildSeconds.toFixed(1),
    }),
  ].join("\n");
}

function spread(figures: Figures, pick: (round: Round) => number | undefined, digits: number): string {
  const sorted = sortedValues(figures, pick);
  if (sorted.length === 0) return "–";
  return `${middle(sorted).toFixed(digits)} (${sorted[0]?.toFixed(digits)}–${sorted.at(-1)?.toFixed(digits)})`;
}

function ratio(figures: Figures, floor: Figures | undefined, pick: (round: Round) => number | undefined): string {
  const [own, lowest] = [sortedValues(figures, pick), floor ? sortedValues(floor, pick) : []];
  return own.length === 0 || lowest.length === 0 ? "–" : (middle(own) / middle(lowest)).toFixed(2);
}

function sortedValues(figures: Figures, pick: (round: Round) => number | undefined): number[] {
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
