import type { DatabaseSync } from "node:sqlite";
import { Refusals, sourceOf, TokenBuckets, Turns } from "#bounds";
import type { Clock } from "../clock.ts";
import { Attempts } from "./attempts.ts";
import { normalEmail } from "./email.ts";
import { Invites } from "./invites.ts";
import { KnownDevices } from "./known-devices.ts";
import { type AccountLimits, accountLimits } from "./limits.ts";
import { openDatabase } from "./open-database.ts";
import { hashPassword, isPassword } from "./passwords.ts";
import { isRole, type Role, type Roles, readRoles, roleIn } from "./people.ts";
import { Sessions } from "./sessions.ts";

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

/**
 * Accounts of the service, in a small database of the data folder. Of invites and sessions, which are long random
 * texts, only a hash is stored: a reader of the file cannot sign in with it.
 */
export class Accounts {
  readonly invites: Invites;
  readonly sessions: Sessions;
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
    this.#database = openDatabase(folder);
    this.invites = new Invites(this.#database, clock, limits);
    this.sessions = new Sessions(this.#database, clock, limits);
    this.#clock = clock;
    this.#limits = limits;
    this.#attempts = new Attempts(this.#database, clock);
    this.#devices = new KnownDevices(this.#database, clock);
    this.#tries = new TokenBuckets(limits.triesBurst, limits.triesPerSecond);
    this.#checks = new Turns({
      atOnce: limits.checksAtOnce,
      waiting: limits.checksWaiting,
      reservedForUrgent: limits.checksReserved,
    });
    this.#refusals = refusals;
  }

  get all(): readonly { email: string; roles: Roles }[] {
    return this.#database
      .prepare("SELECT email, roles FROM account ORDER BY email")
      .all()
      .map((row) => ({ email: String(row.email), roles: readRoles(row.roles) }));
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

  /**
   * Uses an invite. An e-mail address proves nothing, because it was never verified: the owner of an account with it
   * may not be the invited person. An existing account therefore joins only with its own session or password.
   */
  async accept(secret: string, typed: { email: string; password: string }, from: Applicant): Promise<Acceptance> {
    const invited = this.invites.find(secret);
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
    const roles = this.invites.use(secret);
    if (roles === undefined) return { kind: "unknown-invite" };
    this.sessions.endAll(email);
    this.#devices.forgetAll(email);
    this.#database
      .prepare("INSERT INTO account VALUES (?, ?, ?) ON CONFLICT (email) DO UPDATE SET password = ?2, roles = ?3")
      .run(email, hashed.value, JSON.stringify(roles));
    // Each start without an account printed a link for the first owner. The first owner exists now, so links in old
    // logs must not create another.
    this.invites.cancelUnaddressed();
    return this.#signedIn(email, undefined);
  }

  /**
   * Signs in. Guesses are slowed down per account and client, never for an account as a whole: the right password works
   * during an attack. A browser that has opened the account before has its own attempts and its own share of the queue.
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
    const stored = row ? String(row.password) : unmatchedHash;
    const typed = password.slice(0, this.#limits.longestPassword + 1);
    // An unknown address takes as long as a known one, so that the response time does not reveal who has an account.
    const check = () => isPassword(typed, stored, this.#limits.passwordCost);
    const checked = await this.#checks.run(check, device !== undefined);
    if (checked.kind === "refused") return this.#busy();
    if (!row || !checked.value) return { kind: "wrong" };
    this.#attempts.succeeded(name);
    return this.#signedIn(email, from.device);
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
    const isSignedIn = from.session !== undefined && this.sessions.personOf(from.session)?.name === email;
    if (isSignedIn) return this.#join(secret, email);
    const signedIn = await this.signIn(email, password, from);
    if (signedIn.kind !== "signed-in") return signedIn;
    const joined = this.#join(secret, email);
    return joined.kind === "granted" ? signedIn : joined;
  }

  #join(secret: string, email: string): Acceptance {
    const joined = this.invites.use(secret);
    const roles = this.#rolesOf(email);
    if (joined === undefined || roles === undefined) return { kind: "unknown-invite" };
    if (!isRole(roles) && !isRole(joined))
      this.#database
        .prepare("UPDATE account SET roles = ? WHERE email = ?")
        .run(JSON.stringify({ ...roles, ...joined }), email);
    return { kind: "granted" };
  }

  #rolesOf(email: string): Roles | undefined {
    const row = this.#database.prepare("SELECT roles FROM account WHERE email = ?").get(email);
    return row && readRoles(row.roles);
  }

  #signedIn(email: string, device: string | undefined): Extract<SignIn, { kind: "signed-in" }> {
    return { kind: "signed-in", session: this.sessions.begin(email), device: this.#devices.remember(email, device) };
  }
}

/** By then the queue has room again: a check takes 0.2 s. */
const busySeconds = 5;

/** A hash that no password has. */
const unmatchedHash = `${"A".repeat(22)}.${"A".repeat(43)}`;
