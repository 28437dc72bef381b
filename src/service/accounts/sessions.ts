import type { Clock } from "../clock.ts";
import type { RowQueries } from "../rows/rows.ts";
import type { Applicant } from "./applicant.ts";
import { deviceNameOf, networkOf } from "./device-name.ts";
import type { AccountLimits } from "./limits.ts";
import { type Person, readRoles } from "./people.ts";
import { hashOf, newSecret } from "./secrets.ts";

/** Signing in more often ends the oldest sessions. */
const sessionsPerAccount = 50;

/** So exactly is known when a session was used last. */
const usedEveryMs = 300_000;

/** A session as its owner sees it. */
export interface OwnSession {
  /** Names the session for its owner. Opens nothing. */
  readonly id: string;
  /** For example `Firefox on Linux`. */
  readonly device: string | undefined;
  /** For example `192.0.2.x`. */
  readonly network: string | undefined;
  readonly began: number;
  readonly used: number;
  /** Of this request. */
  readonly isThis: boolean;
}

/** Sessions of signed-in people. They end without use, after a long time, and with their account. */
export class Sessions {
  readonly #rows: RowQueries;
  readonly #clock: Clock;
  readonly #limits: AccountLimits;
  readonly #secondFactor: "optional" | "required";

  constructor(
    rows: RowQueries,
    clock: Clock,
    limits: AccountLimits,
    secondFactor: "optional" | "required" = "optional",
  ) {
    this.#rows = rows;
    this.#clock = clock;
    this.#limits = limits;
    this.#secondFactor = secondFactor;
  }

  /** Returns the secret of the session for the browser. It may end earlier than the limits say. */
  async begin(email: string, from: Pick<Applicant, "address" | "userAgent">, ends?: number): Promise<string> {
    const session = newSecret();
    const now = this.#clock.now();
    const { idleMs, sessionMs } = this.#limits;
    await this.#rows.run(
      "DELETE FROM holdfast.session WHERE used < $1 OR began < $2 OR ends < $3",
      now - idleMs,
      now - sessionMs,
      now,
    );
    await this.#rows.run(
      `INSERT INTO holdfast.session (hash, email, began, used, device, network, ends)
       VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      hashOf(session),
      email,
      now,
      now,
      deviceNameOf(from.userAgent) ?? null,
      networkOf(from.address) ?? null,
      ends ?? null,
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
    const row = await this.#find(session);
    if (row === undefined || this.#lacksFactor(row)) return undefined;
    const now = this.#clock.now();
    if (row.used < now - usedEveryMs)
      await this.#rows.run("UPDATE holdfast.session SET used = $1 WHERE hash = $2", now, hashOf(session));
    return { name: row.email, roles: readRoles(row.roles) };
  }

  /**
   * Whether a session opens nothing because its person has no second factor yet, which the operator requires since.
   * Sessions of the identity provider, which have an end, are not asked for one.
   */
  async lacksSecondFactor(session: string): Promise<boolean> {
    const row = await this.#find(session);
    return row !== undefined && this.#lacksFactor(row);
  }

  #lacksFactor({ ends, factors }: FoundSession): boolean {
    return this.#secondFactor === "required" && ends === null && factors === 0;
  }

  #find(session: string): Promise<FoundSession | undefined> {
    const now = this.#clock.now();
    return this.#rows.one<FoundSession>(
      `SELECT email, roles, used, ends, (SELECT count(*) FROM holdfast.totp
         WHERE totp.email = session.email AND totp.confirmed = 1) AS factors
       FROM holdfast.session JOIN holdfast.account USING (email)
       WHERE hash = $1 AND used >= $2 AND began >= $3 AND (ends IS NULL OR ends >= $4)`,
      hashOf(session),
      now - this.#limits.idleMs,
      now - this.#limits.sessionMs,
      now,
    );
  }

  /** The sessions of a person, the last used first. */
  async of(email: string, current: string | undefined): Promise<readonly OwnSession[]> {
    const now = this.#clock.now();
    const rows = await this.#rows.all<StoredSession>(
      `SELECT hash, device, network, began, used FROM holdfast.session
       WHERE email = $1 AND used >= $2 AND began >= $3 AND (ends IS NULL OR ends >= $4) ORDER BY used DESC, began DESC`,
      email,
      now - this.#limits.idleMs,
      now - this.#limits.sessionMs,
      now,
    );
    const own = current === undefined ? undefined : hashOf(current);
    return rows.map(({ hash, device, network, began, used }) => ({
      id: hash,
      device: device ?? undefined,
      network: network ?? undefined,
      began,
      used,
      isThis: hash === own,
    }));
  }

  /** Ends one of the sessions of a person. Returns whether it existed. */
  async endOne(email: string, id: string): Promise<boolean> {
    return (await this.#rows.run("DELETE FROM holdfast.session WHERE hash = $1 AND email = $2", id, email)) > 0;
  }

  /** Ends all sessions of a person but one. Returns how many. */
  endOthers(email: string, current: string): Promise<number> {
    const sql = "DELETE FROM holdfast.session WHERE email = $1 AND hash <> $2";
    return this.#rows.run(sql, email, hashOf(current));
  }

  async end(session: string): Promise<void> {
    await this.#rows.run("DELETE FROM holdfast.session WHERE hash = $1", hashOf(session));
  }

  async endAll(email: string): Promise<void> {
    await this.#rows.run("DELETE FROM holdfast.session WHERE email = $1", email);
  }
}

interface FoundSession {
  email: string;
  roles: string;
  used: number;
  ends: number | null;
  factors: number;
}

interface StoredSession {
  hash: string;
  device: string | null;
  network: string | null;
  began: number;
  used: number;
}
