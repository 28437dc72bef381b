import type { StoreFiles } from "../store-files.ts";
import type { WeekFile } from "../week/week-file.ts";

/**
 * Number of newest rows of a week, of all projects, in which recent records are searched. Otherwise, a quiet project
 * beside a busy one would scan everything. This many take about 5 ms.
 */
export const rowsLookedAt = 20_000;

/** Yields this week and the previous one: on a Monday morning, recent records are from Sunday. */
export function* latestWeeks(files: StoreFiles): Generator<WeekFile> {
  let left = 2;
  for (const week of files.weeks()) {
    yield week;
    left -= 1;
    if (left === 0) return;
  }
}

/**
 * SQL for the newest rows of a project: takes the project, a key after which they are, and how many. The plus keeps
 * SQLite from reading all rows of the project by another index and sorting them: 0.4 s with ten million events.
 */
export function newestRows(table: "event" | "segment", key: "id" | "block", lookingAt: number): string {
  const since = `coalesce((SELECT ${key} FROM ${table} ORDER BY ${key} DESC LIMIT 1 OFFSET ${lookingAt}), -1)`;
  return `+project = ? AND ${key} > max(?, ${since}) ORDER BY ${key} DESC LIMIT ?`;
}
