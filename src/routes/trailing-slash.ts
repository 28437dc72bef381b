/**
 * Addresses of an application whose pages end with a slash. Inside the framework a path never does: routes, guards and
 * caches know `/orders`, visitors see `/orders/`.
 */

/**
 * The one spelling of an address: with a slash at its end, unless its last segment has a dot, as files do, or it is an
 * address of the framework, such as `/orders/_data`. What is no path stays as it is.
 */
export function spellAddress(address: string): string {
  const [path = ""] = address.split(/[?#]/, 1);
  if (!/^\/[^/]/.test(path)) return address;
  const bare = path.replace(/\/$/, "");
  return bare + (/\/_|\.[^/]*$/.test(bare) ? "" : "/") + address.slice(path.length);
}

/** The path of a route for an address in its one spelling; empty, which no route matches, for another spelling. */
export function pathOfAddress(pathname: string): string {
  return spellAddress(pathname) === pathname ? pathname.replace(/(.)\/$/, "$1") : "";
}

/** For what follows: `/orders` of `/orders/`, and nothing of `/`. */
function withoutSlash(pathname: string): string {
  return pathname.replace(/\/$/, "");
}

/** Gives a link the one spelling, if there is a page: authors still write `<a href="/about">`. */
function spellLink(link: { href: string }, isPage: (href: string) => boolean): void {
  const address = new URL(link.href);
  address.pathname = spellAddress(address.pathname);
  if (address.href !== link.href && isPage(address.href)) link.href = address.href;
}

/** What links and pages need of it. */
export interface Slashes {
  readonly spellLink: typeof spellLink;
  readonly spell: typeof spellAddress;
  readonly pathOf: typeof pathOfAddress;
  readonly bare: typeof withoutSlash;
}

/** For the module that the build writes in place of `application-slashes.ts`. */
export const alwaysSlashes: Slashes = {
  spell: spellAddress,
  spellLink,
  pathOf: pathOfAddress,
  bare: withoutSlash,
};

/** What is wrong with `trailingSlash` of the configuration. */
export function problemOfTrailingSlash(value: unknown): string | undefined {
  return value === "never" || value === "always" ? undefined : 'must be "never" or "always"';
}
