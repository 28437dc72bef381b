import { dayMs } from "../clock.ts";

export const weekMs: number = 7 * dayMs;
// 1970 began on a Thursday; weeks begin on Monday.
const firstMonday = -3 * dayMs;

export interface Week {
  /** `events-2026-W46`, the week number of ISO 8601. */
  name: string;
  from: number;
  to: number;
  /** Rows before it are deleted or being deleted. Undefined if there are none. */
  goneBefore?: number;
}

export function weekOf(at: number): Week {
  const from = Math.floor((at - firstMonday) / weekMs) * weekMs + firstMonday;
  // A week belongs to the year of its Thursday.
  const year = new Date(from + 3 * dayMs).getUTCFullYear();
  const number = Math.floor((from + 3 * dayMs - Date.UTC(year, 0, 1)) / weekMs) + 1;
  return { name: `events-${year}-W${String(number).padStart(2, "0")}`, from, to: from + weekMs };
}

export function isWeekFile(name: string): boolean {
  return /^events-\d{4}-W\d\d(?:-\d+)?\.db$/.test(name);
}

/** A week that exceeds its share of the disk is closed early, and its later events are in further files. */
export function nameOfPart(week: string, part: number): string {
  return part === 1 ? week : `${week}-${part}`;
}

/** Number of the part that a file is. 0 if it is not of this week. */
export function partOf(name: string, week: string): number {
  if (name === week) return 1;
  return name.startsWith(`${week}-`) ? Number(name.slice(week.length + 1)) : 0;
}
