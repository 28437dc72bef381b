import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { serviceErrors } from "../errors.ts";

export interface FolderLock {
  release(): void;
}

/**
 * Makes sure that one process at a time writes to a data folder. The lock is one of the operating system, taken through SQLite
 * because Node itself offers none; whatever way a process ends, it is free again.
 */
export function lockFolder(folder: string): FolderLock {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, "lock");
  const ownerFile = join(folder, "lock.owner");
  const lock = new DatabaseSync(file, { timeout: 0 });
  try {
    chmodSync(file, 0o600);
    lock.exec("BEGIN EXCLUSIVE");
  } catch {
    lock.close();
    throw serviceErrors.folderInUse(folder, ownerOf(ownerFile));
  }
  writeFileSync(ownerFile, String(process.pid), { mode: 0o600 });
  return { release: () => lock.close() };
}

function ownerOf(file: string): string {
  try {
    return `process ${readFileSync(file, "utf8")}`;
  } catch {
    // The owner has the lock but has not yet written down its number.
    return "another process";
  }
}
