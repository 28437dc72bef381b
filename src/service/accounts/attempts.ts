import type { DatabaseSync } from "node:sqlite";
import type { Clock } from "../clock.ts";

/** Wrong passwords of a person who mistypes. More are guesses. */
const freeFailures = 5;
const firstWaitMs = 1_000;
const longestWaitMs = 900_000;
/** Bounds the disk space for made-up addresses. The oldest failures are deleted first. */
const mostRemembered = 10_000;

/**
 * Slows down guessing: after some failures, each further one doubles the wait, for that account and that client only.
 * So a stranger cannot make the owner wait by guessing from elsewhere. Stored with the accounts, so that all processes
 * of an application count together and a restart forgets nothing.
 */
export class Attempts {
  readonly #database: DatabaseSync;
  readonly #clock: Clock;

  constructor(database: DatabaseSync, clock: Clock) {
    database.exec(`
      CREATE TABLE IF NOT EXISTS attempt (name TEXT PRIMARY KEY, count INTEGER NOT NULL, failed INTEGER NOT NULL, until INTEGER NOT NULL) STRICT;
      CREATE INDEX IF NOT EXISTS attempt_failed ON attempt (failed);`);
    this.#database = database;
    this.#clock = clock;
  }

  /** Returns the seconds until the next attempt is checked, 0 for now. */
  waitFor(name: string): number {
    const row = this.#database.prepare("SELECT until FROM attempt WHERE name = ?").get(name);
    // If the clock was set back, the wait is still at most the longest.
    const waitMs = Math.min(longestWaitMs, Number(row?.until ?? 0) - this.#clock.now());
    return Math.max(0, Math.ceil(waitMs / 1_000));
  }

  /** Counts an attempt before its password is checked, so that parallel attempts count in every process. */
  begin(name: string): void {
    const now = this.#clock.now();
    const row = this.#database
      .prepare(
        `INSERT INTO attempt VALUES (?1, 1, ?2, 0) ON CONFLICT (name) DO UPDATE SET count = count + 1, failed = ?2 RETURNING count`,
      )
      .get(name, now);
    const count = Number(row?.count ?? 1);
    const waitMs = count <= freeFailures ? 0 : Math.min(longestWaitMs, firstWaitMs * 2 ** (count - freeFailures - 1));
    this.#database.prepare("UPDATE attempt SET until = ? WHERE name = ?").run(now + waitMs, name);
    this.#database
      .prepare("DELETE FROM attempt WHERE name IN (SELECT name FROM attempt ORDER BY failed DESC LIMIT -1 OFFSET ?)")
      .run(mostRemembered);
  }

  succeeded(name: string): void {
    this.#database.prepare("DELETE FROM attempt WHERE name = ?").run(name);
  }
}
