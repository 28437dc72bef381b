import type { Clock } from "../clock.ts";
import type { RowQueries } from "../rows/rows.ts";
import { normalEmail } from "./email.ts";
import type { AccountLimits } from "./limits.ts";
import { type Role, type Roles, readRole, readRoles } from "./people.ts";
import { hashOf, newSecret } from "./secrets.ts";

/** Addressee of an invite, and its purpose. */
export interface Invite {
  readonly email: string | undefined;
  readonly project?: { readonly id: number; readonly role: Role };
  /** If true, no password is chosen: the person proves ownership of the account by its session or password. */
  readonly hasAccount: boolean;
}

/** Invites that are not used yet. Each is a secret that works once. */
export class Invites {
  readonly #rows: RowQueries;
  readonly #clock: Clock;
  readonly #limits: AccountLimits;

  constructor(rows: RowQueries, clock: Clock, limits: AccountLimits) {
    this.#rows = rows;
    this.#clock = clock;
    this.#limits = limits;
  }

  /**
   * Creates a secret that admits one person, once. With an e-mail address, it also sets a new password for that
   * account.
   */
  async create(roles: Roles, email?: string): Promise<string> {
    const secret = newSecret();
    const now = this.#clock.now();
    await this.#rows.run("DELETE FROM holdfast.invite WHERE ends < $1", now);
    await this.#rows.run(
      "INSERT INTO holdfast.invite (hash, email, roles, ends) VALUES ($1, $2, $3, $4)",
      hashOf(secret),
      email ?? null,
      JSON.stringify(roles),
      now + this.#limits.inviteMs,
    );
    return secret;
  }

  /**
   * Creates a secret by which one person joins one project, once. An existing account keeps its password and its other
   * roles. Returns undefined for an invalid e-mail address.
   */
  async createForProject(project: number, role: Role, typedEmail: string): Promise<string | undefined> {
    const email = normalEmail(typedEmail);
    if (email === undefined) return undefined;
    const secret = newSecret();
    const now = this.#clock.now();
    await this.#rows.run(
      "DELETE FROM holdfast.project_invite WHERE ends < $1 OR (email = $2 AND project = $3)",
      now,
      email,
      project,
    );
    await this.#rows.run(
      "INSERT INTO holdfast.project_invite (hash, email, project, role, ends) VALUES ($1, $2, $3, $4, $5)",
      hashOf(secret),
      email,
      project,
      role,
      now + this.#limits.inviteMs,
    );
    return secret;
  }

  async forProject(project: number): Promise<readonly { email: string; role: Role; ends: number }[]> {
    const rows = await this.#rows.all<{ email: string; role: string; ends: number }>(
      "SELECT email, role, ends FROM holdfast.project_invite WHERE project = $1 AND ends >= $2 ORDER BY email",
      project,
      this.#clock.now(),
    );
    return rows.map(({ email, role, ends }) => ({ email, role: readRole(role), ends }));
  }

  async cancel(project: number, email: string): Promise<boolean> {
    const sql = "DELETE FROM holdfast.project_invite WHERE project = $1 AND email = $2";
    return (await this.#rows.run(sql, project, email)) > 0;
  }

  /** Returns undefined for a secret that is used, expired or unknown. */
  async find(secret: string): Promise<Invite | undefined> {
    const now = this.#clock.now();
    const joining = await this.#rows.one<{ email: string; project: number; role: string; accounts: number }>(
      `SELECT email, project, role,
         (SELECT count(*) FROM holdfast.account WHERE account.email = project_invite.email) AS accounts
       FROM holdfast.project_invite WHERE hash = $1 AND ends >= $2`,
      hashOf(secret),
      now,
    );
    if (joining) {
      const { email, project, role, accounts } = joining;
      return { email, project: { id: project, role: readRole(role) }, hasAccount: accounts > 0 };
    }
    const row = await this.#rows.one<{ email: string | null }>(
      "SELECT email FROM holdfast.invite WHERE hash = $1 AND ends >= $2",
      hashOf(secret),
      now,
    );
    return row && { email: row.email ?? undefined, hasAccount: false };
  }

  /** Deletes an invite and returns its roles, so that it works once. */
  async use(secret: string): Promise<Roles | undefined> {
    const hash = hashOf(secret);
    const joining = await this.#rows.one<{ project: number; role: string }>(
      "DELETE FROM holdfast.project_invite WHERE hash = $1 RETURNING project, role",
      hash,
    );
    if (joining) return { [joining.project]: readRole(joining.role) };
    const used = await this.#rows.one<{ roles: string }>(
      "DELETE FROM holdfast.invite WHERE hash = $1 RETURNING roles",
      hash,
    );
    return used && readRoles(used.roles);
  }

  /** The same, and deletes all invites that name no address: those first, so that transactions lock in one order. */
  async useAsFirst(secret: string): Promise<Roles | undefined> {
    const unaddressed = await this.#rows.all<{ hash: string; roles: string }>(
      "DELETE FROM holdfast.invite WHERE email IS NULL RETURNING hash, roles",
    );
    const used = unaddressed.find(({ hash }) => hash === hashOf(secret));
    return used === undefined ? this.use(secret) : readRoles(used.roles);
  }
}
