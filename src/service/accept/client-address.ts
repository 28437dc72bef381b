import type { IncomingMessage } from "node:http";
import { withoutMapping } from "#bounds";
import { lastForwarded } from "#http";
import { compileAddresses } from "../intake/addresses.ts";

/** Set by another process of the same application, which forwards requests over a socket of its user. */
export const forwardedClientHeader = "x-holdfast-client";

/** Forwarding headers count only if a trusted proxy sent them. */
export function createAddressOf(trustedProxies: readonly string[]): (request: IncomingMessage) => string | undefined {
  const isProxy = compileAddresses(trustedProxies);
  return ({ socket, headers }) => {
    if (socket.remoteAddress === undefined) return lastForwarded(headers[forwardedClientHeader]);
    const address = withoutMapping(socket.remoteAddress);
    if (!isProxy(address)) return address;
    return lastForwarded(headers["x-forwarded-for"]) ?? address;
  };
}
