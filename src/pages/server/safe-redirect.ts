/**
 * The only function that decides where a redirect may lead: a path of this application, or http(s) at the own or an
 * allowed origin. Returns a path for the own origin, an absolute address otherwise, and nothing for `//host`,
 * `javascript:` and the like.
 */
export function safeRedirect(to: string, origin: string, allowed: readonly string[]): string | undefined {
  if (hasControl.test(to) || !to.isWellFormed()) return undefined;
  if (to.startsWith("/")) return isOwnPath(to) ? to : undefined;
  if (!URL.canParse(to)) return undefined;
  const url = new URL(to);
  if (url.protocol !== "http:" && url.protocol !== "https:") return undefined;
  if (url.origin !== origin) return allowed.includes(url.origin) ? url.href : undefined;
  // `https://own.example//elsewhere.example` is at the own origin, but its path alone would lead to another host.
  const path = url.pathname + url.search + url.hash;
  return isOwnPath(path) ? path : undefined;
}

/**
 * Whether a refused target came with the request: its text, or its host, is one of the sent values. Then it is the
 * client's mistake or an attack, not an error of the application.
 */
export function cameFromOutside(to: string, origin: string, sentValues: Iterable<string>): boolean {
  const { host } = (URL.canParse(to, origin) && new URL(to, origin)) || { host: "" };
  const foreign = host === "" || host === new URL(origin).host ? undefined : host;
  for (const value of sentValues) if (value === to || (foreign !== undefined && value.includes(foreign))) return true;
  return false;
}

/** Browsers read `//` as the start of a host; backslashes, which they treat like slashes, are already refused. */
function isOwnPath(path: string): boolean {
  return !path.startsWith("//");
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: browsers drop them, which turns `/\t/host` into `//host`
const hasControl = /[\x00-\x20\x7f\\]/;
