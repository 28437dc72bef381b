import type { Clock } from "../../clock.ts";
import type { RowQueries, Rows } from "../../rows/rows.ts";
import type { Applicant } from "../applicant.ts";
import type { AccountLimits } from "../limits.ts";
import { KnownDevices } from "../passwords/known-devices.ts";
import type { Roles } from "../people.ts";
import type { RefusalLog } from "../refusal-log.ts";
import { Sessions } from "../sessions.ts";
import type { ProviderIdentity } from "./identity.ts";

export type ProviderSignIn =
  | { kind: "signed-in"; email: string; session: string; device: string; change: RoleChange | undefined }
  /** No group of the person gives a role. An account that had one has lost it. */
  | { kind: "no-role"; change: RoleChange | undefined }
  /** An account with this address exists, and the provider does not vouch for the address. */
  | { kind: "unverified" };

/** What the groups of a person have changed about an account. */
export interface RoleChange {
  readonly email: string;
  readonly roles: Roles;
}

export interface ProviderAccountDeps {
  readonly rows: Rows;
  readonly clock: Clock;
  readonly limits: AccountLimits;
  readonly log: RefusalLog;
}

/** What the groups of a person give, and for how long. */
export interface GivenRoles {
  readonly roles: Roles | undefined;
  readonly sessionMs: number;
}

/** A hash that no password has. */
const noPassword = "";

/**
 * Accounts of people whom an identity provider admits. The first sign-in makes the account; each one gives it the roles
 * of the person's groups, so that a group that was left takes its role away.
 */
export class ProviderAccounts {
  readonly #deps: ProviderAccountDeps;

  constructor(deps: ProviderAccountDeps) {
    this.#deps = deps;
  }

  async signIn(identity: ProviderIdentity, given: GivenRoles, from: Applicant): Promise<ProviderSignIn> {
    const { rows, log } = this.#deps;
    const done = await rows.transaction((queries) => this.#signIn(queries, identity, given, from));
    const known = await this.#emailOf(rows, identity);
    if (done.kind === "no-role") await log.add({ who: known, why: "in no group with a role" });
    if (done.kind === "unverified") await log.add({ who: identity.email, why: "address not verified by the provider" });
    return done;
  }

  async #signIn(
    queries: RowQueries,
    identity: ProviderIdentity,
    { roles, sessionMs }: GivenRoles,
    from: Applicant,
  ): Promise<ProviderSignIn> {
    const { clock, limits } = this.#deps;
    const sessions = new Sessions(queries, clock, limits);
    const linked = await this.#emailOf(queries, identity);
    if (roles === undefined) {
      if (linked === undefined) return { kind: "no-role", change: undefined };
      await sessions.endAll(linked);
      return { kind: "no-role", change: await this.#giveRoles(queries, linked, {}) };
    }
    const email = linked ?? (await this.#link(queries, identity));
    if (email === undefined) return { kind: "unverified" };
    const change = await this.#giveRoles(queries, email, roles);
    // Links for a first owner, which are in the terminal's log, must not make another.
    if (roles === "owner") await queries.run("DELETE FROM holdfast.invite WHERE email IS NULL");
    const session = await sessions.begin(email, from, clock.now() + sessionMs);
    const device = await new KnownDevices(queries, clock).remember(email, from.device);
    return { kind: "signed-in", email, session, device, change };
  }

  async #emailOf(queries: RowQueries, { issuer, subject }: ProviderIdentity): Promise<string | undefined> {
    const sql = "SELECT email FROM holdfast.identity WHERE issuer = $1 AND subject = $2";
    return (await queries.one<{ email: string }>(sql, issuer, subject))?.email;
  }

  /** Undefined if the address is the one of an account that may belong to another person. */
  async #link(
    queries: RowQueries,
    { issuer, subject, email, isVerified }: ProviderIdentity,
  ): Promise<string | undefined> {
    const made = await queries.run(
      "INSERT INTO holdfast.account (email, password, roles) VALUES ($1, $2, '{}') ON CONFLICT (email) DO NOTHING",
      email,
      noPassword,
    );
    if (made === 0 && !isVerified) return undefined;
    await queries.run(
      "INSERT INTO holdfast.identity (issuer, subject, email) VALUES ($1, $2, $3)",
      issuer,
      subject,
      email,
    );
    return email;
  }

  async #giveRoles(queries: RowQueries, email: string, roles: Roles): Promise<RoleChange | undefined> {
    const sql = "UPDATE holdfast.account SET roles = $1 WHERE email = $2 AND roles <> $1";
    const isChanged = (await queries.run(sql, JSON.stringify(roles), email)) > 0;
    return isChanged ? { email, roles } : undefined;
  }
}
