import { createHash, randomBytes, type ScryptOptions } from "node:crypto";
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Clock } from "../clock.ts";
import { isRole, type Person, type Role } from "../desk/people.ts";
import { Attempts } from "./attempts.ts";
import { hashPassword, isPassword, passwordCost } from "./passwords.ts";

export interface AccountLimits {
  readonly shortestPassword: number;
  /** A session that nobody used for so long is over; every one is over in the end. */
  readonly idleMs: number;
  readonly sessionMs: number;
  readonly inviteMs: number;
  readonly passwordCost: ScryptOptions;
}

const dayMs = 86_400_000;

export const accountLimits: AccountLimits = {
  // NIST SP 800-63B asks for 15 where a password is all there is; fewer are guessed offline within days.
  shortestPassword: 15,
  idleMs: 14 * dayMs,
  sessionMs: 90 * dayMs,
  inviteMs: 3 * dayMs,
  passwordCost,
};

export type Roles = Person["roles"];

export type SignIn = { kind: "signed-in"; session: string } | { kind: "wrong" } | { kind: "wait"; seconds: number };

export type Acceptance =
  | { kind: "signed-in"; session: string }
  | { kind: "unknown-invite" }
  | { kind: "short-password"; least: number }
  | { kind: "wrong-email" };

/**
 * People with an account of the service's own, in a small file of the data folder. Invites and sessions are long random texts of which only a hash is kept:
 * who reads the file can be nobody with it.
 */
export class Accounts {
  readonly #database: DatabaseSync;
  readonly #clock: Clock;
  readonly #limits: AccountLimits;
  readonly #attempts: Attempts;

  constructor(folder: string, clock: Clock, limits: AccountLimits = accountLimits) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const file = join(folder, "accounts.db");
    this.#database = new DatabaseSync(file, { timeout: 5_000 });
    chmodSync(file, 0o600);
    this.#database.exec(`
      PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON;
      CREATE TABLE IF NOT EXISTS account (email TEXT PRIMARY KEY, password TEXT NOT NULL, roles TEXT NOT NULL) STRICT;
      CREATE TABLE IF NOT EXISTS session (
        hash TEXT PRIMARY KEY, email TEXT NOT NULL REFERENCES account ON DELETE CASCADE, began INTEGER NOT NULL, used INTEGER NOT NULL) STRICT;
      CREATE TABLE IF NOT EXISTS invite (hash TEXT PRIMARY KEY, email TEXT, roles TEXT NOT NULL, ends INTEGER NOT NULL) STRICT;`);
    this.#clock = clock;
    this.#limits = limits;
    this.#attempts = new Attempts(clock);
  }

  get all(): readonly { email: string; roles: Roles }[] {
    return this.#database
      .prepare("SELECT email, roles FROM account ORDER BY email")
      .all()
      .map((row) => ({ email: String(row.email), roles: readRoles(row.roles) }));
  }

  /** A secret that lets one person in, once. With an e-mail address it sets a new password for that account too. */
  invite(roles: Roles, email?: string): string {
    const secret = newSecret();
    this.#database.prepare("DELETE FROM invite WHERE ends < ?").run(this.#clock.now());
    this.#database
      .prepare("INSERT INTO invite VALUES (?, ?, ?, ?)")
      .run(hashOf(secret), email ?? null, JSON.stringify(roles), this.#clock.now() + this.#limits.inviteMs);
    return secret;
  }

  /** Whom a secret invites; nothing for one that was used, is over, or never was. */
  invited(secret: string): { email: string | undefined } | undefined {
    const row = this.#database
      .prepare("SELECT email FROM invite WHERE hash = ? AND ends >= ?")
      .get(hashOf(secret), this.#clock.now());
    return row && { email: row.email === null ? undefined : String(row.email) };
  }

  async accept(secret: string, typedEmail: string, password: string): Promise<Acceptance> {
    const invited = this.invited(secret);
    if (!invited) return { kind: "unknown-invite" };
    const email = invited.email ?? normalEmail(typedEmail);
    if (email === undefined) return { kind: "wrong-email" };
    const least = this.#limits.shortestPassword;
    if (password.length < least) return { kind: "short-password", least };
    const hash = await hashPassword(password, this.#limits.passwordCost);
    // Whoever comes second with the same secret finds it gone.
    const used = this.#database.prepare("DELETE FROM invite WHERE hash = ? RETURNING roles").get(hashOf(secret));
    if (!used) return { kind: "unknown-invite" };
    this.#database.prepare("DELETE FROM session WHERE email = ?").run(email);
    this.#database
      .prepare("INSERT INTO account VALUES (?, ?, ?) ON CONFLICT (email) DO UPDATE SET password = ?2, roles = ?3")
      .run(email, hash, String(used.roles));
    return { kind: "signed-in", session: this.#begin(email) };
  }

  async signIn(typedEmail: string, password: string): Promise<SignIn> {
    const email = normalEmail(typedEmail) ?? "";
    const seconds = this.#attempts.waitFor(email);
    if (seconds > 0) return { kind: "wait", seconds };
    const row = this.#database.prepare("SELECT password FROM account WHERE email = ?").get(email);
    // An unknown address costs as much time as a known one, so that nobody learns who has an account.
    const right = await isPassword(password, row ? String(row.password) : nobodysPassword, this.#limits.passwordCost);
    if (!row || !right) {
      this.#attempts.failed(email);
      return { kind: "wrong" };
    }
    this.#attempts.succeeded(email);
    return { kind: "signed-in", session: this.#begin(email) };
  }

  /** Who a session belongs to, by what is true at this moment: whoever was removed or signed out is a stranger with the next request. */
  personOf(session: string): Person | undefined {
    const now = this.#clock.now();
    const row = this.#database
      .prepare(
        "SELECT email, roles, used FROM session JOIN account USING (email) WHERE hash = ? AND used >= ? AND began >= ?",
      )
      .get(hashOf(session), now - this.#limits.idleMs, now - this.#limits.sessionMs);
    if (!row) return undefined;
    // Once an hour is enough to know that it is used.
    if (Number(row.used) < now - 3_600_000)
      this.#database.prepare("UPDATE session SET used = ? WHERE hash = ?").run(now, hashOf(session));
    return { name: String(row.email), roles: readRoles(row.roles) };
  }

  signOut(session: string): void {
    this.#database.prepare("DELETE FROM session WHERE hash = ?").run(hashOf(session));
  }

  /** Ends all sessions too. Returns whether there was such an account. */
  remove(email: string): boolean {
    return this.#database.prepare("DELETE FROM account WHERE email = ?").run(normalEmail(email) ?? "").changes > 0;
  }

  close(): void {
    this.#database.close();
  }

  #begin(email: string): string {
    const session = newSecret();
    const now = this.#clock.now();
    this.#database.prepare("INSERT INTO session VALUES (?, ?, ?, ?)").run(hashOf(session), email, now, now);
    return session;
  }
}

/** A hash that no password has. */
const nobodysPassword = `${"A".repeat(22)}.${"A".repeat(43)}`;

function newSecret(): string {
  return randomBytes(32).toString("base64url");
}

function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("base64url");
}

export function normalEmail(text: string): string | undefined {
  const email = text.trim().toLowerCase();
  return email.length <= 254 && /^[^\s@]+@[^\s@]+$/.test(email) ? email : undefined;
}

function readRoles(text: unknown): Roles {
  const roles: unknown = JSON.parse(String(text));
  if (isRole(roles)) return roles;
  const byProject: Record<number, Role> = {};
  if (typeof roles === "object" && roles !== null)
    for (const [project, role] of Object.entries(roles)) if (isRole(role)) byProject[Number(project)] = role;
  return byProject;
}
