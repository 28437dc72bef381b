import { join } from "node:path";
import type { Rows } from "../rows/rows.ts";
import { openSqliteFile } from "../rows/sqlite-file.ts";
import { sqliteRows } from "../rows/sqlite-rows.ts";

export const alertDatabaseFile = "alerts.db";

/**
 * Messages about this machine, where a PostgreSQL has the others. Another file, because `alerts.db` may be there from
 * before a move, and what waits in it was moved: it would be sent twice.
 */
export const machineAlertDatabaseFile = "machine-alerts.db";

/** PostgreSQL has the same tables; a migration of its store makes them. */
const tables = `
  CREATE TABLE IF NOT EXISTS alert_notice (
    id TEXT PRIMARY KEY, project INTEGER NOT NULL, channel TEXT NOT NULL, subject TEXT NOT NULL, state TEXT NOT NULL,
    tries INTEGER NOT NULL, message TEXT NOT NULL, due_at INTEGER NOT NULL, created_at INTEGER NOT NULL,
    ended_at INTEGER, why TEXT, failed_at INTEGER) STRICT;
  CREATE INDEX IF NOT EXISTS alert_notice_due ON alert_notice (state, due_at);
  CREATE INDEX IF NOT EXISTS alert_notice_created ON alert_notice (project, created_at);
  CREATE INDEX IF NOT EXISTS alert_notice_subject ON alert_notice (channel, subject, created_at);
  CREATE TABLE IF NOT EXISTS alert_cursor (
    project INTEGER NOT NULL, name TEXT NOT NULL, value INTEGER NOT NULL, PRIMARY KEY (project, name)) STRICT;`;

/** Opens the database of the alerts in a data folder. Messages quote errors, so that only the owner can read it. */
export function openAlertDatabase(folder: string, name: string = alertDatabaseFile): Rows {
  const database = openSqliteFile(join(folder, name));
  database.exec(tables);
  return sqliteRows(database);
}
