import { Refusals, sourceOf, TokenBuckets, Turns } from "#bounds";
import type { Clock } from "../clock.ts";
import type { RowQueries, Rows } from "../rows/rows.ts";
import { Attempts } from "./attempts.ts";
import { normalEmail } from "./email.ts";
import { Invites } from "./invites.ts";
import { KnownDevices } from "./known-devices.ts";
import { type AccountLimits, accountLimits } from "./limits.ts";
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
 * Accounts of the service, in a small database of the data folder or in the one that all processes share. Of invites
 * and sessions, which are long random texts, only a hash is stored: a reader of the file cannot sign in with it.
 */
export class Accounts {
  readonly invites: Invites;
  readonly sessions: Sessions;
  readonly #rows: Rows;
  readonly #clock: Clock;
  readonly #limits: AccountLimits;
  readonly #attempts: Attempts;
  readonly #devices: KnownDevices;
  readonly #tries: TokenBuckets;
  readonly #checks: Turns;
  readonly #refusals: Refusals;

  constructor(rows: Rows, clock: Clock, limits: AccountLimits = accountLimits, refusals: Refusals = new Refusals()) {
    this.#rows = rows;
    this.invites = new Invites(rows, clock, limits);
    this.sessions = new Sessions(rows, clock, limits);
    this.#clock = clock;
    this.#limits = limits;
    this.#attempts = new Attempts(rows, clock);
    this.#devices = new KnownDevices(rows, clock);
    this.#tries = new TokenBuckets(limits.triesBurst, limits.triesPerSecond);
    this.#checks = new Turns({
      atOnce: limits.checksAtOnce,
      waiting: limits.checksWaiting,
      reservedForUrgent: limits.checksReserved,
    });
    this.#refusals = refusals;
  }

  async all(): Promise<readonly { email: string; roles: Roles }[]> {
    const rows = await this.#rows.all<{ email: string; roles: string }>(
      "SELECT email, roles FROM holdfast.account ORDER BY email",
    );
    return rows.map(({ email, roles }) => ({ email, roles: readRoles(roles) }));
  }

  async membersOf(project: number): Promise<readonly Member[]> {
    return (await this.all()).flatMap(({ email, roles }) => {
      const role = roleIn({ name: email, roles }, project);
      return role === undefined ? [] : [{ email, role, everywhere: isRole(roles) }];
    });
  }

  /**
   * Changes or removes a person's role in a project. A role in all projects stays. An account without any role is
   * deleted, with its sessions.
   */
  setRole(project: number, email: string, role: Role | undefined): Promise<boolean> {
    return this.#rows.transaction(async (queries) => {
      const roles = await lockedRolesOf(queries, email);
      if (roles === undefined || isRole(roles) || roles[project] === undefined) return false;
      const { [project]: _before, ...others } = roles;
      const after = role === undefined ? others : { ...others, [project]: role };
      if (Object.keys(after).length === 0) await queries.run("DELETE FROM holdfast.account WHERE email = $1", email);
      else await writeRoles(queries, email, after);
      return true;
    });
  }

  /**
   * Uses an invite. An e-mail address proves nothing, because it was never verified: the owner of an account with it
   * may not be the invited person. An existing account therefore joins only with its own session or password.
   */
  async accept(secret: string, typed: { email: string; password: string }, from: Applicant): Promise<Acceptance> {
    const invited = await this.invites.find(secret);
    if (!invited) return { kind: "unknown-invite" };
    const email = invited.email ?? normalEmail(typed.email);
    if (email === undefined) return { kind: "wrong-email" };
    if (invited.project && invited.hasAccount) return this.#joinAs(email, secret, typed.password, from);
    // An invite without an address creates accounts. It does not open existing ones.
    if (invited.email === undefined && (await this.#hasAccount(email))) return { kind: "wrong-email" };
    const { shortestPassword: least, longestPassword: most } = this.#limits;
    if (typed.password.length < least) return { kind: "short-password", least };
    if (typed.password.length > most) return { kind: "long-password", most };
    const hashed = await this.#checks.run(() => hashPassword(typed.password, this.#limits.passwordCost), true);
    if (hashed.kind === "refused") return this.#busy();
    // Only the operator's invite for an address may replace an account.
    const replaces = invited.email !== undefined && invited.project === undefined;
    const made = await this.#make(secret, { email, password: hashed.value, replaces });
    // The account was created meanwhile, and the invite is not used.
    return made.kind === "taken" ? this.accept(secret, typed, from) : made;
  }

  /**
   * Signs in. Guesses are slowed down per account and client, never for an account as a whole: the right password works
   * during an attack. A browser that has opened the account before has its own attempts and its own share of the queue.
   */
  async signIn(typedEmail: string, password: string, from: Applicant): Promise<SignIn> {
    const email = normalEmail(typedEmail) ?? "";
    const device = await this.#devices.find(email, from.device);
    const source = sourceOf(from.address);
    const name = device === undefined ? `${source} ${email}` : `device ${device}`;
    const seconds =
      (await this.#attempts.waitFor(name)) ||
      (device === undefined ? this.#tries.take(source, this.#clock.elapsed()) : 0);
    if (seconds > 0) return this.#wait(seconds);
    const typed = password.slice(0, this.#limits.longestPassword + 1);
    const checked = await this.#checks.run(() => this.#check(name, email, typed), device !== undefined);
    if (checked.kind === "refused") return this.#busy();
    const { value } = checked;
    if (value.kind === "wait") return this.#wait(value.seconds);
    if (value.kind === "wrong") return value;
    const opened = await this.#rows.transaction(async (queries): Promise<SignIn> => {
      // A password that was replaced while it was checked opens nothing. The row stays locked until the session exists.
      const locked = "UPDATE holdfast.account SET password = password WHERE email = $1 AND password = $2";
      if ((await queries.run(locked, email, value.stored)) === 0) return { kind: "wrong" };
      return this.#signedIn(queries, email, from.device);
    });
    if (opened.kind === "signed-in") await this.#attempts.succeeded(name);
    return opened;
  }

  /** Removes an account and its sessions. Returns whether it existed. */
  async remove(email: string): Promise<boolean> {
    return (await this.#rows.run("DELETE FROM holdfast.account WHERE email = $1", normalEmail(email) ?? "")) > 0;
  }

  /** An attempt counts before its password is checked. */
  async #check(name: string, email: string, typed: string): Promise<Check> {
    const seconds = await this.#attempts.begin(name);
    if (seconds > 0) return { kind: "wait", seconds };
    const row = await this.#rows.one<{ password: string }>(
      "SELECT password FROM holdfast.account WHERE email = $1",
      email,
    );
    // An unknown address takes as long as a known one, so that the response time does not reveal who has an account.
    const isRight = await isPassword(typed, row?.password ?? unmatchedHash, this.#limits.passwordCost);
    return row && isRight ? { kind: "right", stored: row.password } : { kind: "wrong" };
  }

  /** Uses the invite and makes the account, or neither. */
  async #make(
    secret: string,
    { email, password, replaces }: { email: string; password: string; replaces: boolean },
  ): Promise<Acceptance | { kind: "taken" }> {
    const conflict = replaces ? "UPDATE SET password = excluded.password, roles = excluded.roles" : "NOTHING";
    return this.#rows
      .transaction(async (queries): Promise<Acceptance> => {
        // Each start without an account printed a link for the first owner. The first owner exists after this, so links
        // in old logs must not create another.
        const roles = await new Invites(queries, this.#clock, this.#limits).useAsFirst(secret);
        if (roles === undefined) throw new Undone({ kind: "unknown-invite" });
        const written = await queries.run(
          `INSERT INTO holdfast.account (email, password, roles) VALUES ($1, $2, $3) ON CONFLICT (email) DO ${conflict}`,
          email,
          password,
          JSON.stringify(roles),
        );
        if (written === 0) throw new Undone({ kind: "taken" });
        await new Sessions(queries, this.#clock, this.#limits).endAll(email);
        await new KnownDevices(queries, this.#clock).forgetAll(email);
        return this.#signedIn(queries, email, undefined);
      })
      .catch((error: unknown) => {
        if (error instanceof Undone) return error.outcome;
        throw error;
      });
  }

  #wait(seconds: number): { kind: "wait"; seconds: number } {
    this.#refusals.add("sign-ins");
    return { kind: "wait", seconds };
  }

  #busy(): { kind: "busy"; seconds: number } {
    this.#refusals.add("password-checks");
    return { kind: "busy", seconds: busySeconds };
  }

  async #joinAs(email: string, secret: string, password: string, from: Applicant): Promise<Acceptance> {
    const isSignedIn = from.session !== undefined && (await this.sessions.personOf(from.session))?.name === email;
    if (isSignedIn) return this.#join(secret, email);
    const signedIn = await this.signIn(email, password, from);
    if (signedIn.kind !== "signed-in") return signedIn;
    const joined = await this.#join(secret, email);
    return joined.kind === "granted" ? signedIn : joined;
  }

  #join(secret: string, email: string): Promise<Acceptance> {
    return this.#rows.transaction(async (queries): Promise<Acceptance> => {
      const joined = await new Invites(queries, this.#clock, this.#limits).use(secret);
      const roles = await lockedRolesOf(queries, email);
      if (joined === undefined || roles === undefined) return { kind: "unknown-invite" };
      if (!isRole(roles) && !isRole(joined)) await writeRoles(queries, email, { ...roles, ...joined });
      return { kind: "granted" };
    });
  }

  async #hasAccount(email: string): Promise<boolean> {
    return (await this.#rows.one("SELECT email FROM holdfast.account WHERE email = $1", email)) !== undefined;
  }

  async #signedIn(
    queries: RowQueries,
    email: string,
    device: string | undefined,
  ): Promise<Extract<SignIn, { kind: "signed-in" }>> {
    const session = await new Sessions(queries, this.#clock, this.#limits).begin(email);
    return { kind: "signed-in", session, device: await new KnownDevices(queries, this.#clock).remember(email, device) };
  }
}

type Check = { kind: "wait"; seconds: number } | { kind: "wrong" } | { kind: "right"; stored: string };

/** Takes a transaction back and is its outcome. */
class Undone extends Error {
  readonly outcome: { kind: "taken" } | { kind: "unknown-invite" };

  constructor(outcome: Undone["outcome"]) {
    super(outcome.kind);
    this.outcome = outcome;
  }
}

/** Reads the roles for a change. The row is locked until the end of the transaction. */
async function lockedRolesOf(queries: RowQueries, email: string): Promise<Roles | undefined> {
  const row = await queries.one<{ roles: string }>(
    "UPDATE holdfast.account SET roles = roles WHERE email = $1 RETURNING roles",
    email,
  );
  return row && readRoles(row.roles);
}

async function writeRoles(queries: RowQueries, email: string, roles: Roles): Promise<void> {
  await queries.run("UPDATE holdfast.account SET roles = $1 WHERE email = $2", JSON.stringify(roles), email);
}

/** By then the queue has room again: a check takes 0.2 s. */
const busySeconds = 5;

/** A hash that no password has. */
const unmatchedHash = `${"A".repeat(22)}.${"A".repeat(43)}`;
