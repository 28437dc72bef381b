import type { DatabaseSync } from "node:sqlite";
import type { Clock } from "../clock.ts";
import type { AccountLimits } from "./limits.ts";
import { type Person, readRoles } from "./people.ts";
import { hashOf, newSecret } from "./secrets.ts";

/** Signing in more often ends the oldest sessions. */
const sessionsPerAccount = 50;

/** Sessions of signed-in people. They end without use, after a long time, and with their account. */
export class Sessions {
  readonly #database: DatabaseSync;
  readonly #clock: Clock;
  readonly #limits: AccountLimits;

  constructor(database: DatabaseSync, clock: Clock, limits: AccountLimits) {
    database.exec(`
      CREATE TABLE IF NOT EXISTS session (
        hash TEXT PRIMARY KEY, email TEXT NOT NULL REFERENCES account ON DELETE CASCADE, began INTEGER NOT NULL, used INTEGER NOT NULL) STRICT;`);
    this.#database = database;
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Returns the secret of the session for the browser. */
  begin(email: string): string {
    const session = newSecret();
    const now = this.#clock.now();
    const { idleMs, sessionMs } = this.#limits;
    this.#database.prepare("DELETE FROM session WHERE used < ? OR began < ?").run(now - idleMs, now - sessionMs);
    this.#database.prepare("INSERT INTO session VALUES (?, ?, ?, ?)").run(hashOf(session), email, now, now);
    this.#database
      .prepare(
        "DELETE FROM session WHERE hash IN (SELECT hash FROM session WHERE email = ? ORDER BY began DESC LIMIT -1 OFFSET ?)",
      )
      .run(email, sessionsPerAccount);
    return session;
  }

  /**
   * Returns the person of a session. Reads the database each time: after a removal or sign-out, the next request is
   * refused.
   */
  personOf(session: string): Person | undefined {
    const now = this.#clock.now();
    const row = this.#database
      .prepare(
        "SELECT email, roles, used FROM session JOIN account USING (email) WHERE hash = ? AND used >= ? AND began >= ?",
      )
      .get(hashOf(session), now - this.#limits.idleMs, now - this.#limits.sessionMs);
    if (!row) return undefined;
    // Updated once an hour, which is exact enough for the idle limit.
    if (Number(row.used) < now - 3_600_000)
      this.#database.prepare("UPDATE session SET used = ? WHERE hash = ?").run(now, hashOf(session));
    return { name: String(row.email), roles: readRoles(row.roles) };
  }

  end(session: string): void {
    this.#database.prepare("DELETE FROM session WHERE hash = ?").run(hashOf(session));
  }

  endAll(email: string): void {
    this.#database.prepare("DELETE FROM session WHERE email = ?").run(email);
  }
}
