import type { IncomingMessage } from "node:http";

/** Origins whose pages may call an API route and read its answers, as the route's own file names them. */
export type OtherOrigins = "any" | readonly string[];

interface OpenRoute {
  readonly kind: string;
  readonly origins?: OtherOrigins | undefined;
}

/** A browser may take the answer to its first question for the next ones, for so long. */
const preflightSeconds = 600;

/**
 * The origin of another site's page that this route lets in. Such a page comes without the visitor's cookies: what it
 * may do is decided by the token that it brings, never by who happens to be signed in in the same browser.
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

/** Tells the browser that the page may read the answer. */
export function readableFor(origin: string, { origins }: OpenRoute): string[] {
  const expose = ["Access-Control-Expose-Headers", "*"];
  if (origins === "any") return ["Access-Control-Allow-Origin", "*", ...expose];
  return ["Access-Control-Allow-Origin", origin, "Vary", "Origin", ...expose];
}

/**
 * A browser asks this way before it sends what a plain form could not send. The question carries no token, so no guard
 * is asked.
 */
export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === "OPTIONS" && headers["access-control-request-method"] !== undefined;
}

export function preflightHeaders({ headers }: IncomingMessage, allowed: string): string[] {
  const asked = headers["access-control-request-headers"];
  const allow = ["Access-Control-Allow-Methods", allowed, "Access-Control-Max-Age", String(preflightSeconds)];
  return asked === undefined ? allow : [...allow, "Access-Control-Allow-Headers", asked];
}
