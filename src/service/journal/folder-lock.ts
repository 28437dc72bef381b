import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { messageOf } from "#errors";
import { serviceErrors } from "../errors.ts";

export interface FolderLock {
  release(): void;
}

/**
 * Ensures that one process at a time writes to a data folder. Uses a lock of the operating system through SQLite,
 * because Node offers none. It is released however the process ends.
 */
export function lockFolder(folder: string): FolderLock {
  const ownerFile = join(folder, "lock.owner");
  let lock: DatabaseSync | undefined;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    lock = openedLock(join(folder, "lock"));
    lock.exec("BEGIN EXCLUSIVE");
    writeFileSync(ownerFile, String(process.pid), { mode: 0o600 });
  } catch (error) {
    lock?.close();
    throw isTaken(error)
      ? serviceErrors.folderInUse(folder, ownerOf(ownerFile))
      : serviceErrors.folderUnusable(folder, messageOf(error));
  }
  const held = lock;
  return { release: () => held.close() };
}

function openedLock(file: string): DatabaseSync {
  const lock = new DatabaseSync(file, { timeout: 0 });
  chmodSync(file, 0o600);
  return lock;
}

/** SQLITE_BUSY: another connection holds the lock. */
const busy = 5;

function isTaken(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === busy;
}

function ownerOf(file: string): string {
  try {
    return `process ${readFileSync(file, "utf8")}`;
  } catch {
    // The owner holds the lock but has not yet written its process id.
    return "another process";
  }
}
