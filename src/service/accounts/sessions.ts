import type { Clock } from "../clock.ts";
import type { RowQueries } from "../rows/rows.ts";
import type { AccountLimits } from "./limits.ts";
import { type Person, readRoles } from "./people.ts";
import { hashOf, newSecret } from "./secrets.ts";

/** Signing in more often ends the oldest sessions. */
const sessionsPerAccount = 50;

/** Sessions of signed-in people. They end without use, after a long time, and with their account. */
export class Sessions {
  readonly #rows: RowQueries;
  readonly #clock: Clock;
  readonly #limits: AccountLimits;

  constructor(rows: RowQueries, clock: Clock, limits: AccountLimits) {
    this.#rows = rows;
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Returns the secret of the session for the browser. */
  async begin(email: string): Promise<string> {
    const session = newSecret();
    const now = this.#clock.now();
    const { idleMs, sessionMs } = this.#limits;
    await this.#rows.run("DELETE FROM holdfast.session WHERE used < $1 OR began < $2", now - idleMs, now - sessionMs);
    await this.#rows.run(
      "INSERT INTO holdfast.session (hash, email, began, used) VALUES ($1, $2, $3, $4)",
      hashOf(session),
      email,
      now,
      now,
    );
    await this.#rows.run(
      `DELETE FROM holdfast.session WHERE hash IN (
         SELECT hash FROM holdfast.session WHERE email = $1 ORDER BY began DESC LIMIT ${sessionsPerAccount} OFFSET $2)`,
      email,
      sessionsPerAccount,
    );
    return session;
  }

  /**
   * Returns the person of a session. Reads the database each time: after a removal or sign-out, the next request is
   * refused.
   */
  async personOf(session: string): Promise<Person | undefined> {
    const now = this.#clock.now();
    const row = await this.#rows.one<{ email: string; roles: string; used: number }>(
      `SELECT email, roles, used FROM holdfast.session JOIN holdfast.account USING (email)
       WHERE hash = $1 AND used >= $2 AND began >= $3`,
      hashOf(session),
      now - this.#limits.idleMs,
      now - this.#limits.sessionMs,
    );
    if (!row) return undefined;
    // Updated once an hour, which is exact enough for the idle limit.
    if (row.used < now - 3_600_000)
      await this.#rows.run("UPDATE holdfast.session SET used = $1 WHERE hash = $2", now, hashOf(session));
    return { name: row.email, roles: readRoles(row.roles) };
  }

  async end(session: string): Promise<void> {
    await this.#rows.run("DELETE FROM holdfast.session WHERE hash = $1", hashOf(session));
  }

  async endAll(email: string): Promise<void> {
    await this.#rows.run("DELETE FROM holdfast.session WHERE email = $1", email);
  }
}
