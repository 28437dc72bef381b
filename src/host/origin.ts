import type { IncomingMessage } from "node:http";
import { withoutMapping } from "#bounds";
import { lastForwarded } from "#http";
import { compileAddresses } from "#service";

export interface OriginOptions {
  origin: string | undefined;
  trustedProxies: readonly string[];
}

/** Origin and client address of a request. Forwarding headers count only if a configured proxy sent them. */
export interface ClientAddresses {
  originOf(incoming: IncomingMessage): string;
  /** The host that the visitor requested, as far as it can be trusted. */
  hostOf(incoming: IncomingMessage): string | undefined;
  clientOf(incoming: IncomingMessage): string;
  /** Whether a configured proxy has this address. */
  isProxy(address: string): boolean;
}

export function createClientAddresses({ origin, trustedProxies }: OriginOptions): ClientAddresses {
  const isProxyAddress = compileAddresses(trustedProxies);
  const isProxy = (incoming: IncomingMessage): boolean =>
    isProxyAddress(withoutMapping(incoming.socket.remoteAddress ?? ""));
  const hostOf = (incoming: IncomingMessage): string | undefined =>
    (isProxy(incoming) ? lastForwarded(incoming.headers["x-forwarded-host"]) : undefined) ?? incoming.headers.host;
  return {
    hostOf,
    isProxy: isProxyAddress,
    originOf: (incoming) => {
      if (origin !== undefined) return origin;
      const ownScheme = "encrypted" in incoming.socket ? "https" : "http";
      // The page handler checks `Host` before it calls this.
      if (!isProxy(incoming)) return `${ownScheme}://${incoming.headers.host}`;
      const scheme = lastForwarded(incoming.headers["x-forwarded-proto"]) ?? ownScheme;
      const requestOrigin = `${scheme === "https" ? "https" : "http"}://${hostOf(incoming)}`;
      // A proxy may forward untrusted text: an invalid host gets an origin that matches none.
      return URL.canParse(requestOrigin) ? new URL(requestOrigin).origin : "http://invalid";
    },
    clientOf: (incoming) =>
      (isProxy(incoming) && lastForwarded(incoming.headers["x-forwarded-for"])) ||
      withoutMapping(incoming.socket.remoteAddress ?? ""),
  };
}
