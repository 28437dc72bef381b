const dayMs = 86_400_000;
const weekMs = 7 * dayMs;
// 1970 began on a Thursday; weeks begin on Monday.
const firstMonday = -3 * dayMs;

export interface Week {
  /** `events-2026-W46`, as ISO 8601 counts weeks. */
  name: string;
  from: number;
  to: number;
}

export function weekOf(at: number): Week {
  const from = Math.floor((at - firstMonday) / weekMs) * weekMs + firstMonday;
  // The week belongs to the year that its Thursday lies in.
  const year = new Date(from + 3 * dayMs).getUTCFullYear();
  const number = Math.floor((from + 3 * dayMs - Date.UTC(year, 0, 1)) / weekMs) + 1;
  return { name: `events-${year}-W${String(number).padStart(2, "0")}`, from, to: from + weekMs };
}

export function isWeekFile(name: string): boolean {
  return /^events-\d{4}-W\d\d\.db$/.test(name);
}
