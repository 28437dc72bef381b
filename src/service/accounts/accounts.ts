import { createHash, randomBytes, type ScryptOptions } from "node:crypto";
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Refusals, sourceOf, TokenBuckets, Turns } from "#bounds";
import type { Clock } from "../clock.ts";
import { dayMs } from "../clock.ts";
import { serviceErrors } from "../errors.ts";
import { Attempts } from "./attempts.ts";
import { KnownDevices } from "./known-devices.ts";
import { hashPassword, isPassword, passwordCost } from "./passwords.ts";
import { isRole, type Person, type Role, roleIn } from "./people.ts";

export interface AccountLimits {
  readonly shortestPassword: number;
  /** A longer text is refused: normalising a megabyte of Unicode would block the process. */
  readonly longestPassword: number;
  /** A session ends after this long without use, and in any case after the second limit. */
  readonly idleMs: number;
  readonly sessionMs: number;
  readonly inviteMs: number;
  readonly passwordCost: ScryptOptions;
  /**
   * Passwords checked at the same time. Each takes 32 MiB and one of Node's four pool threads for 0.2 s, and files need
   * the others. So five guesses per second are checked, for all clients together.
   */
  readonly checksAtOnce: number;
  /**
   * Checks that wait for their turn: four seconds. Half of the places are reserved for known browsers and holders of an
   * invite.
   */
  readonly checksWaiting: number;
  readonly checksKept: number;
  /**
   * Attempts of one client in an unknown browser, for all accounts together: a burst, then this many per second. An
   * office behind one address stays below it.
   */
  readonly triesBurst: number;
  readonly triesPerSecond: number;
}

export const accountLimits: AccountLimits = {
  // NIST SP 800-63B requires 15 if the password is the only factor. Shorter ones are guessed offline within days.
  shortestPassword: 15,
  longestPassword: 1_024,
  idleMs: 14 * dayMs,
  sessionMs: 90 * dayMs,
  inviteMs: 3 * dayMs,
  passwordCost,
  checksAtOnce: 1,
  checksWaiting: 20,
  checksKept: 10,
  triesBurst: 20,
  triesPerSecond: 0.2,
};

export type Roles = Person["roles"];

/** A visitor who wants to sign in, as far as the request identifies them. */
export interface Applicant {
  /** Network address of the client. */
  readonly address: string;
  /** Secret of a browser in which someone has signed in before. */
  readonly device?: string | undefined;
  readonly session?: string | undefined;
}

export type SignIn =
  /** The browser stores `device` beyond the session. */
  | { kind: "signed-in"; session: string; device: string }
  | { kind: "wrong" }
  /** This client has guessed too often. */
  | { kind: "wait"; seconds: number }
  /** Too many passwords wait to be checked. */
  | { kind: "busy"; seconds: number };

export type Acceptance =
  /** Also for an existing account, whose password stays. */
  | SignIn
  /** An existing account, signed in by the request's session, got the role. */
  | { kind: "granted" }
  | { kind: "unknown-invite" }
  | { kind: "short-password"; least: number }
  | { kind: "long-password"; most: number }
  | { kind: "wrong-email" };

/** A person who may see a project. */
export interface Member {
  readonly email: string;
  readonly role: Role;
  /** Has this role in every project, so no single project can change it. */
  readonly everywhere: boolean;
}

/** Addressee of an invite, and its purpose. */
export interface Invite {
  readonly email: string | undefined;
  readonly project?: { readonly id: number; readonly role: Role };
  /** If true, no password is chosen: the person proves ownership of the account by its session or password. */
  readonly hasAccount: boolean;
}

/**
 * Accounts of the service, in a small database of the data folder. Of invites and sessions, which are long random
 * texts, only a hash is stored: a reader of the file cannot sign in with it.
 */
export class Accounts {
  readonly #database: DatabaseSync;
  readonly #clock: Clock;
  readonly #limits: AccountLimits;
  readonly #attempts: Attempts;
  readonly #devices: KnownDevices;
  readonly #tries: TokenBuckets;
  readonly #checks: Turns;
  readonly #refusals: Refusals;

  constructor(
    folder: string,
    clock: Clock,
    limits: AccountLimits = accountLimits,
    refusals: Refusals = new Refusals(),
  ) {
    this.#database = openedDatabase(folder);
    this.#clock = clock;
    this.#limits = limits;
    this.#attempts = new Attempts(this.#database, clock);
    this.#devices = new KnownDevices(this.#database, clock);
    this.#tries = new TokenBuckets(limits.triesBurst, limits.triesPerSecond);
    this.#checks = new Turns({
      atOnce: limits.checksAtOnce,
      waiting: limits.checksWaiting,
      reservedForUrgent: limits.checksKept,
    });
    this.#refusals = refusals;
  }

  get all(): readonly { email: string; roles: Roles }[] {
    return this.#database
      .prepare("SELECT email, roles FROM account ORDER BY email")
      .all()
      .map((row) => ({ email: String(row.email), roles: readRoles(row.roles) }));
  }

  /**
   * Creates a secret that admits one person, once. With an e-mail address, it also sets a new password for that
   * account.
   */
  invite(roles: Roles, email?: string): string {
    const secret = newSecret();
    this.#database.prepare("DELETE FROM invite WHERE ends < ?").run(this.#clock.now());
    this.#database
      .prepare("INSERT INTO invite VALUES (?, ?, ?, ?)")
      .run(hashOf(secret), email ?? null, JSON.stringify(roles), this.#clock.now() + this.#limits.inviteMs);
    return secret;
  }

  /**
   * Creates a secret by which one person joins one project, once. An existing account keeps its password and its other
   * roles. Returns undefined for an invalid e-mail address.
   */
  inviteTo(project: number, role: Role, typedEmail: string): string | undefined {
    const email = normalEmail(typedEmail);
    if (email === undefined) return undefined;
    const secret = newSecret();
    const now = this.#clock.now();
    this.#database
      .prepare("DELETE FROM project_invite WHERE ends < ? OR (email = ? AND project = ?)")
      .run(now, email, project);
    this.#database
      .prepare("INSERT INTO project_invite VALUES (?, ?, ?, ?, ?)")
      .run(hashOf(secret), email, project, role, now + this.#limits.inviteMs);
    return secret;
  }

  invitesTo(project: number): readonly { email: string; role: Role; ends: number }[] {
    return this.#database
      .prepare("SELECT email, role, ends FROM project_invite WHERE project = ? AND ends >= ? ORDER BY email")
      .all(project, this.#clock.now())
      .map(({ email, role, ends }) => ({ email: String(email), role: readRole(role), ends: Number(ends) }));
  }

  cancelInvite(project: number, email: string): boolean {
    const cancelled = this.#database
      .prepare("DELETE FROM project_invite WHERE project = ? AND email = ?")
      .run(project, email);
    return cancelled.changes > 0;
  }

  membersOf(project: number): readonly Member[] {
    return this.all.flatMap(({ email, roles }) => {
      const role = roleIn({ name: email, roles }, project);
      return role === undefined ? [] : [{ email, role, everywhere: isRole(roles) }];
    });
  }

  /**
   * Changes or removes a person's role in a project. A role in all projects stays. An account without any role is
   * deleted, with its sessions.
   */
  setRole(project: number, email: string, role: Role | undefined): boolean {
    const roles = this.#rolesOf(email);
    if (roles === undefined || isRole(roles) || roles[project] === undefined) return false;
    const { [project]: _before, ...others } = roles;
    const after = role === undefined ? others : { ...others, [project]: role };
    if (Object.keys(after).length === 0) return this.remove(email);
    this.#database.prepare("UPDATE account SET roles = ? WHERE email = ?").run(JSON.stringify(after), email);
    return true;
  }

  /** Returns undefined for a secret that is used, expired or unknown. */
  invited(secret: string): Invite | undefined {
    const now = this.#clock.now();
    const joins = this.#database
      .prepare("SELECT email, project, role FROM project_invite WHERE hash = ? AND ends >= ?")
      .get(hashOf(secret), now);
    if (joins) {
      const email = String(joins.email);
      const project = { id: Number(joins.project), role: readRole(joins.role) };
      return { email, project, hasAccount: this.#rolesOf(email) !== undefined };
    }
    const row = this.#database
      .prepare("SELECT email FROM invite WHERE hash = ? AND ends >= ?")
      .get(hashOf(secret), now);
    return row && { email: row.email === null ? undefined : String(row.email), hasAccount: false };
  }

  /**
   * Uses an invite. An e-mail address proves nothing, because it was never verified: the owner of an account with it
   * may not be the invited person. An existing account therefore joins only with its own session or password.
   */
  async accept(secret: string, typed: { email: string; password: string }, from: Applicant): Promise<Acceptance> {
    const invited = this.invited(secret);
    if (!invited) return { kind: "unknown-invite" };
    const email = invited.email ?? normalEmail(typed.email);
    if (email === undefined) return { kind: "wrong-email" };
    if (invited.project && invited.hasAccount) return this.#joinAs(email, secret, typed.password, from);
    // An invite without an address creates accounts. It does not open existing ones.
    if (invited.email === undefined && this.#rolesOf(email) !== undefined) return { kind: "wrong-email" };
    const { shortestPassword: least, longestPassword: most } = this.#limits;
    if (typed.password.length < least) return { kind: "short-password", least };
    if (typed.password.length > most) return { kind: "long-password", most };
    const hashed = await this.#checks.run(() => hashPassword(typed.password, this.#limits.passwordCost), true);
    if (hashed.kind === "refused") return this.#busy();
    // The account may have been created meanwhile. Only the operator's invite for an address may replace an account.
    const replaces = invited.email !== undefined && invited.project === undefined;
    if (!replaces && this.#rolesOf(email) !== undefined) return this.accept(secret, typed, from);
    const roles = this.#spend(secret);
    if (roles === undefined) return { kind: "unknown-invite" };
    this.#database.prepare("DELETE FROM session WHERE email = ?").run(email);
    this.#devices.forgetAll(email);
    this.#database
      .prepare("INSERT INTO account VALUES (?, ?, ?) ON CONFLICT (email) DO UPDATE SET password = ?2, roles = ?3")
      .run(email, hashed.value, JSON.stringify(roles));
    // Each start without an account printed a link for the first owner. The first owner exists now, so links in old
    // logs must not create another.
    this.#database.exec("DELETE FROM invite WHERE email IS NULL");
    return this.#signedIn(email, undefined);
  }

  /**
   * Signs in. Guesses are slowed down per account and client, never for an account as a whole: the right password works
   * during an attack. A browser that has opened the account before has its own attempts and its own place in the queue.
   */
  async signIn(typedEmail: string, password: string, from: Applicant): Promise<SignIn> {
    const email = normalEmail(typedEmail) ?? "";
    const device = this.#devices.find(email, from.device);
    const source = sourceOf(from.address);
    const name = device === undefined ? `${source} ${email}` : `device ${device}`;
    const seconds =
      this.#attempts.waitFor(name) || (device === undefined ? this.#tries.take(source, this.#clock.elapsed()) : 0);
    if (seconds > 0) {
      this.#refusals.add("sign-ins");
      return { kind: "wait", seconds };
    }
    if (!this.#checks.hasRoom(device !== undefined)) return this.#busy();
    this.#attempts.begin(name);
    const row = this.#database.prepare("SELECT password FROM account WHERE email = ?").get(email);
    const kept = row ? String(row.password) : nobodysPassword;
    const typed = password.slice(0, this.#limits.longestPassword + 1);
    // An unknown address takes as long as a known one, so that the response time does not reveal who has an account.
    const check = () => isPassword(typed, kept, this.#limits.passwordCost);
    const checked = await this.#checks.run(check, device !== undefined);
    if (checked.kind === "refused") return this.#busy();
    if (!row || !checked.value) return { kind: "wrong" };
    this.#attempts.succeeded(name);
    return this.#signedIn(email, from.device);
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

  signOut(session: string): void {
    this.#database.prepare("DELETE FROM session WHERE hash = ?").run(hashOf(session));
  }

  /** Removes an account and its sessions. Returns whether it existed. */
  remove(email: string): boolean {
    return this.#database.prepare("DELETE FROM account WHERE email = ?").run(normalEmail(email) ?? "").changes > 0;
  }

  close(): void {
    this.#database.close();
  }

  #busy(): { kind: "busy"; seconds: number } {
    this.#refusals.add("password-checks");
    return { kind: "busy", seconds: busySeconds };
  }

  async #joinAs(email: string, secret: string, password: string, from: Applicant): Promise<Acceptance> {
    const isSignedIn = from.session !== undefined && this.personOf(from.session)?.name === email;
    if (isSignedIn) return this.#join(secret, email);
    const signedIn = await this.signIn(email, password, from);
    if (signedIn.kind !== "signed-in") return signedIn;
    const joined = this.#join(secret, email);
    return joined.kind === "granted" ? signedIn : joined;
  }

  #join(secret: string, email: string): Acceptance {
    const joined = this.#spend(secret);
    const roles = this.#rolesOf(email);
    if (joined === undefined || roles === undefined) return { kind: "unknown-invite" };
    if (!isRole(roles) && !isRole(joined))
      this.#database
        .prepare("UPDATE account SET roles = ? WHERE email = ?")
        .run(JSON.stringify({ ...roles, ...joined }), email);
    return { kind: "granted" };
  }

  /** Consumes a secret and returns its roles. It works once. */
  #spend(secret: string): Roles | undefined {
    const hash = hashOf(secret);
    const joins = this.#database.prepare("DELETE FROM project_invite WHERE hash = ? RETURNING project, role").get(hash);
    if (joins) return { [Number(joins.project)]: readRole(joins.role) };
    const used = this.#database.prepare("DELETE FROM invite WHERE hash = ? RETURNING roles").get(hash);
    return used && readRoles(used.roles);
  }

  #rolesOf(email: string): Roles | undefined {
    const row = this.#database.prepare("SELECT roles FROM account WHERE email = ?").get(email);
    return row && readRoles(row.roles);
  }

  #signedIn(email: string, device: string | undefined): Extract<SignIn, { kind: "signed-in" }> {
    return { kind: "signed-in", session: this.#begin(email), device: this.#devices.remember(email, device) };
  }

  #begin(email: string): string {
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
}

/** By then a place is free again: a check takes 0.2 s. */
const busySeconds = 5;

/** Signing in more often ends the oldest sessions. */
const sessionsPerAccount = 50;

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

/** This class has written the value. A modified file gets the lowest role. */
function readRole(value: unknown): Role {
  return isRole(value) ? value : "viewer";
}

function readRoles(text: unknown): Roles {
  const roles: unknown = JSON.parse(String(text));
  if (isRole(roles)) return roles;
  const byProject: Record<number, Role> = {};
  if (typeof roles === "object" && roles !== null)
    for (const [project, role] of Object.entries(roles)) if (isRole(role)) byProject[Number(project)] = role;
  return byProject;
}

function openedDatabase(folder: string): DatabaseSync {
  const file = join(folder, "accounts.db");
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const database = new DatabaseSync(file, { timeout: 5_000 });
    chmodSync(file, 0o600);
    database.exec(`
      PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON;
      CREATE TABLE IF NOT EXISTS account (email TEXT PRIMARY KEY, password TEXT NOT NULL, roles TEXT NOT NULL) STRICT;
      CREATE TABLE IF NOT EXISTS session (
        hash TEXT PRIMARY KEY, email TEXT NOT NULL REFERENCES account ON DELETE CASCADE, began INTEGER NOT NULL, used INTEGER NOT NULL) STRICT;
      CREATE TABLE IF NOT EXISTS invite (hash TEXT PRIMARY KEY, email TEXT, roles TEXT NOT NULL, ends INTEGER NOT NULL) STRICT;
      CREATE TABLE IF NOT EXISTS project_invite (
        hash TEXT PRIMARY KEY, email TEXT NOT NULL, project INTEGER NOT NULL, role TEXT NOT NULL, ends INTEGER NOT NULL) STRICT;`);
    return database;
  } catch (error) {
    throw serviceErrors.unreadableAccounts(file, error instanceof Error ? error.message : String(error));
  }
}
