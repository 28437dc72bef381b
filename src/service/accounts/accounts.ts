import type { Refusals } from "#bounds";
import type { Clock } from "../clock.ts";
import type { RowQueries, Rows } from "../rows/rows.ts";
import type { Applicant } from "./applicant.ts";
import { normalEmail } from "./email.ts";
import { Invites } from "./invites.ts";
import { type AccountLimits, accountLimits } from "./limits.ts";
import { OwnAccount } from "./own-account.ts";
import { KnownDevices } from "./passwords/known-devices.ts";
import { PasswordChecks, type PasswordProblem, type Postponed } from "./passwords/password-checks.ts";
import { isRole, type Role, type Roles, readRoles, roleIn } from "./people.ts";
import type { ProviderIdentity } from "./provider/identity.ts";
import { type GivenRoles, ProviderAccounts, type ProviderSignIn } from "./provider/provider-accounts.ts";
import { type SignInSettings, usualSignIn } from "./provider/sign-in-settings.ts";
import { RefusalLog } from "./refusal-log.ts";
import type { SealKeys } from "./second-factor/sealed-secret.ts";
import { type CodeProblem, SecondFactor } from "./second-factor/second-factor.ts";
import { SignInSteps } from "./second-factor/sign-in-steps.ts";
import { Sessions } from "./sessions.ts";

export type SignIn =
  /** The browser stores `device` beyond the session. */
  | { kind: "signed-in"; session: string; device: string }
  /** The password is right, and a code is missing. The browser stores `ticket` for `finishSignIn`. */
  | { kind: "second-step"; ticket: string }
  | { kind: "wrong" }
  | PasswordsOff
  | Postponed;

/** What a person who has typed the password must do next. */
export type PendingStep = { kind: "code" | "enrol"; email: string };

export type FinishedSignIn =
  /** `recoveryCodes` if the second factor is new. They are shown once. */
  | { kind: "signed-in"; session: string; device: string; recoveryCodes?: readonly string[] }
  | { kind: "expired" }
  | CodeProblem;

/** The operator admits people only by the identity provider. */
export type PasswordsOff = { kind: "passwords-off" };

export type Acceptance =
  /** Also for an existing account, whose password stays. */
  | SignIn
  /** An existing account, signed in by the request's session, got the role. */
  | { kind: "granted" }
  | { kind: "unknown-invite" }
  | PasswordProblem
  | { kind: "wrong-email" };

/** A person who may see a project. */
export interface Member {
  readonly email: string;
  /** The name that the person has chosen. */
  readonly name: string | undefined;
  readonly role: Role;
  /** Has this role in every project, so no single project can change it. */
  readonly everywhere: boolean;
}

export interface AccountOptions {
  readonly refusals?: Refusals | undefined;
  readonly signIn?: SignInSettings | undefined;
  /** Seal the secrets of second factors. */
  readonly sealKeys?: SealKeys | undefined;
}

/**
 * Accounts of the service, in a small database of the data folder or in the one that all processes share. Of invites
 * and sessions, which are long random texts, only a hash is stored: a reader of the file cannot sign in with it.
 */
export class Accounts {
  readonly invites: Invites;
  readonly sessions: Sessions;
  /** What people change about their own account. */
  readonly own: OwnAccount;
  /** Whether people may sign in by a password. */
  readonly hasPasswords: boolean;
  readonly secondFactor: SecondFactor;
  readonly #rows: Rows;
  readonly #clock: Clock;
  readonly #limits: AccountLimits;
  readonly #checks: PasswordChecks;
  readonly #byProvider: ProviderAccounts;

  constructor(rows: Rows, clock: Clock, limits: AccountLimits = accountLimits, options: AccountOptions = {}) {
    const { refusals, signIn = usualSignIn, sealKeys = async () => [] } = options;
    this.#rows = rows;
    this.invites = new Invites(rows, clock, limits);
    this.sessions = new Sessions(rows, clock, limits, signIn.secondFactor);
    this.#clock = clock;
    this.#limits = limits;
    this.hasPasswords = signIn.passwords;
    const log = new RefusalLog(rows, clock);
    this.#checks = new PasswordChecks({ rows, clock, limits, refusals, log });
    const isRequired = signIn.secondFactor === "required";
    this.secondFactor = new SecondFactor({ rows, clock, log, keys: sealKeys, isRequired });
    this.#byProvider = new ProviderAccounts({ rows, clock, limits, log });
    this.own = new OwnAccount({ rows, clock, limits, checks: this.#checks });
  }

  async all(): Promise<readonly { email: string; name: string | undefined; roles: Roles }[]> {
    const rows = await this.#rows.all<{ email: string; name: string | null; roles: string }>(
      "SELECT email, name, roles FROM holdfast.account ORDER BY email",
    );
    return rows.map(({ email, name, roles }) => ({ email, name: name ?? undefined, roles: readRoles(roles) }));
  }

  /** The names that people have chosen, by address. */
  async names(): Promise<ReadonlyMap<string, string>> {
    const sql = "SELECT email, name FROM holdfast.account WHERE name IS NOT NULL";
    const rows = await this.#rows.all<{ email: string; name: string }>(sql);
    return new Map(rows.map(({ email, name }) => [email, name]));
  }

  async membersOf(project: number): Promise<readonly Member[]> {
    return (await this.all()).flatMap(({ email, name, roles }) => {
      const role = roleIn({ name: email, roles }, project);
      return role === undefined ? [] : [{ email, name, role, everywhere: isRole(roles) }];
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
    // The link of the operator works also where passwords do not: it is the way back in.
    if (invited.project && !this.hasPasswords) return { kind: "passwords-off" };
    // An invite without an address creates accounts. It does not open existing ones.
    if (invited.email === undefined && (await this.#hasAccount(email))) return { kind: "wrong-email" };
    const problem = this.#checks.problemOf(typed.password);
    if (problem !== undefined) return problem;
    const hashed = await this.#checks.hash(typed.password);
    if (hashed.kind !== "hashed") return hashed;
    // Only the operator's invite for an address may replace an account.
    const replaces = invited.email !== undefined && invited.project === undefined;
    const made = await this.#make(secret, { email, password: hashed.hash, replaces, from });
    // The account was created meanwhile, and the invite is not used.
    return made.kind === "taken" ? this.accept(secret, typed, from) : made;
  }

  /** Signs a person in whom the identity provider has identified. The first time it makes the account. */
  async signInByProvider(identity: ProviderIdentity, given: GivenRoles, from: Applicant): Promise<ProviderSignIn> {
    const done = await this.#byProvider.signIn(identity, given, from);
    const isNamed = done.kind === "signed-in" && (await this.names()).has(done.email);
    // A name that another person has, or that looks like an address, is left out.
    if (done.kind === "signed-in" && !isNamed) await this.own.rename(done.email, identity.name ?? "");
    return done;
  }

  /** Signs in. `PasswordChecks` slows guesses down. */
  async signIn(typedEmail: string, password: string, from: Applicant): Promise<SignIn> {
    if (!this.hasPasswords) return { kind: "passwords-off" };
    const email = normalEmail(typedEmail) ?? "";
    const verified = await this.#checks.verify(email, password, from);
    if (verified.kind !== "right") return verified;
    const opened = await this.#rows.transaction(async (queries): Promise<SignIn> => {
      // A password that was replaced while it was checked opens nothing. The row stays locked until the session exists.
      const locked = "UPDATE holdfast.account SET password = password WHERE email = $1 AND password = $2";
      if ((await queries.run(locked, email, verified.stored)) === 0) return { kind: "wrong" };
      return this.#opened(queries, email, from);
    });
    if (opened.kind !== "wrong") await this.#checks.succeeded(verified.attempts);
    return opened;
  }

  /** Undefined for a ticket that is used, expired or unknown. */
  async pendingSignIn(ticket: string): Promise<PendingStep | undefined> {
    const email = await new SignInSteps(this.#rows, this.#clock).find(ticket);
    if (email === undefined) return undefined;
    return { kind: (await this.secondFactor.state(email)).kind === "on" ? "code" : "enrol", email };
  }

  /** The second step: a code of the app or a recovery code, or the first code of an app that was set up just now. */
  async finishSignIn(ticket: string, code: string, from: Applicant): Promise<FinishedSignIn> {
    const pending = await this.pendingSignIn(ticket);
    if (pending === undefined) return { kind: "expired" };
    const { email, kind } = pending;
    const checked =
      kind === "code" ? await this.secondFactor.verify(email, code) : await this.secondFactor.confirm(email, code);
    if (checked.kind !== "right" && checked.kind !== "done") return checked;
    return this.#rows.transaction(async (queries): Promise<FinishedSignIn> => {
      if ((await new SignInSteps(queries, this.#clock).use(ticket)) === undefined) return { kind: "expired" };
      // Older sessions have passed no second factor, and would open again with this one.
      if (kind === "enrol") await new Sessions(queries, this.#clock, this.#limits).endAll(email);
      const opened = await this.#signedIn(queries, email, from);
      return checked.kind === "done" ? { ...opened, recoveryCodes: checked.recoveryCodes } : opened;
    });
  }

  /** Removes an account and its sessions. Returns whether it existed. */
  async remove(email: string): Promise<boolean> {
    return (await this.#rows.run("DELETE FROM holdfast.account WHERE email = $1", normalEmail(email) ?? "")) > 0;
  }

  /** Uses the invite and makes the account, or neither. */
  async #make(
    secret: string,
    { email, password, replaces, from }: { email: string; password: string; replaces: boolean; from: Applicant },
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
        // Another person may have made them.
        await queries.run("DELETE FROM holdfast.token WHERE email = $1", email);
        return this.#opened(queries, email, { ...from, device: undefined });
      })
      .catch((error: unknown) => {
        if (error instanceof Undone) return error.outcome;
        throw error;
      });
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

  /** A session, or a ticket for it where a second factor is missing. */
  async #opened(queries: RowQueries, email: string, from: Applicant): Promise<SignIn> {
    const isOn = (await this.secondFactor.state(email, queries)).kind === "on";
    if (!isOn && !this.secondFactor.isRequired) return this.#signedIn(queries, email, from);
    return { kind: "second-step", ticket: await new SignInSteps(queries, this.#clock).begin(email) };
  }

  async #signedIn(
    queries: RowQueries,
    email: string,
    from: Applicant,
  ): Promise<Extract<SignIn, { kind: "signed-in" }>> {
    const session = await new Sessions(queries, this.#clock, this.#limits).begin(email, from);
    const device = await new KnownDevices(queries, this.#clock).remember(email, from.device);
    return { kind: "signed-in", session, device };
  }
}

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
