import type { IncomingMessage } from "node:http";
import { compileAddresses, withoutMapping } from "../intake/addresses.ts";

/** Set by another process of the same application, which forwards requests over a socket of its user. */
export const forwardedClientHeader = "x-holdfast-client";

/** Forwarding headers count only if a trusted proxy sent them. */
export function createAddressOf(trustedProxies: readonly string[]): (request: IncomingMessage) => string | undefined {
  const isProxy = compileAddresses(trustedProxies);
  return ({ socket, headers }) => {
    if (socket.remoteAddress === undefined) return lastOf(headers[forwardedClientHeader]);
    const address = withoutMapping(socket.remoteAddress);
    if (!isProxy(address)) return address;
    return lastOf(headers["x-forwarded-for"]) ?? address;
  };
}

/** Each proxy appends its entry, so only the last one comes from a trusted proxy. */
function lastOf(header: string | string[] | undefined): string | undefined {
  const text = Array.isArray(header) ? header.join(",") : header;
  return text?.split(",").at(-1)?.trim() || undefined;
}
