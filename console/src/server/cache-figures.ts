import type { ConsoleApi } from "holdfast/service";
import { milliseconds, percent } from "../parts/charts/numbers.ts";
import { countsInWords } from "./count-words.ts";

type PageCache = Awaited<ReturnType<ConsoleApi["pages"]>>[number]["cache"];

/** The cache of a page as the row of the page shows it. */
export interface CacheFigures {
  hitRate: string;
  /** The time that it saved, and the age of the oldest copy that was sent; empty if none was sent. */
  saved: string;
  /** Why copies were not stored; empty if all were. */
  bypasses: string;
  /** Visitors got old copies because the page could not be rendered. */
  isFailing: boolean;
}

export function cacheFigures(cache: PageCache): CacheFigures | undefined {
  if (!cache) return undefined;
  const { hitRate, savedMs, oldestMs, bypasses, failing } = cache;
  return {
    // Rounded down: 100 % means that no request came through.
    hitRate: percent(Math.floor(hitRate * 100) / 100),
    saved: oldestMs === undefined ? "" : `saved ${inLargestUnit(savedMs)}, ≤ ${inLargestUnit(oldestMs)} old`,
    bypasses: Object.keys(bypasses).length === 0 ? "" : countsInWords("bypasses", bypasses),
    isFailing: failing > 0,
  };
}

const hourMs = 3_600_000;
const dayMs = 86_400_000;

function inLargestUnit(ms: number): string {
  if (ms < 2 * hourMs) return milliseconds(ms < 10_000 ? ms : Math.round(ms / 1_000) * 1_000).replace(".00", "");
  return ms < 2 * dayMs ? `${Math.round(ms / hourMs)} h` : `${Math.round(ms / dayMs)} d`;
}
