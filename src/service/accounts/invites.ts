import type { DatabaseSync } from "node:sqlite";
import type { Clock } from "../clock.ts";
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
  readonly #database: DatabaseSync;
  readonly #clock: Clock;
  readonly #limits: AccountLimits;

  constructor(database: DatabaseSync, clock: Clock, limits: AccountLimits) {
    database.exec(`
      CREATE TABLE IF NOT EXISTS invite (hash TEXT PRIMARY KEY, email TEXT, roles TEXT NOT NULL, ends INTEGER NOT NULL) STRICT;
      CREATE TABLE IF NOT EXISTS project_invite (
        hash TEXT PRIMARY KEY, email TEXT NOT NULL, project INTEGER NOT NULL, role TEXT NOT NULL, ends INTEGER NOT NULL) STRICT;`);
    this.#database = database;
    this.#clock = clock;
    this.#limits = limits;
  }

  /**
   * Creates a secret that admits one person, once. With an e-mail address, it also sets a new password for that
   * account.
   */
  create(roles: Roles, email?: string): string {
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
  createForProject(project: number, role: Role, typedEmail: string): string | undefined {
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

  forProject(project: number): readonly { email: string; role: Role; ends: number }[] {
    return this.#database
      .prepare("SELECT email, role, ends FROM project_invite WHERE project = ? AND ends >= ? ORDER BY email")
      .all(project, this.#clock.now())
      .map(({ email, role, ends }) => ({ email: String(email), role: readRole(role), ends: Number(ends) }));
  }

  cancel(project: number, email: string): boolean {
    const cancelled = this.#database
      .prepare("DELETE FROM project_invite WHERE project = ? AND email = ?")
      .run(project, email);
    return cancelled.changes > 0;
  }

  /** Returns undefined for a secret that is used, expired or unknown. */
  find(secret: string): Invite | undefined {
    const now = this.#clock.now();
    const joining = this.#database
      .prepare(
        `SELECT email, project, role, EXISTS (SELECT 1 FROM account WHERE account.email = project_invite.email) AS has_account
         FROM project_invite WHERE hash = ? AND ends >= ?`,
      )
      .get(hashOf(secret), now);
    if (joining) {
      const email = String(joining.email);
      const project = { id: Number(joining.project), role: readRole(joining.role) };
      return { email, project, hasAccount: joining.has_account === 1 };
    }
    const row = this.#database
      .prepare("SELECT email FROM invite WHERE hash = ? AND ends >= ?")
      .get(hashOf(secret), now);
    return row && { email: row.email === null ? undefined : String(row.email), hasAccount: false };
  }

  /** Deletes an invite and returns its roles, so that it works once. */
  use(secret: string): Roles | undefined {
    const hash = hashOf(secret);
    const joining = this.#database
      .prepare("DELETE FROM project_invite WHERE hash = ? RETURNING project, role")
      .get(hash);
    if (joining) return { [Number(joining.project)]: readRole(joining.role) };
    const used = this.#database.prepare("DELETE FROM invite WHERE hash = ? RETURNING roles").get(hash);
    return used && readRoles(used.roles);
  }

  /** Deletes the invites that name no address. */
  cancelUnaddressed(): void {
    this.#database.exec("DELETE FROM invite WHERE email IS NULL");
  }
}
