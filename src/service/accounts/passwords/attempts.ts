import type { Clock } from "../../clock.ts";
import type { Rows } from "../../rows/rows.ts";

/** Wrong passwords of a person who mistypes. More are guesses. */
const freeFailures = 5;
const firstWaitMs = 1_000;
const longestWaitMs = 900_000;
/** From so many failures on, the wait is the longest. */
const mostFailures = freeFailures + Math.ceil(Math.log2(longestWaitMs / firstWaitMs));
/** Bounds the disk space for made-up addresses. The oldest failures are deleted first. */
const mostRemembered = 10_000;

/**
 * Slows down guessing: after some failures, each further one doubles the wait, for that account and that client only.
 * So a stranger cannot make the owner wait by guessing from elsewhere. Stored with the accounts, so that all processes
 * count together and a restart forgets nothing.
 */
export class Attempts {
  readonly #rows: Rows;
  readonly #clock: Clock;

  constructor(rows: Rows, clock: Clock) {
    this.#rows = rows;
    this.#clock = clock;
  }

  /** Returns the seconds until the next attempt is checked, 0 for now. */
  async waitFor(name: string): Promise<number> {
    const row = await this.#rows.one<{ until: number }>("SELECT until FROM holdfast.attempt WHERE name = $1", name);
    // If the clock was set back, the wait is still at most the longest.
    const waitMs = Math.min(longestWaitMs, (row?.until ?? 0) - this.#clock.now());
    return Math.max(0, Math.ceil(waitMs / 1_000));
  }

  /**
   * Counts an attempt before its password is checked, and returns 0; or returns the seconds that it has to wait. One
   * statement does both, so that of parallel attempts in any number of processes no more are checked than of others.
   */
  async begin(name: string): Promise<number> {
    const now = this.#clock.now();
    const counted = await this.#rows.one<{ count: number }>(
      `INSERT INTO holdfast.attempt (name, count, failed, until) VALUES ($1, 1, $2, 0)
       ON CONFLICT (name) DO UPDATE SET count = attempt.count + 1, failed = excluded.failed,
         until = excluded.failed + CASE WHEN attempt.count < ${freeFailures} THEN 0
           WHEN attempt.count < ${mostFailures} THEN ${firstWaitMs} << (attempt.count - ${freeFailures})
           ELSE ${longestWaitMs} END
       WHERE attempt.until <= excluded.failed RETURNING count`,
      name,
      now,
    );
    if (counted === undefined) return Math.max(1, await this.waitFor(name));
    if (counted.count === 1) await this.#forgetOldest();
    return 0;
  }

  async succeeded(name: string): Promise<void> {
    await this.#rows.run("DELETE FROM holdfast.attempt WHERE name = $1", name);
  }

  async #forgetOldest(): Promise<void> {
    await this.#rows.run(
      `DELETE FROM holdfast.attempt WHERE name IN (
         SELECT name FROM holdfast.attempt ORDER BY failed DESC LIMIT ${mostRemembered} OFFSET $1)`,
      mostRemembered,
    );
  }
}
