import { isAtLeast, type Person, type Roles, roleIn } from "../accounts/people.ts";
import { permits, type Scope } from "./scopes.ts";

/** What the holder of a token may do at this moment. */
export interface TokenGrant {
  readonly id: number;
  readonly name: string;
  readonly scopes: ReadonlySet<Scope>;
  readonly owner: GrantOwner;
  /** Acts in histories and in the audit log. Its roles are already limited by the scopes. */
  readonly person: Person;
}

export type GrantOwner =
  /** `roles` are those of the person, without the limit of the scopes. */
  | { readonly kind: "person"; readonly email: string; readonly roles: Roles }
  | { readonly kind: "project"; readonly project: number };

/** Whether a token permits uploads to a project. Those of a person need the role of a member. */
export function mayUpload({ owner, scopes }: TokenGrant, project: number): boolean {
  if (!permits(scopes, "upload")) return false;
  if (owner.kind === "project") return owner.project === project;
  return isAtLeast(roleIn({ name: owner.email, roles: owner.roles }, project), "member");
}
