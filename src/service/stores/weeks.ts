import { dayMs } from "../clock.ts";

export const weekMs: number = 7 * dayMs;
// 1970 began on a Thursday; weeks begin on Monday.
const firstMonday = -3 * dayMs;

export interface Week {
  /** `events-2026-W46`, as ISO 8601 counts weeks. */
  name: string;
  from: number;
  to: number;
  /** Rows before it go or are gone; absent when none are. */
  goneBefore?: number;
}

export function weekOf(at: number): Week {
  const from = Math.floor((at - firstMonday) / weekMs) * weekMs + firstMonday;
  // The week belongs to the year that its Thursday lies in.
  const year = new Date(from + 3 * dayMs).getUTCFullYear();
  const number = Math.floor((from + 3 * dayMs - Date.UTC(year, 0, 1)) / weekMs) + 1;
  return { name: `events-${year}-W${String(number).padStart(2, "0")}`, from, to: from + weekMs };
}

export function isWeekFile(name: string): boolean {
  return /^events-\d{4}-W\d\d(?:-\d+)?\.db$/.test(name);
}

/** A week that takes more than its share of the room is ended early; what follows in it lies in further files. */
export function nameOfPart(week: string, part: number): string {
  return part === 1 ? week : `${week}-${part}`;
}

/** Which part of the week a file is; 0 for none. */
export function partOf(name: string, week: string): number {
  if (name === week) return 1;
  return name.startsWith(`${week}-`) ? Number(name.slice(week.length + 1)) : 0;
}
