import { hourMs } from "../../clock.ts";
import { serviceErrors } from "../../errors.ts";
import { isRole, type Role, type Roles } from "../people.ts";

/** How people with accounts sign in, as the operator has set it. */
export interface SignInSettings {
  /** False: only the identity provider admits people. */
  readonly passwords: boolean;
  readonly provider?: ProviderSettings | undefined;
  /** Whether people who sign in by a password must have a second factor. */
  readonly secondFactor: "optional" | "required";
}

/** An identity provider that speaks OpenID Connect. */
export interface ProviderSettings {
  readonly issuer: URL;
  readonly clientId: string;
  /** Undefined for a public client, which PKCE alone protects. */
  readonly clientSecret: string | undefined;
  /** How the secret is sent. Undefined: as the provider says that it can. */
  readonly clientAuth: "basic" | "post" | undefined;
  /** On the button of the sign-in page. */
  readonly name: string;
  readonly scopes: string;
  readonly groupsClaim: string;
  readonly rolesOfGroup: GroupRoles;
  /** After this long a person passes the provider again, which may have changed their groups. */
  readonly sessionMs: number;
}

/** Roles by the name of a group. `*` is every person whom the provider admits. */
export type GroupRoles = ReadonlyMap<string, Roles>;

export const usualSignIn: SignInSettings = { passwords: true, secondFactor: "optional" };

/** A working day. A shorter one than a minute would end before the first page. */
const sessionHours = { usual: 12, least: 1 / 60, most: 24 * 90 };

/** Reads the settings of the environment. Throws a clear error for a wrong one, so that a server does not start. */
export function signInSettingsOf(environment: NodeJS.ProcessEnv): SignInSettings {
  return { ...readWays(environment), secondFactor: readSecondFactor(environment) };
}

/** The settings of ways to sign in belong together. */
export function readWays(environment: NodeJS.ProcessEnv): Pick<SignInSettings, "passwords" | "provider"> {
  const provider = providerSettingsOf(environment);
  const passwords = readPasswords(environment);
  if (!passwords && provider === undefined)
    throw serviceErrors.wrongSignIn(
      "HOLDFAST_PASSWORDS is off, but there is no other way to sign in.",
      "Set HOLDFAST_OIDC_ISSUER and its neighbours, or remove HOLDFAST_PASSWORDS.",
    );
  return { passwords, provider };
}

export function readPasswords({ HOLDFAST_PASSWORDS: text }: NodeJS.ProcessEnv): boolean {
  if (!text || text === "on") return true;
  if (text === "off") return false;
  throw serviceErrors.wrongSignIn(`HOLDFAST_PASSWORDS is ${JSON.stringify(text)}.`, "Set it to on or off.");
}

export function readSecondFactor({ HOLDFAST_SECOND_FACTOR: text }: NodeJS.ProcessEnv): SignInSettings["secondFactor"] {
  if (!text || text === "optional") return "optional";
  if (text === "required") return text;
  throw serviceErrors.wrongSignIn(
    `HOLDFAST_SECOND_FACTOR is ${JSON.stringify(text)}.`,
    "Set it to optional or required, or leave it out.",
  );
}

function providerSettingsOf(environment: NodeJS.ProcessEnv): ProviderSettings | undefined {
  if (!environment.HOLDFAST_OIDC_ISSUER) {
    const alone = Object.keys(environment).find((name) => name.startsWith("HOLDFAST_OIDC_") && environment[name]);
    if (alone === undefined) return undefined;
    throw serviceErrors.wrongSignIn(
      `${alone} is set, but HOLDFAST_OIDC_ISSUER is not.`,
      "Set it to the address of the identity provider, such as https://login.example.org.",
    );
  }
  const url = read.issuer(environment);
  return {
    issuer: url,
    clientId: read.clientId(environment),
    clientSecret: environment.HOLDFAST_OIDC_CLIENT_SECRET || undefined,
    clientAuth: read.clientAuth(environment),
    name: environment.HOLDFAST_OIDC_NAME || url.host,
    scopes: read.scopes(environment),
    groupsClaim: environment.HOLDFAST_OIDC_GROUPS_CLAIM || "groups",
    rolesOfGroup: read.rolesOfGroup(environment),
    sessionMs: read.sessionMs(environment),
  };
}

/** What of a provider may be wrong by itself. */
const read = {
  issuer: ({ HOLDFAST_OIDC_ISSUER: text = "" }: NodeJS.ProcessEnv) => issuerOf(text),
  clientId: ({ HOLDFAST_OIDC_CLIENT_ID: text }: NodeJS.ProcessEnv) => clientIdOf(text),
  clientAuth: ({ HOLDFAST_OIDC_CLIENT_AUTH: text }: NodeJS.ProcessEnv) => clientAuthOf(text),
  scopes: ({ HOLDFAST_OIDC_SCOPES: text }: NodeJS.ProcessEnv) => scopesOf(text || "openid email profile"),
  rolesOfGroup: ({ HOLDFAST_OIDC_ROLES: text = "" }: NodeJS.ProcessEnv) => groupRolesOf(text),
  sessionMs: ({ HOLDFAST_OIDC_SESSION_HOURS: text }: NodeJS.ProcessEnv) => sessionMsOf(text),
};

/** So that a start can name all that is wrong. Without an issuer, `readWays` says that it is missing. */
export const providerReaders: readonly ((environment: NodeJS.ProcessEnv) => unknown)[] = Object.values(read).map(
  (one) => (environment) => environment.HOLDFAST_OIDC_ISSUER && one(environment),
);

const loopback = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Without https, another machine could pass for the provider. On this machine there is none in between. */
function issuerOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && loopback.has(url.hostname));
  if (url !== undefined && isSafe && url.username === "" && url.search === "" && url.hash === "") return url;
  throw serviceErrors.wrongSignIn(
    `HOLDFAST_OIDC_ISSUER ${JSON.stringify(text)} is not an address that begins with https://.`,
    "Set it to the issuer of the identity provider; http:// is accepted only for one on this machine.",
  );
}

function clientIdOf(text: string | undefined): string {
  if (text) return text;
  throw serviceErrors.wrongSignIn(
    "HOLDFAST_OIDC_ISSUER is set, but HOLDFAST_OIDC_CLIENT_ID is not.",
    "Set it to the id that the identity provider has given to this service.",
  );
}

function clientAuthOf(text: string | undefined): ProviderSettings["clientAuth"] {
  if (!text) return undefined;
  if (text === "basic" || text === "post") return text;
  throw serviceErrors.wrongSignIn(
    `HOLDFAST_OIDC_CLIENT_AUTH is ${JSON.stringify(text)}.`,
    "Set it to basic or post, or leave it out.",
  );
}

function scopesOf(text: string): string {
  const scopes = text.split(/\s+/).filter((one) => one !== "");
  if (scopes.includes("openid")) return scopes.join(" ");
  throw serviceErrors.wrongSignIn(
    `HOLDFAST_OIDC_SCOPES ${JSON.stringify(text)} does not name openid.`,
    "Set it to a list such as openid email profile groups, or leave it out.",
  );
}

/** The same form as roles have in `holdfast user list`: a role in all projects, or one for each. */
function groupRolesOf(text: string): GroupRoles {
  const wrong = (what: string) =>
    serviceErrors.wrongSignIn(
      `HOLDFAST_OIDC_ROLES ${what}.`,
      'Set it to the roles of each group: {"admins": "owner", "web team": {"1": "member", "2": "viewer"}}.',
    );
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    throw wrong(text === "" ? "is not set" : "is not JSON");
  }
  if (typeof read !== "object" || read === null || Array.isArray(read)) throw wrong("is not an object");
  const groups = Object.entries(read);
  if (groups.length === 0) throw wrong("names no group, so that no person could sign in");
  return new Map(
    groups.map(([group, roles]: [string, unknown]) => {
      const given = givenRoles(roles);
      if (given === undefined)
        throw wrong(`gives the group ${JSON.stringify(group)} neither viewer, member or owner nor roles by project`);
      return [group, given];
    }),
  );
}

function givenRoles(value: unknown): Roles | undefined {
  if (isRole(value)) return value;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const entries: [string, unknown][] = Object.entries(value);
  const isGiven = (entry: [string, unknown]): entry is [string, Role] =>
    /^[1-9]\d{0,8}$/.test(entry[0]) && isRole(entry[1]);
  return entries.length > 0 && entries.every(isGiven) ? Object.fromEntries(entries) : undefined;
}

function sessionMsOf(text: string | undefined): number {
  const hours = text ? Number(text) : sessionHours.usual;
  if (hours >= sessionHours.least && hours <= sessionHours.most) return Math.round(hours * hourMs);
  throw serviceErrors.wrongSignIn(
    `HOLDFAST_OIDC_SESSION_HOURS ${JSON.stringify(text)} is not a number of hours.`,
    `Set it to at most ${sessionHours.most}, or leave it out for ${sessionHours.usual}.`,
  );
}
