/**
 * Permissions in a project. A viewer reads, a member also changes issues, an owner also changes settings and members.
 */
export type Role = "viewer" | "member" | "owner";

/** A visitor of the console. */
export interface Person {
  /** Identifies the person in the history: the address of an account. */
  readonly name: string;
  readonly roles: Roles;
}

/** One role in all projects, or one for each visible project. */
export type Roles = Role | Readonly<Record<number, Role>>;

const rank: Readonly<Record<Role, number>> = { viewer: 0, member: 1, owner: 2 };

/** Returns undefined both for a project that the person may not see and for one that does not exist. */
export function roleIn(person: Person, project: number): Role | undefined {
  const { roles } = person;
  if (typeof roles === "string") return roles;
  return Object.hasOwn(roles, project) ? roles[project] : undefined;
}

export function isAtLeast(role: Role | undefined, wanted: Role): boolean {
  return role !== undefined && rank[role] >= rank[wanted];
}

export function isRole(value: unknown): value is Role {
  return typeof value === "string" && Object.hasOwn(rank, value);
}

/** Reads a stored role. A modified file gets the lowest one. */
export function readRole(value: unknown): Role {
  return isRole(value) ? value : "viewer";
}

export function readRoles(text: unknown): Roles {
  const roles: unknown = JSON.parse(String(text));
  if (isRole(roles)) return roles;
  const byProject: Record<number, Role> = {};
  if (typeof roles === "object" && roles !== null)
    for (const [project, role] of Object.entries(roles)) if (isRole(role)) byProject[Number(project)] = role;
  return byProject;
}
