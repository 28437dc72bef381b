/**
 * The one place that decides where a redirect may lead: a path of this application, or http(s) at the own or an allowed origin. Returns a path for
 * the own origin, an absolute address otherwise, and nothing for `//host`, `javascript:` and the like.
 */
export function safeRedirect(to: string, origin: string, allowed: readonly string[]): string | undefined {
  if (hasControl.test(to) || !to.isWellFormed()) return undefined;
  if (to.startsWith("/")) return isOwnPath(to) ? to : undefined;
  if (!URL.canParse(to)) return undefined;
  const url = new URL(to);
  if (url.protocol !== "http:" && url.protocol !== "https:") return undefined;
  if (url.origin !== origin) return allowed.includes(url.origin) ? url.href : undefined;
  // `https://own.example//elsewhere.example` is at the own origin, but its path alone would not be.
  const path = url.pathname + url.search + url.hash;
  return isOwnPath(path) ? path : undefined;
}

/** A browser reads two slashes, and a backslash like a slash, as the beginning of a host. */
function isOwnPath(path: string): boolean {
  return !path.startsWith("//");
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: browsers drop them, which turns `/\t/host` into `//host`
const hasControl = /[\x00-\x20\x7f\\]/;
