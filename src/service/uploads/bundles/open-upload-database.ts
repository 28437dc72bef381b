import { join } from "node:path";
import type { Rows } from "../../rows/rows.ts";
import { openSqliteFile } from "../../rows/sqlite-file.ts";
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
  // Otherwise the file keeps the size of the largest upload.
  const database = openSqliteFile(join(folder, uploadDatabaseFile), { pragmas: "PRAGMA auto_vacuum = FULL" });
  database.exec(tables);
  return sqliteRows(database);
}
