import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { serviceErrors } from "../errors.ts";

/** Opens the database of the accounts. Only the owner of the process can read it. */
export function openDatabase(folder: string): DatabaseSync {
  const file = join(folder, "accounts.db");
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const database = new DatabaseSync(file, { timeout: 5_000 });
    chmodSync(file, 0o600);
    database.exec(`
      PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON;
      CREATE TABLE IF NOT EXISTS account (email TEXT PRIMARY KEY, password TEXT NOT NULL, roles TEXT NOT NULL) STRICT;`);
    return database;
  } catch (error) {
    throw serviceErrors.unreadableAccounts(file, error instanceof Error ? error.message : String(error));
  }
}
