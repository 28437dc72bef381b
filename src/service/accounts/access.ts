import type { Accounts } from "./accounts.ts";
import type { Authorize, Caller } from "./authorize.ts";
import { isRole, type Person } from "./people.ts";
import type { IdentityProvider } from "./provider/identity-provider.ts";

/** Who may open the console. */
export type Access =
  /** Everyone on this machine, during development. */
  | { readonly kind: "open" }
  /** Visitors whom the application knows. */
  | { readonly kind: "application"; readonly authorize: Authorize }
  /** Visitors with an account of the service, or of an identity provider. */
  | { readonly kind: "accounts"; readonly accounts: Accounts; readonly provider?: IdentityProvider | undefined };

export type Authorization = { kind: "admitted"; person: Person } | { kind: "refused" };

const refused: Authorization = { kind: "refused" };

export async function authorize(access: Access, caller: Caller): Promise<Authorization> {
  switch (access.kind) {
    case "open":
      return isFromThisMachine(caller) ? { kind: "admitted", person: { name: "you", roles: "owner" } } : refused;
    case "application": {
      const person = await access.authorize(caller);
      return isPerson(person) ? { kind: "admitted", person } : refused;
    }
    case "accounts": {
      const person = caller.session === undefined ? undefined : await access.accounts.sessions.personOf(caller.session);
      return person ? { kind: "admitted", person } : refused;
    }
  }
}

const ownNames = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * With open access, the server listens on loopback only. This check refuses DNS rebinding (foreign host names that
 * point to this machine) and proxies that forward strangers.
 */
function isFromThisMachine({ url, headers }: Caller): boolean {
  return ownNames.has(url.hostname) && !headers.has("x-forwarded-for") && !headers.has("forwarded");
}

/** The result of the application's code is validated like any outside input. */
function isPerson(value: unknown): value is Person {
  if (typeof value !== "object" || value === null || !("name" in value) || !("roles" in value)) return false;
  const { name, roles } = value;
  if (typeof name !== "string" || name === "") return false;
  return isRole(roles) || (typeof roles === "object" && roles !== null && Object.values(roles).every(isRole));
}
