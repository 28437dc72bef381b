/** How a path of an application that lives below `at` becomes an address of its host, and the reverse. */

/**
 * The address of a path of the application: `/users` is `/admin/users` below `/admin`. An address that is already below
 * `at` stays, so that what `href` has returned or the browser shows can be passed on. So does what is no path: another
 * host, or a search or a hash of the current page.
 */
export function addressBelow(at: string, path: string): string {
  const [pathname = ""] = path.split(/[?#]/, 1);
  if (!/^\/(?!\/)/.test(path) || pathBelow(at, pathname) !== undefined) return path;
  return at + (pathname === "/" ? path.slice(1) : path);
}

/** The path inside the application, without search and hash; undefined for an address that is not below `at`. */
export function pathBelow(at: string, pathname: string): string | undefined {
  if (at === "") return pathname;
  if (pathname === at) return "/";
  return pathname.startsWith(`${at}/`) ? pathname.slice(at.length) : undefined;
}
