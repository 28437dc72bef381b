/**
 * The one place that decides where a redirect may lead: a path of this application, or http(s) at the own or an allowed origin. Returns a path for
 * the own origin, an absolute address otherwise, and nothing for `//host`, `javascript:` and the like.
 */
export function safeRedirect(to: string, origin: string, allowed: readonly string[]): string | undefined {
  if (/^\/(?![/\\])/.test(to) && !hasControl.test(to)) return to;
  if (hasControl.test(to) || !URL.canParse(to)) return undefined;
  const url = new URL(to);
  if (url.protocol !== "http:" && url.protocol !== "https:") return undefined;
  if (url.origin === origin) return url.pathname + url.search + url.hash;
  return allowed.includes(url.origin) ? url.href : undefined;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: browsers drop them, which turns `/\t/host` into `//host`
const hasControl = /[\x00-\x20\x7f\\]/;
