import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { hostname } from "node:os";

export interface HostOptions {
  /** Host names from the application's settings: `shop.example`, `*.shop.example`. */
  hosts: readonly string[] | undefined;
  origin: string | undefined;
  /** Address that the server listens on. */
  listensOn: string;
  development: boolean;
}

/**
 * Checks that a request names a host that this server answers for. In a DNS rebinding attack, a page of another site
 * sends that site's name.
 *
 * In development, only IP addresses and names of this machine are accepted, because sources, overlay and console are
 * open without sign-in. In production, every name is accepted unless the settings list names, so that an application
 * works behind any proxy without configuration.
 */
export function createHostCheck(options: HostOptions): (host: string | undefined) => boolean {
  const { hosts, origin, listensOn, development } = options;
  if (hosts === undefined && !development) return () => true;
  const machine = hostname().toLowerCase();
  const known = new Set(["localhost", machine, `${machine}.local`, listensOn.toLowerCase()]);
  if (origin !== undefined) known.add(new URL(origin).hostname);
  const below = ["localhost"];
  for (const name of hosts ?? []) {
    if (name.startsWith("*.")) below.push(name.slice(2).toLowerCase());
    else known.add(name.toLowerCase());
  }
  return (host) => {
    const name = nameOf(host ?? "");
    return known.has(name) || isIP(name) !== 0 || below.some((parent) => name.endsWith(`.${parent}`));
  };
}

/** `Shop.example.:8080` is `shop.example`, `[::1]:3000` is `::1`. */
function nameOf(host: string): string {
  const [, address, name] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(host) ?? [];
  return (address ?? name ?? "").toLowerCase().replace(/\.$/, "");
}

/** Proxies and servers disagree about which of two `Host` headers counts. */
export function namesTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === "host") count += 1;
  }
  return count > 1;
}
