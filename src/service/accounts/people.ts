/** What somebody may do in a project: look; also change issues; also decide about the project and who sees it. */
export type Role = "viewer" | "member" | "owner";

/** Somebody who looks at the console. */
export interface Person {
  /** How the history calls them. */
  readonly name: string;
  /** One role everywhere, or one for each project they may see. */
  readonly roles: Role | Readonly<Record<number, Role>>;
}

const rank: Readonly<Record<Role, number>> = { viewer: 0, member: 1, owner: 2 };

/** Nothing for a project that the person may not see, as for one that never was. */
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
