import type { Access } from "../accounts/access.ts";
import type { Applicant } from "../accounts/applicant.ts";
import type { BegunSignIn, ProviderProblem } from "../accounts/provider/identity-provider.ts";
import { rolesOfGroups } from "../accounts/provider/roles-of-groups.ts";
import type { Administration } from "../administration/administration.ts";

export type ProviderEntry =
  | { kind: "signed-in"; session: string; device: string; to: string | undefined }
  | { kind: "no-role" }
  | { kind: "unverified" }
  | ProviderProblem;

/** The ways into the console. */
export interface SignInApi {
  /** Whether people may sign in by a password. */
  readonly hasPasswords: boolean;
  /** Undefined without an identity provider. */
  readonly provider: ProviderApi | undefined;
  /** Signs a member of a project out everywhere. False for a person who has no role in it. */
  endSessions(project: number, email: string, by: string): Promise<boolean>;
}

/** Signing in by an identity provider. Its outcomes are unions, also while the provider is away. */
export interface ProviderApi {
  /** On the button. */
  readonly name: string;
  /** `back` is the address of the console to which the provider returns the browser, `to` the page wanted then. */
  begin(back: URL, to: string | undefined, from: Applicant): Promise<BegunSignIn>;
  /** `returned` is the address with which the browser came back, `stored` the text of `begin`. */
  finish(returned: URL, stored: string | undefined, from: Applicant): Promise<ProviderEntry>;
  /** Where people sign out of the provider too. Undefined if there is no such address. */
  endSessionAddress(back: URL): Promise<string | undefined>;
}

export interface SignInApiDeps {
  readonly administration: Pick<Administration, "record">;
  projects(): readonly number[];
}

export function openSignInApi(access: Access, deps: SignInApiDeps): SignInApi | undefined {
  if (access.kind !== "accounts") return undefined;
  const { accounts } = access;
  return {
    hasPasswords: accounts.hasPasswords,
    provider: openProviderApi(access, deps),
    async endSessions(project, email, by) {
      const members = await accounts.membersOf(project);
      if (!members.some((one) => one.email === email)) return false;
      await accounts.sessions.endAll(email);
      await deps.administration.record({ by, project, what: `ended all sessions of ${email}` });
      return true;
    },
  };
}

function openProviderApi(
  { accounts, provider }: Extract<Access, { kind: "accounts" }>,
  { administration, projects }: SignInApiDeps,
): ProviderApi | undefined {
  if (provider === undefined) return undefined;
  return {
    name: provider.name,
    begin: (back, to, from) => provider.begin(back, to, from),
    async finish(returned, stored, from) {
      const found = await provider.finish(returned, stored, from);
      if (found.kind !== "identified") return found;
      const { rolesOfGroup, sessionMs } = provider.settings;
      const roles = rolesOfGroups(found.identity.groups, rolesOfGroup, projects());
      const entry = await accounts.signInByProvider(found.identity, { roles, sessionMs }, from);
      if (entry.kind === "unverified") return entry;
      if (entry.change !== undefined) {
        const { email: by } = entry.change;
        const what = `has the roles ${JSON.stringify(entry.change.roles)} by the groups of ${provider.name}`;
        await administration.record({ by, what });
      }
      if (entry.kind === "no-role") return { kind: "no-role" };
      return { kind: "signed-in", session: entry.session, device: entry.device, to: found.to };
    },
    endSessionAddress: (back) => provider.endSessionAddress(back),
  };
}
