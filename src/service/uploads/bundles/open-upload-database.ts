import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Rows } from "../../rows/rows.ts";
import { sqliteRows } from "../../rows/sqlite-rows.ts";

/** PostgreSQL has the same tables; a migration of its store makes them. */
const tables = `
  CREATE TABLE IF NOT EXISTS upload_chunk (
    project INTEGER NOT NULL, hash TEXT NOT NULL, content TEXT NOT NULL, bytes INTEGER NOT NULL,
    added_at INTEGER NOT NULL, PRIMARY KEY (project, hash)) STRICT;
  CREATE TABLE IF NOT EXISTS upload_bundle (
    project INTEGER NOT NULL, hash TEXT NOT NULL, added_at INTEGER NOT NULL, PRIMARY KEY (project, hash)) STRICT;`;

/** A backup does not contain it: what is in it is needed for minutes only. */
export const uploadDatabaseFile = "uploads.db";

export function openUploadDatabase(folder: string): Rows {
  const file = join(folder, uploadDatabaseFile);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const database = new DatabaseSync(file, { timeout: 5_000 });
  chmodSync(file, 0o600);
  // Otherwise the file keeps the size of the largest upload.
  database.exec(`PRAGMA auto_vacuum = FULL; PRAGMA journal_mode = WAL; ${tables}`);
  return sqliteRows(database);
}
