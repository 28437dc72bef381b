import { join } from "node:path";
import type { Rows } from "../rows/rows.ts";
import { openSqliteFile } from "../rows/sqlite-file.ts";
import { sqliteRows } from "../rows/sqlite-rows.ts";
import type { StoreAddress } from "../stores/store-address.ts";

export const balanceDatabaseFile = "balance.db";

/** The tables of the balance with their columns, for copies of them. */
export const balanceTables = {
  balance_page: [
    "project",
    "digest",
    "at",
    "hour",
    "route",
    "side",
    "source",
    "chain",
    "next",
    "cause",
    "filed_at",
    "grp",
    "visitor",
    "due",
  ],
  balance_source: ["project", "source", "waiting_since", "stated_at"],
  balance_tally: ["project", "book", "hour", "source", "changes", "ends", "open"],
  balance_difference: ["project", "book", "hour", "missing", "event_id"],
} as const;

/** PostgreSQL has the same tables; a migration of its store makes them. */
export const balanceSchema = `
  CREATE TABLE IF NOT EXISTS balance_page (
    project INTEGER NOT NULL, digest TEXT NOT NULL, at INTEGER NOT NULL, hour INTEGER NOT NULL, route TEXT NOT NULL,
    side TEXT NOT NULL, source TEXT NOT NULL, chain TEXT NOT NULL, next TEXT, cause TEXT, filed_at INTEGER, grp INTEGER,
    visitor INTEGER, due INTEGER NOT NULL, PRIMARY KEY (project, digest)) STRICT;
  CREATE INDEX IF NOT EXISTS balance_page_hour ON balance_page (hour, project);
  CREATE INDEX IF NOT EXISTS balance_page_due ON balance_page (due) WHERE filed_at IS NULL;
  CREATE INDEX IF NOT EXISTS balance_page_next ON balance_page (next, at);
  CREATE TABLE IF NOT EXISTS balance_source (
    project INTEGER NOT NULL, source TEXT NOT NULL, waiting_since INTEGER, stated_at INTEGER NOT NULL,
    PRIMARY KEY (project, source)) STRICT;
  CREATE TABLE IF NOT EXISTS balance_tally (
    project INTEGER NOT NULL, book TEXT NOT NULL, hour INTEGER NOT NULL, source TEXT NOT NULL, changes INTEGER NOT NULL,
    ends TEXT NOT NULL, open TEXT NOT NULL, PRIMARY KEY (project, book, hour, source)) STRICT;
  CREATE INDEX IF NOT EXISTS balance_tally_hour ON balance_tally (hour);
  CREATE TABLE IF NOT EXISTS balance_difference (
    project INTEGER NOT NULL, book TEXT NOT NULL, hour INTEGER NOT NULL, missing INTEGER NOT NULL,
    event_id TEXT NOT NULL, PRIMARY KEY (project, book, hour)) STRICT;
  CREATE TABLE IF NOT EXISTS balance_changes (one INTEGER PRIMARY KEY CHECK (one = 1), n INTEGER NOT NULL) STRICT;
  INSERT INTO balance_changes VALUES (1, 0) ON CONFLICT DO NOTHING;`;

export function openBalanceDatabase(folder: string): Rows {
  const database = openSqliteFile(join(folder, balanceDatabaseFile));
  database.exec(balanceSchema);
  return sqliteRows(database);
}

/** For the thread that files. */
export async function openBalanceRows(dataFolder: string, at: StoreAddress): Promise<Rows> {
  if (at.kind === "folder") return openBalanceDatabase(dataFolder);
  const { openPostgresRows } = await import("../stores/postgres/move/open-postgres-rows.ts");
  return openPostgresRows(at.address);
}
