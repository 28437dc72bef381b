import type { StoreFiles } from "../store-files.ts";
import type { WeekFile } from "../week/week-file.ts";

/**
 * What came lately is looked for among so many newest rows of a week, of all projects: a quiet one beside a busy one
 * would otherwise look through everything that is kept. So many take some 5 ms.
 */
export const rowsLookedAt = 20_000;

/** This week and the one before: on a Monday morning lately was on Sunday. */
export function* latestWeeks(files: StoreFiles): Generator<WeekFile> {
  let left = 2;
  for (const week of files.weeks()) {
    yield week;
    left -= 1;
    if (left === 0) return;
  }
}

/** In SQL: the key after which rows of the table are so new. */
export function lately(table: "event" | "segment", key: "id" | "block", rows: number): string {
  return `coalesce((SELECT ${key} FROM ${table} ORDER BY ${key} DESC LIMIT 1 OFFSET ${rows}), -1)`;
}
