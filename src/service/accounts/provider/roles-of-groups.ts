import { isAtLeast, isRole, type Role, type Roles } from "../people.ts";
import type { GroupRoles } from "./sign-in-settings.ts";

/**
 * Returns the roles that groups give together: in each project the highest. Undefined if no group gives one. A role in
 * all projects below a higher one in some is written out for the projects that exist.
 */
export function rolesOfGroups(
  groups: readonly string[],
  rolesOfGroup: GroupRoles,
  projects: readonly number[],
): Roles | undefined {
  const given = ["*", ...groups].map((group) => rolesOfGroup.get(group)).filter((roles) => roles !== undefined);
  const everywhere = highest(given.filter(isRole));
  const single: Record<number, Role> = {};
  for (const roles of given) {
    if (isRole(roles)) continue;
    for (const [project, role] of Object.entries(roles))
      single[Number(project)] = highest([role, single[Number(project)]]) ?? role;
  }
  const isHigher = Object.values(single).some((role) => !isAtLeast(everywhere, role));
  if (!isHigher) return everywhere;
  if (everywhere === undefined) return single;
  for (const project of projects) single[project] = highest([everywhere, single[project]]) ?? everywhere;
  return single;
}

function highest(roles: readonly (Role | undefined)[]): Role | undefined {
  return (["owner", "member", "viewer"] as const).find((role) => roles.includes(role));
}
