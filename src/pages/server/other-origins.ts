import type { IncomingMessage } from "node:http";

/** Origins whose pages may call an API route and read its responses, as declared in the route's file. */
export type OtherOrigins = "any" | readonly string[];

interface OpenRoute {
  readonly kind: string;
  readonly origins?: OtherOrigins | undefined;
}

/** How long a browser may cache the response to a preflight request. */
const preflightSeconds = 600;

/**
 * The origin of another site's page that this route allows. Its requests are handled without the visitor's cookies:
 * permission depends on the token they carry, never on the user who is signed in in the same browser.
 */
export function admittedOrigin(
  { headers }: IncomingMessage,
  { kind, origins }: OpenRoute,
  ownOrigin: string,
): string | undefined {
  const { origin } = headers;
  if (kind !== "api" || origins === undefined || origin === undefined || origin === ownOrigin) return undefined;
  return origins === "any" || origins.includes(origin) ? origin : undefined;
}

/** Headers that let the page read the response. */
export function readableFor(origin: string, { origins }: OpenRoute): string[] {
  const expose = ["Access-Control-Expose-Headers", "*"];
  if (origins === "any") return ["Access-Control-Allow-Origin", "*", ...expose];
  return ["Access-Control-Allow-Origin", origin, "Vary", "Origin", ...expose];
}

/**
 * Browsers send a preflight (Fetch standard, CORS) before a request that a plain form could not send. It carries no
 * token, so no guard runs.
 */
export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === "OPTIONS" && headers["access-control-request-method"] !== undefined;
}

export function preflightHeaders({ headers }: IncomingMessage, allowed: string): string[] {
  const requested = headers["access-control-request-headers"];
  const allow = ["Access-Control-Allow-Methods", allowed, "Access-Control-Max-Age", String(preflightSeconds)];
  return requested === undefined ? allow : [...allow, "Access-Control-Allow-Headers", requested];
}
