import { keyLimits } from "./project-keys.ts";

/** `https://shop.example`, `https://*.shop.example`, `shop.example` (any scheme and port) or `*.shop.example`. */
const pattern = /^(?:(https?):\/\/)?(\*\.)?([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::(\d{1,5}))?$/;

/** Returns the problem of origins that a person typed in. */
export function problemOfOrigins(origins: readonly string[]): string | undefined {
  if (origins.length > keyLimits.origins) return `At most ${keyLimits.origins} origins.`;
  const wrong = origins.find((origin) => origin.length > keyLimits.originLength || !pattern.test(origin.toLowerCase()));
  if (wrong === undefined) return undefined;
  return `“${wrong.slice(0, 60)}” is no origin. Write https://shop.example, https://*.shop.example or shop.example.`;
}

/**
 * Whether a page of this origin may send with a key. A client that names no origin is no page: servers may send with
 * every key, and any program could name any origin. So this keeps honest pages of others out, and nothing else.
 */
export function isAllowedOrigin(allowed: readonly string[] | undefined, origin: string | undefined): boolean {
  if (allowed === undefined || allowed.length === 0 || origin === undefined) return true;
  if (!URL.canParse(origin)) return false;
  const { protocol, hostname, port } = new URL(origin);
  return allowed.some((one) => matches(one.toLowerCase(), { scheme: protocol.slice(0, -1), hostname, port }));
}

interface PageOrigin {
  readonly scheme: string;
  readonly hostname: string;
  /** Empty for the usual port of the scheme. */
  readonly port: string;
}

function matches(allowed: string, { scheme, hostname, port }: PageOrigin): boolean {
  const [, wantedScheme, anyBelow, host = "", wantedPort] = pattern.exec(allowed) ?? [];
  if (host === "") return false;
  if (anyBelow === undefined ? hostname !== host : !hostname.endsWith(`.${host}`)) return false;
  if (wantedScheme === undefined) return wantedPort === undefined || wantedPort === portOf(scheme, port);
  return wantedScheme === scheme && portOf(scheme, wantedPort ?? "") === portOf(scheme, port);
}

function portOf(scheme: string, port: string): string {
  return port === "" ? (scheme === "https" ? "443" : "80") : port;
}
