import { isAtLeast, type Role, roleIn } from "../accounts/people.ts";
import type { ConsoleApi } from "../console-api/console-api.ts";
import { permits } from "../tokens/scopes.ts";
import { apiErrors } from "./errors.ts";
import type { ApiCaller } from "./identify-caller.ts";
import { type ApiProblem, type Refused, refuseCall } from "./problem.ts";
import type { AnyRoute, Need } from "./route.ts";

/**
 * Checks scope, project and role. A project in which the caller has no role is as unknown as one that does not exist.
 * Refusals are in the audit log.
 */
export async function permit(
  api: Pick<ConsoleApi, "projects" | "administration">,
  { person, scopes }: ApiCaller,
  { needs }: Pick<AnyRoute, "needs">,
  project: number | undefined,
): Promise<{ readonly kind: "permitted" } | Refused> {
  if (needs === undefined) return permitted;
  const refused = async (why: string, answer: Refused): Promise<Refused> => {
    await api.administration.refuse({ who: person.name, project, why });
    return answer;
  };
  const role = project === undefined ? undefined : roleIn(person, project);
  const isThere = project === undefined || api.projects().some(({ id }) => id === project);
  const { scope } = needs;
  if (scopes && !permits(scopes, scope))
    return refused(`its token has no scope ${scope}`, refuseCall(403, apiErrors.noScope(scope)));
  if (!isThere) return refuseCall(404, apiErrors.unknown("project"));
  if (project !== undefined && role === undefined)
    return refused("no role in this project", refuseCall(404, apiErrors.unknown("project")));
  if (isEnough(needs, person.roles === "owner", role)) return permitted;
  const wanted = needs.role === "owner-of-all" ? "owner of all projects" : `${needs.role}`;
  return refused(`it takes the role ${wanted}`, refuseCall(403, apiErrors.noRole(wanted)));
}

/** Of a change that only some of those may make who may call the route. */
export async function refuseRole(
  api: Pick<ConsoleApi, "administration">,
  { person }: ApiCaller,
  role: Role,
  project: number | undefined,
): Promise<ApiProblem> {
  await api.administration.refuse({ who: person.name, project, why: `it takes the role ${role}` });
  return { status: 403, error: apiErrors.noRole(role) };
}

const permitted = { kind: "permitted" } as const;

function isEnough({ role: wanted }: Need, ownsAll: boolean, role: ReturnType<typeof roleIn>): boolean {
  if (wanted === undefined) return true;
  return wanted === "owner-of-all" ? ownsAll : isAtLeast(role, wanted);
}
