import { chmodSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";

export interface SqliteFileOptions {
  /** Time that a statement waits for another process. Its transactions take milliseconds. */
  busyMs?: number;
  /** Settings of a new file that SQLite accepts only before its first table. */
  pragmas?: string;
}

const usualBusyMs = 5_000;

/** Opens a database that several processes of a machine share, and creates its folder. Only the owner can read it. */
export function openSqliteFile(file: string, options: SqliteFileOptions = {}): DatabaseSync {
  const { busyMs = usualBusyMs, pragmas = "" } = options;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const database = new DatabaseSync(file, { timeout: busyMs });
  chmodSync(file, 0o600);
  database.exec(pragmas);
  writeAhead(database, busyMs);
  // These files are small. What is deleted from them shall be in none of their bytes.
  database.exec("PRAGMA secure_delete = ON");
  return database;
}

const retryMs = 5;

/**
 * Lets readers go on while another process writes. SQLite waits by itself for a locked file, except for this change:
 * of two processes that open a new file at once, one fails without waiting. So it tries again.
 */
export function writeAhead(database: DatabaseSync, busyMs: number): void {
  for (let waitedMs = 0; ; waitedMs += retryMs) {
    try {
      return database.exec("PRAGMA journal_mode = WAL");
    } catch (error) {
      if (!isLocked(error) || waitedMs >= busyMs) throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryMs);
  }
}

/** `SQLITE_BUSY`, whose kinds are in the higher bits. */
export function isLocked(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === 5;
}
