import { postgresErrors } from "../errors.ts";

/** One server of the store. */
export interface HostAddress {
  /** For messages: without user and password. */
  readonly name: string;
  /** As the driver takes it. */
  readonly address: string;
}

const form = /^(postgres(?:ql)?:\/\/(?:[^@/?]*@)?)([^/?]*)(\/[^?]*)?(?:\?(.*))?$/s;
// The others ask for a server that only reads.
const usableAttributes = ["any", "read-write", "primary"];
// What libpq means by them. The driver has other meanings unless it is asked for these.
const libpqModes = ["disable", "require", "verify-ca", "verify-full"];

/**
 * The servers of `postgres://user@host1:5432,host2:5432/database`, as libpq writes it. `?host=` may list hosts or
 * folders of sockets instead. The driver knows one host at a time.
 */
export function hostAddresses(address: string): readonly HostAddress[] {
  const match = form.exec(address);
  if (match === null) throw postgresErrors.addressNotUnderstood("it does not begin with postgres://user@host");
  const [, start = "", authority = "", path = "", query = ""] = match;
  const settings = new URLSearchParams(query);
  checkAttributes(settings);
  const listed = settings.get("host");
  const places = authority.split(",").map(hostAndPort);
  const hosts = listed === null ? places : listedHosts(listed, settings.get("port") ?? places[0]?.port ?? "");
  for (const name of ["host", "port", "target_session_attrs"]) settings.delete(name);
  if (libpqModes.includes(settings.get("sslmode") ?? "") && !settings.has("uselibpqcompat"))
    settings.set("uselibpqcompat", "true");
  return hosts.map(({ host, port }) => {
    const own = new URLSearchParams(settings);
    // A folder of sockets cannot be written where a host is.
    if (host.startsWith("/")) own.set("host", host);
    const place = `${host.startsWith("/") ? "localhost" : host}${port === "" ? "" : `:${port}`}`;
    const rest = own.size === 0 ? "" : `?${own}`;
    return { name: `${host}:${port || "5432"}`, address: `${start}${place}${path}${rest}` };
  });
}

function checkAttributes(settings: URLSearchParams): void {
  const attributes = settings.get("target_session_attrs") ?? "read-write";
  if (!usableAttributes.includes(attributes))
    throw postgresErrors.addressNotUnderstood(
      `target_session_attrs is ${attributes}, and a store is written: read-write is the one that fits`,
    );
}

interface Place {
  readonly host: string;
  readonly port: string;
}

/** `[::1]:5432` has colons in the host. */
function hostAndPort(text: string): Place {
  const [, host = text, port = ""] = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(text) ?? [];
  return { host, port };
}

/** One port is for all hosts; several are for one host each. */
function listedHosts(hosts: string, ports: string): readonly Place[] {
  const each = ports.split(",");
  return hosts.split(",").map((host, n) => ({ host, port: (each.length === 1 ? each[0] : each[n]) ?? "" }));
}
