import type { IncomingMessage } from "node:http";

const safeMethods = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Whether another site made the visitor's browser send this request. Decided before any code of the application runs:
 * safe methods pass, others by `Sec-Fetch-Site` if the browser sends it, else by `Origin`. A request with neither does
 * not come from a page.
 */
export function isCrossSite(incoming: IncomingMessage, origin: string, trusted: readonly string[]): boolean {
  if (safeMethods.has(incoming.method ?? "GET")) return false;
  const from = incoming.headers.origin;
  if (from !== undefined && trusted.includes(from)) return false;
  const site = incoming.headers["sec-fetch-site"];
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  if (from === undefined) return false;
  // `null`, sent by sandboxed frames and some redirects, is no origin and never equals the own one.
  return from !== origin;
}

/**
 * Whether a page of another site asks for a WebSocket. Browsers send no preflight for it but the visitor's cookies, and
 * always an `Origin`.
 */
export function isForeignSocket({ headers }: IncomingMessage, origin: string, trusted: readonly string[]): boolean {
  return headers.origin !== undefined && headers.origin !== origin && !trusted.includes(headers.origin);
}

/**
 * Whether a page of this origin sent the request, by headers that no script can set. `undefined` if the client sends
 * neither: it is no browser, or one that omits them.
 */
export function isFromOwnPage({ headers }: IncomingMessage, origin?: string): boolean | undefined {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin";
  if (headers.origin === undefined || origin === undefined) return undefined;
  return headers.origin === origin;
}

const loopback = new Set(["127.0.0.1", "::1", "::ffff:127.0.0.1"]);

/**
 * Whether a program on this machine sent the request. A proxy on this machine names the client that it forwards for.
 */
export function isFromThisMachine({ socket, headers }: IncomingMessage): boolean {
  const isForwarded = headers["x-forwarded-for"] !== undefined || headers.forwarded !== undefined;
  return !isForwarded && loopback.has(socket.remoteAddress ?? "");
}
