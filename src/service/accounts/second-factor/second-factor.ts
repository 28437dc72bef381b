import { createHash, randomBytes } from "node:crypto";
import type { Clock } from "../../clock.ts";
import type { RowQueries, Rows } from "../../rows/rows.ts";
import { Attempts } from "../passwords/attempts.ts";
import type { RefusalLog } from "../refusal-log.ts";
import { qrCode } from "./qr-code.ts";
import { openSecret, type SealKeys, sealSecret } from "./sealed-secret.ts";
import { base32, otpauthAddress, stepOfCode } from "./totp.ts";

export type FactorState = { kind: "off" } | { kind: "on"; recoveryCodesLeft: number };

/** A secret that a person puts into an authenticator app. */
export interface Enrolment {
  /** To type in. */
  readonly secret: string;
  /** A link for the phone itself. */
  readonly address: string;
  /** The same to scan. Undefined for an account with a very long address. */
  readonly qr: { readonly size: number; readonly path: string } | undefined;
}

export type CodeProblem =
  | { kind: "wrong" }
  | { kind: "wait"; seconds: number }
  /** The secret was sealed with another key of the operator. Recovery codes work. */
  | { kind: "unreadable" };

/** `recoveryCodes` are shown once. */
export type NewCodes = { kind: "done"; recoveryCodes: readonly string[] } | CodeProblem;

export interface SecondFactorDeps {
  readonly rows: Rows;
  readonly clock: Clock;
  readonly log: RefusalLog;
  readonly keys: SealKeys;
  /** The operator demands it of all people who sign in by a password. */
  readonly isRequired: boolean;
}

/** 160 bits, as RFC 4226 recommends for its hash. */
const secretBytes = 20;
/** As many as fit on a note, for ten lost phones. Each has 80 bits: guessing its hash is hopeless. */
const recoveryCodes = { count: 10, bytes: 10 };
const issuer = "Holdfast";

/**
 * Codes of an authenticator app (RFC 6238) as a second factor. The secret is sealed, recovery codes are hashed, each
 * code works once, and wrong ones make the account wait: only a person who knows the password gets so far.
 */
export class SecondFactor {
  readonly #deps: SecondFactorDeps;
  readonly #attempts: Attempts;

  constructor(deps: SecondFactorDeps) {
    this.#deps = deps;
    this.#attempts = new Attempts(deps.rows, deps.clock);
  }

  get isRequired(): boolean {
    return this.#deps.isRequired;
  }

  async state(email: string, queries: RowQueries = this.#deps.rows): Promise<FactorState> {
    const row = await queries.one<{ codes: number }>(
      `SELECT (SELECT count(*) FROM holdfast.recovery_code WHERE recovery_code.email = totp.email) AS codes
       FROM holdfast.totp WHERE email = $1 AND confirmed = 1`,
      email,
    );
    return row === undefined ? { kind: "off" } : { kind: "on", recoveryCodesLeft: row.codes };
  }

  /** The secret to confirm. The same until it is confirmed, so that a page may be loaded again. */
  async begin(email: string): Promise<Enrolment | undefined> {
    const { rows, keys } = this.#deps;
    const stored = await this.#stored(email);
    if (stored?.confirmed === 1) return undefined;
    const known = stored && (await openSecret(stored.secret, email, keys));
    const secret = known ?? randomBytes(secretBytes);
    if (known === undefined)
      await rows.run(
        `INSERT INTO holdfast.totp (email, secret, step, confirmed) VALUES ($1, $2, 0, 0)
         ON CONFLICT (email) DO UPDATE SET secret = excluded.secret WHERE totp.confirmed = 0`,
        email,
        await sealSecret(secret, email, keys),
      );
    const address = otpauthAddress(secret, email, issuer);
    return { secret: base32(secret), address, qr: qrCode(address) };
  }

  /** Turns it on, after a code has shown that the app has the secret. */
  async confirm(email: string, typed: string): Promise<NewCodes> {
    const stored = await this.#stored(email);
    if (stored === undefined || stored.confirmed === 1) return { kind: "wrong" };
    const checked = await this.#attempt(email, () => this.#takeTotp(email, typed, stored.secret));
    if (checked.kind !== "right") return checked;
    await this.#deps.rows.run("UPDATE holdfast.totp SET confirmed = 1 WHERE email = $1", email);
    return { kind: "done", recoveryCodes: await this.#newCodes(email) };
  }

  /** Uses up a code of the app, or a recovery code. */
  verify(email: string, typed: string): Promise<{ kind: "right" } | CodeProblem> {
    return this.#attempt(email, async () => {
      const stored = await this.#stored(email);
      if (stored?.confirmed !== 1) return { kind: "wrong" };
      const text = typed.replace(/[\s-]/g, "").toUpperCase();
      if (/^\d{6}$/.test(text)) return this.#takeTotp(email, text, stored.secret);
      const sql = "DELETE FROM holdfast.recovery_code WHERE hash = $1 AND email = $2";
      return (await this.#deps.rows.run(sql, recoveryHash(email, text), email)) > 0
        ? { kind: "right" }
        : { kind: "wrong" };
    });
  }

  /** Replaces the recovery codes. */
  async renewCodes(email: string, typed: string): Promise<NewCodes> {
    const checked = await this.verify(email, typed);
    return checked.kind === "right" ? { kind: "done", recoveryCodes: await this.#newCodes(email) } : checked;
  }

  async turnOff(email: string, typed: string): Promise<{ kind: "done" } | { kind: "required" } | CodeProblem> {
    if (this.#deps.isRequired) return { kind: "required" };
    const checked = await this.verify(email, typed);
    if (checked.kind !== "right") return checked;
    await this.reset(email);
    return { kind: "done" };
  }

  /** For a person who has lost the phone and the recovery codes. Returns whether there was a second factor. */
  async reset(email: string): Promise<boolean> {
    return this.#deps.rows.transaction(async (queries) => {
      await queries.run("DELETE FROM holdfast.recovery_code WHERE email = $1", email);
      return (await queries.run("DELETE FROM holdfast.totp WHERE email = $1", email)) > 0;
    });
  }

  async #attempt(
    email: string,
    check: () => Promise<{ kind: "right" } | CodeProblem>,
  ): Promise<{ kind: "right" } | CodeProblem> {
    const name = `code ${email}`;
    const seconds = await this.#attempts.begin(name);
    if (seconds > 0) return { kind: "wait", seconds };
    const checked = await check();
    if (checked.kind === "right") await this.#attempts.succeeded(name);
    if (checked.kind === "wrong") await this.#deps.log.add({ who: email, why: "wrong code of the second factor" });
    return checked;
  }

  async #takeTotp(email: string, typed: string, sealed: string): Promise<{ kind: "right" } | CodeProblem> {
    const { rows, clock, keys } = this.#deps;
    const secret = await openSecret(sealed, email, keys);
    if (secret === undefined) return { kind: "unreadable" };
    const step = stepOfCode(secret, typed.replace(/\s/g, ""), clock.now());
    if (step === undefined) return { kind: "wrong" };
    // Of requests with the same code, in any number of processes, one changes the row.
    const sql = "UPDATE holdfast.totp SET step = $1 WHERE email = $2 AND step < $1";
    return (await rows.run(sql, step, email)) > 0 ? { kind: "right" } : { kind: "wrong" };
  }

  async #newCodes(email: string): Promise<readonly string[]> {
    const codes = Array.from({ length: recoveryCodes.count }, () => base32(randomBytes(recoveryCodes.bytes)));
    await this.#deps.rows.transaction(async (queries) => {
      await queries.run("DELETE FROM holdfast.recovery_code WHERE email = $1", email);
      for (const code of codes)
        await queries.run(
          "INSERT INTO holdfast.recovery_code (hash, email) VALUES ($1, $2)",
          recoveryHash(email, code),
          email,
        );
    });
    return codes.map((code) => code.replace(/(.{4})(?=.)/g, "$1-"));
  }

  async #stored(email: string): Promise<{ secret: string; confirmed: number } | undefined> {
    return this.#deps.rows.one("SELECT secret, confirmed FROM holdfast.totp WHERE email = $1", email);
  }
}

function recoveryHash(email: string, code: string): string {
  return createHash("sha256").update(`${email} ${code}`).digest("base64url");
}
