import type { IncomingMessage } from "node:http";

const safeMethods = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Whether another site made the visitor's browser send this request. Decided by method, before any code of the
 * application runs: `Sec-Fetch-Site` where the browser sends it, else the host of `Origin`. A request with neither does
 * not come from a browser's page.
 */
export function isCrossSite(incoming: IncomingMessage, origin: string, trusted: readonly string[]): boolean {
  if (safeMethods.has(incoming.method ?? "GET")) return false;
  const from = incoming.headers.origin;
  if (from !== undefined && trusted.includes(from)) return false;
  const site = incoming.headers["sec-fetch-site"];
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  if (from === undefined) return false;
  // `null`, sent by sandboxed frames and some redirects, is not an origin and so never the own one.
  return from !== origin;
}
