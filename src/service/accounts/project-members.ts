import type { RowQueries } from "../rows/rows.ts";
import { type Roles, readRoles, roleIn } from "./people.ts";

/** Who may see which project, as it was when it was read. */
export class ProjectMembers {
  #roles: ReadonlyMap<string, Roles> = new Map();

  async read(rows: RowQueries): Promise<void> {
    const accounts = await rows.all<{ email: string; roles: string }>("SELECT email, roles FROM holdfast.account");
    this.#roles = new Map(accounts.map(({ email, roles }) => [email, readRoles(roles)]));
  }

  has(project: number, email: string): boolean {
    const roles = this.#roles.get(email);
    return roles !== undefined && roleIn({ name: email, roles }, project) !== undefined;
  }
}
