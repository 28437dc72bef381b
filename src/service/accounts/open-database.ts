import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { messageOf } from "#errors";
import { serviceErrors } from "../errors.ts";
import type { Rows } from "../rows/rows.ts";
import { sqliteRows } from "../rows/sqlite-rows.ts";

/** PostgreSQL has the same tables; a migration of its store makes them. */
const tables = `
  CREATE TABLE IF NOT EXISTS account (email TEXT PRIMARY KEY, password TEXT NOT NULL, roles TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS session (
    hash TEXT PRIMARY KEY, email TEXT NOT NULL REFERENCES account ON DELETE CASCADE, began INTEGER NOT NULL, used INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS device (
    hash TEXT PRIMARY KEY, email TEXT NOT NULL REFERENCES account ON DELETE CASCADE, used INTEGER NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS device_email ON device (email);
  CREATE TABLE IF NOT EXISTS attempt (name TEXT PRIMARY KEY, count INTEGER NOT NULL, failed INTEGER NOT NULL, until INTEGER NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS attempt_failed ON attempt (failed);
  CREATE TABLE IF NOT EXISTS invite (hash TEXT PRIMARY KEY, email TEXT, roles TEXT NOT NULL, ends INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS project_invite (
    hash TEXT PRIMARY KEY, email TEXT NOT NULL, project INTEGER NOT NULL, role TEXT NOT NULL, ends INTEGER NOT NULL) STRICT;`;

/** Opens the database of the accounts. Only the owner of the process can read it. */
export function openDatabase(folder: string): Rows {
  const file = join(folder, "accounts.db");
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const database = new DatabaseSync(file, { timeout: 5_000 });
    chmodSync(file, 0o600);
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON; ${tables}`);
    return sqliteRows(database);
  } catch (error) {
    throw serviceErrors.unreadableAccounts(file, messageOf(error));
  }
}
