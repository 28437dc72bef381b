import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { hostname } from "node:os";

export interface HostOptions {
  /** Names that the application is reached by, as its settings give them: `shop.example`, `*.shop.example`. */
  hosts: readonly string[] | undefined;
  origin: string | undefined;
  /** Where the server listens. */
  listensOn: string;
  development: boolean;
}

/**
 * Whether a request names a host that this server answers for. A page of another site whose name is made to lead here
 * (DNS rebinding) names its own.
 *
 * While developing, only names of this machine and addresses are known: sources, overlay and console are open to
 * whoever gets in. In production every name is answered unless the settings give a list, so that an application works
 * behind any proxy before anything is set.
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

/** A request that names two hosts is read differently by whoever stands in between. */
export function namesTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === "host") count += 1;
  }
  return count > 1;
}
