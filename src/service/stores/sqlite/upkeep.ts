import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { hourMs } from "../../clock.ts";
import type { DeletionRecord, PartitionRecord } from "../records.ts";
import { weekOf } from "../weeks.ts";
import { sqliteErrors } from "./errors.ts";
import { StoreFiles } from "./store-files.ts";
import { appliedPosition } from "./write/commit-batch.ts";

export function readPartitions(files: StoreFiles): readonly PartitionRecord[] {
  return files
    .weekList()
    .map((week) => ({ ...week, bytes: files.bytesOf(week), isLater: week.from > weekOf(week.from).from }));
}

export function readDeletions({ meta }: StoreFiles): readonly DeletionRecord[] {
  return meta.all<DeletionRecord>("SELECT what, why, n FROM gone ORDER BY what, why");
}

export function dropHoursBefore({ meta }: StoreFiles, at: number): void {
  const hour = Math.floor(at / hourMs);
  meta.transaction(() => {
    for (const table of ["group_hour", "sketch_hour", "count_hour", "discard_hour"])
      meta.run(`DELETE FROM ${table} WHERE hour < ?`, hour);
  });
}

/**
 * Copies the store while the service runs. Counters are copied first. Later rows of a week are cut off its copy, so
 * that counters and rows agree.
 */
export function backup(files: StoreFiles, folder: string): void {
  if (existsSync(folder)) throw sqliteErrors.copyExists(folder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  files.meta.copyTo(join(folder, "meta.db"));
  const copy = new StoreFiles(folder, "write");
  try {
    const counted = appliedPosition(copy);
    // Only the weeks in the copied meta file: one that began since then would never be found.
    for (const week of copy.weekList()) {
      files.openWeek(week)?.database.copyTo(copy.pathOf(week));
      copy.openWeek(week)?.cutFrom(counted);
    }
  } finally {
    copy.close();
  }
}
