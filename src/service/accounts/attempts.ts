import type { DatabaseSync } from "node:sqlite";
import type { Clock } from "../clock.ts";

/** So many wrong passwords are a person who mistypes; more are somebody who guesses. */
const freeFailures = 5;
const firstWaitMs = 1_000;
const longestWaitMs = 900_000;
/** A flood of made-up addresses may not fill the disk; those who failed longest ago are forgotten first. */
const mostRemembered = 10_000;

/**
 * Slows down guessing: after some failures each further one doubles the wait, for that account and that client alone.
 * So a stranger cannot make the owner wait by guessing from elsewhere. Counted in the accounts' own file, so that all
 * processes of an application count together and a restart forgets nothing.
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

  /** Seconds until the next try is looked at; 0 for now. */
  waitFor(name: string): number {
    const row = this.#database.prepare("SELECT until FROM attempt WHERE name = ?").get(name);
    // A clock that was set back must not lock anybody out for longer than the longest wait.
    const waitMs = Math.min(longestWaitMs, Number(row?.until ?? 0) - this.#clock.now());
    return Math.max(0, Math.ceil(waitMs / 1_000));
  }

  /** Counted before the password is looked at: tries that run side by side, in any process, each count. */
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
