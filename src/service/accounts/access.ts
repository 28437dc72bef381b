import type { Accounts } from "./accounts.ts";
import { isRole, type Person } from "./people.ts";

/** What is known about somebody who wants to see the console. */
export interface Caller {
  readonly url: URL;
  readonly headers: Headers;
  /** What the console's own cookie says. */
  readonly session?: string | undefined;
}

/** Answers who a caller is by the application's own sign-in; nothing for a stranger. */
export type Authorize = (caller: Caller) => unknown;

/** Who may see the console. */
export type Access =
  /** Everybody on this machine: while developing. */
  | { readonly kind: "open" }
  /** Those whom the application knows. */
  | { readonly kind: "application"; readonly authorize: Authorize }
  /** Those who have an account here. */
  | { readonly kind: "accounts"; readonly accounts: Accounts };

export type Authorization = { kind: "admitted"; person: Person } | { kind: "stranger" };

const stranger: Authorization = { kind: "stranger" };

export async function authorize(access: Access, caller: Caller): Promise<Authorization> {
  switch (access.kind) {
    case "open":
      return isFromThisMachine(caller) ? { kind: "admitted", person: { name: "you", roles: "owner" } } : stranger;
    case "application": {
      const person = await access.authorize(caller);
      return isPerson(person) ? { kind: "admitted", person } : stranger;
    }
    case "accounts": {
      const person = caller.session === undefined ? undefined : access.accounts.personOf(caller.session);
      return person ? { kind: "admitted", person } : stranger;
    }
  }
}

const ownNames = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * The server listens on loopback when access is open; what is left are other sites that point a name of theirs at this
 * machine, and proxies that bring in strangers.
 */
function isFromThisMachine({ url, headers }: Caller): boolean {
  return ownNames.has(url.hostname) && !headers.has("x-forwarded-for") && !headers.has("forwarded");
}

/** The application's code is not ours: what it answers is read like anything else from outside. */
function isPerson(value: unknown): value is Person {
  if (typeof value !== "object" || value === null || !("name" in value) || !("roles" in value)) return false;
  const { name, roles } = value;
  if (typeof name !== "string" || name === "") return false;
  return isRole(roles) || (typeof roles === "object" && roles !== null && Object.values(roles).every(isRole));
}
