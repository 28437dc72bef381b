import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";

export interface OriginOptions {
  origin: string | undefined;
  trustedProxies: readonly string[];
}

/** Where a request came to and from. Forwarding headers count only when a configured proxy sent them. */
export interface ClientAddresses {
  originOf(incoming: IncomingMessage): string;
  /** The host that the visitor named, as far as it can be believed. */
  hostOf(incoming: IncomingMessage): string | undefined;
  clientOf(incoming: IncomingMessage): string;
  /** Whether a configured proxy has this address. */
  isProxy(address: string): boolean;
}

export function createClientAddresses({ origin, trustedProxies }: OriginOptions): ClientAddresses {
  const proxies = new BlockList();
  for (const proxy of trustedProxies) {
    const [address = "", bits] = proxy.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (bits === undefined) proxies.addAddress(address, family);
    else proxies.addSubnet(address, Number(bits), family);
  }
  const isProxyAddress = (address: string): boolean =>
    trustedProxies.length > 0 && isIP(address) !== 0 && proxies.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
  const isProxy = (incoming: IncomingMessage): boolean => isProxyAddress(plain(incoming.socket.remoteAddress ?? ""));
  const hostOf = (incoming: IncomingMessage): string | undefined =>
    (isProxy(incoming) ? lastOf(incoming.headers["x-forwarded-host"]) : undefined) ?? incoming.headers.host;
  return {
    hostOf,
    isProxy: isProxyAddress,
    originOf: (incoming) => {
      if (origin !== undefined) return origin;
      const ownScheme = "encrypted" in incoming.socket ? "https" : "http";
      // The page handler has looked at `Host` before it asks.
      if (!isProxy(incoming)) return `${ownScheme}://${incoming.headers.host}`;
      const scheme = lastOf(incoming.headers["x-forwarded-proto"]) ?? ownScheme;
      const said = `${scheme === "https" ? "https" : "http"}://${hostOf(incoming)}`;
      // A proxy may hand on what a stranger wrote: what is no host at all belongs to no origin.
      return URL.canParse(said) ? new URL(said).origin : "http://invalid";
    },
    clientOf: (incoming) =>
      (isProxy(incoming) && lastOf(incoming.headers["x-forwarded-for"])) || plain(incoming.socket.remoteAddress ?? ""),
  };
}

/**
 * The nearest proxy writes at the end, the one furthest out at the beginning; only the last entry was seen by someone
 * we trust.
 */
function lastOf(header: string | string[] | undefined): string | undefined {
  const text = Array.isArray(header) ? header.join(",") : header;
  return text?.split(",").at(-1)?.trim() || undefined;
}

/** `::ffff:127.0.0.1` is 127.0.0.1 seen through a socket that speaks both. */
function plain(address: string): string {
  return address.startsWith("::ffff:") ? address.slice(7) : address;
}
