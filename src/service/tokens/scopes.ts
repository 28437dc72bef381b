import type { Person, Role, Roles } from "../accounts/people.ts";
import { isAtLeast, isRole } from "../accounts/people.ts";

/** What a token permits. `triage` includes `read`, and `admin` includes everything. */
export type Scope = "read" | "triage" | "upload" | "admin";

export const allScopes: readonly Scope[] = ["read", "triage", "upload", "admin"];

export function isScope(value: unknown): value is Scope {
  return allScopes.some((scope) => scope === value);
}

/** Reads stored scopes. Unknown words of a modified file permit nothing. */
export function readScopes(text: string): ReadonlySet<Scope> {
  return new Set(text.split(" ").filter(isScope));
}

export function writeScopes(scopes: Iterable<Scope>): string {
  const wanted = new Set(scopes);
  return allScopes.filter((scope) => wanted.has(scope)).join(" ");
}

/** Whether scopes permit what needs this scope. */
export function permits(scopes: ReadonlySet<Scope>, needed: Scope): boolean {
  if (scopes.has(needed) || scopes.has("admin")) return true;
  return needed === "read" && scopes.has("triage");
}

/** The role that scopes permit at most. Undefined for scopes that permit no reading. */
export function roleOfScopes(scopes: ReadonlySet<Scope>): Role | undefined {
  if (scopes.has("admin")) return "owner";
  if (scopes.has("triage")) return "member";
  return scopes.has("read") ? "viewer" : undefined;
}

/** A person with the roles that scopes permit: the weaker of both wins. */
export function limitedTo(scopes: ReadonlySet<Scope>, { name, roles }: Person): Person {
  const most = roleOfScopes(scopes);
  return { name, roles: most === undefined ? {} : limitedRoles(roles, most) };
}

function limitedRoles(roles: Roles, most: Role): Roles {
  const limited = (role: Role): Role => (isAtLeast(role, most) ? most : role);
  if (isRole(roles)) return limited(roles);
  return Object.fromEntries(Object.entries(roles).map(([project, role]) => [project, limited(role)]));
}
