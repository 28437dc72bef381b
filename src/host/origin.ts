import type { IncomingMessage } from "node:http";
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
  const isProxy = (incoming: IncomingMessage): boolean => isProxyAddress(plain(incoming.socket.remoteAddress ?? ""));
  const hostOf = (incoming: IncomingMessage): string | undefined =>
    (isProxy(incoming) ? lastOf(incoming.headers["x-forwarded-host"]) : undefined) ?? incoming.headers.host;
  return {
    hostOf,
    isProxy: isProxyAddress,
    originOf: (incoming) => {
      if (origin !== undefined) return origin;
      const ownScheme = "encrypted" in incoming.socket ? "https" : "http";
      // The page handler checks `Host` before it calls this.
      if (!isProxy(incoming)) return `${ownScheme}://${incoming.headers.host}`;
      const scheme = lastOf(incoming.headers["x-forwarded-proto"]) ?? ownScheme;
      const requestOrigin = `${scheme === "https" ? "https" : "http"}://${hostOf(incoming)}`;
      // A proxy may forward untrusted text: an invalid host gets an origin that matches none.
      return URL.canParse(requestOrigin) ? new URL(requestOrigin).origin : "http://invalid";
    },
    clientOf: (incoming) =>
      (isProxy(incoming) && lastOf(incoming.headers["x-forwarded-for"])) || plain(incoming.socket.remoteAddress ?? ""),
  };
}

/** Each proxy appends its entry, so only the last one comes from a trusted proxy. */
function lastOf(header: string | string[] | undefined): string | undefined {
  const text = Array.isArray(header) ? header.join(",") : header;
  return text?.split(",").at(-1)?.trim() || undefined;
}

/** Maps an IPv4-mapped address of a dual-stack socket to IPv4: `::ffff:127.0.0.1` is 127.0.0.1. */
function plain(address: string): string {
  return address.startsWith("::ffff:") ? address.slice(7) : address;
}
