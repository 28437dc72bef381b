import { createHash } from "node:crypto";
import { authorize } from "../accounts/access.ts";
import type { Person } from "../accounts/people.ts";
import type { ConsoleApi } from "../console-api/console-api.ts";
import type { Scope } from "../tokens/scopes.ts";
import { apiErrors } from "./errors.ts";
import { type Refused, refuseCall } from "./problem.ts";

/** Of the console. The prefix makes browsers refuse one that another host has set. */
export const sessionCookie = "__Host-holdfast-console";

export interface ApiCaller {
  readonly kind: "identified";
  readonly person: Person;
  /** Undefined for a session. */
  readonly scopes: ReadonlySet<Scope> | undefined;
  /** Value of the console's cookie. Undefined for a token. */
  readonly session?: string | undefined;
  /** Requests are counted by it. */
  readonly countedAs: string;
}

export interface IdentifyDeps {
  readonly api: Pick<ConsoleApi, "access" | "tokens">;
  /** Network address of the client. */
  readonly address: string;
}

/** By a token, or as the console identifies its visitors. */
export async function identifyCaller(request: Request, deps: IdentifyDeps): Promise<ApiCaller | Refused> {
  const token = /^Bearer\s+(hft_\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
  return token === undefined ? bySession(request, deps) : byToken(token, deps);
}

async function byToken(secret: string, { api, address }: IdentifyDeps): Promise<ApiCaller | Refused> {
  const admission = await api.tokens.admit(secret, address);
  switch (admission.kind) {
    case "granted": {
      const { id, person, scopes } = admission.grant;
      return { kind: "identified", person, scopes, countedAs: `token ${id}` };
    }
    case "unknown":
      return refuseCall(401, apiErrors.unknownToken(), { headers: challenge });
    case "expired":
      return refuseCall(401, apiErrors.expiredToken(), { headers: challenge });
    case "wait":
      return refuseCall(429, apiErrors.tooManyTokens(admission.seconds), { retryAfterSeconds: admission.seconds });
  }
}

async function bySession(request: Request, { api }: IdentifyDeps): Promise<ApiCaller | Refused> {
  const { headers } = request;
  const url = new URL(request.url);
  const session = cookieIn(headers.get("cookie") ?? "", sessionCookie);
  const admission = await authorize(api.access, { url, headers, session });
  if (admission.kind === "refused") return refuseCall(401, apiErrors.notIdentified(), { headers: challenge });
  // Browsers send cookies with requests of every site. A development server has no cookies, but every site reaches it.
  if (!isSafe(request.method) && isFromElsewhere(request, url.origin, api.access.kind !== "open"))
    return refuseCall(403, apiErrors.otherSite());
  const { person } = admission;
  const countedAs = session === undefined ? `person ${person.name}` : `session ${digestOf(session)}`;
  return { kind: "identified", person, scopes: undefined, session, countedAs };
}

const challenge = { "WWW-Authenticate": "Bearer" };

function isSafe(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

/** By headers that no script can set. Browsers send `Origin` with every change, so one without it is refused. */
function isFromElsewhere({ headers }: Request, origin: string, hasCookies: boolean): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site !== "same-origin";
  const from = headers.get("origin");
  return from === null ? hasCookies : from !== origin;
}

function cookieIn(header: string, name: string): string | undefined {
  const found = header.split(/;\s*/).find((one) => one.startsWith(`${name}=`));
  return found?.slice(name.length + 1);
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
