import { join } from "node:path";
import { messageOf } from "#errors";
import { serviceErrors } from "../errors.ts";
import type { Rows } from "../rows/rows.ts";
import { openSqliteFile } from "../rows/sqlite-file.ts";
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
    hash TEXT PRIMARY KEY, email TEXT NOT NULL, project INTEGER NOT NULL, role TEXT NOT NULL, ends INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS refusal (
    quarter INTEGER NOT NULL, who TEXT NOT NULL, project INTEGER NOT NULL, why TEXT NOT NULL, count INTEGER NOT NULL,
    at INTEGER NOT NULL, PRIMARY KEY (quarter, who, project, why)) STRICT;
  CREATE INDEX IF NOT EXISTS refusal_at ON refusal (at);
  CREATE TABLE IF NOT EXISTS token (
    id INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, name TEXT NOT NULL, email TEXT REFERENCES account ON DELETE CASCADE,
    project INTEGER, scopes TEXT NOT NULL, created INTEGER NOT NULL, made_by TEXT NOT NULL, expires INTEGER, used INTEGER) STRICT;
  CREATE INDEX IF NOT EXISTS token_email ON token (email);
  CREATE INDEX IF NOT EXISTS token_project ON token (project);
  CREATE TABLE IF NOT EXISTS login_code (
    hash TEXT PRIMARY KEY, email TEXT NOT NULL REFERENCES account ON DELETE CASCADE, name TEXT NOT NULL, scopes TEXT NOT NULL,
    expires INTEGER, challenge TEXT NOT NULL, ends INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS identity (
    issuer TEXT NOT NULL, subject TEXT NOT NULL, email TEXT NOT NULL REFERENCES account ON DELETE CASCADE,
    PRIMARY KEY (issuer, subject)) STRICT;
  CREATE INDEX IF NOT EXISTS identity_email ON identity (email);
  CREATE TABLE IF NOT EXISTS totp (
    email TEXT PRIMARY KEY REFERENCES account ON DELETE CASCADE, secret TEXT NOT NULL, step INTEGER NOT NULL,
    confirmed INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS recovery_code (
    hash TEXT PRIMARY KEY, email TEXT NOT NULL REFERENCES account ON DELETE CASCADE) STRICT;
  CREATE INDEX IF NOT EXISTS recovery_code_email ON recovery_code (email);
  CREATE TABLE IF NOT EXISTS sign_in_step (
    hash TEXT PRIMARY KEY, email TEXT NOT NULL REFERENCES account ON DELETE CASCADE, ends INTEGER NOT NULL) STRICT;`;

/** Columns that came later. A process of the version before goes on without them. */
const laterColumns = [
  ["account", "name", "TEXT"],
  ["session", "device", "TEXT"],
  ["session", "network", "TEXT"],
  ["session", "ends", "INTEGER"],
] as const;

/** Opens the database of the accounts. Only the owner of the process can read it. */
export function openDatabase(folder: string): Rows {
  const file = join(folder, "accounts.db");
  try {
    const database = openSqliteFile(file);
    database.exec(`PRAGMA foreign_keys = ON; BEGIN IMMEDIATE; ${tables}`);
    for (const [table, column, type] of laterColumns)
      if (!database.prepare(`SELECT name FROM pragma_table_info('${table}') WHERE name = ?`).get(column))
        database.exec(`ALTER TABLE ${table} ADD COLUMN ${column} ${type}`);
    database.exec("COMMIT");
    return sqliteRows(database);
  } catch (error) {
    throw serviceErrors.unreadableAccounts(file, messageOf(error));
  }
}
