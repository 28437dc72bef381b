import { applicationPath } from "./application-path.ts";
import { addressBelow, pathBelow } from "./below.ts";
import type { SearchInput } from "./search-input.ts";
import type { AfterTarget, LinkText, LinkTo, RouteId } from "./typed-routes.ts";
import { writeParameter, writePathSegment } from "./write-segment.ts";

export { applicationPath, pathBelow };

export type ParamInput = Readonly<Record<string, string | number>>;

/**
 * Returns the address of a route: its id with the parameters filled in, in canonical spelling, below the path of the
 * application. Values may be untrusted, so none makes it throw: a value that no address can represent leads to the
 * not-found page.
 */
export function href(id: string, params: ParamInput = {}, search?: SearchInput): string {
  const pattern = patternOf(id);
  let path = pattern[0] ?? "";
  for (let at = 1; at < pattern.length; at += 3) {
    const name = pattern[at + 1] ?? "";
    const value = Object.hasOwn(params, name) ? String(params[name]) : "";
    path +=
      (pattern[at] ? value.split("/").map(writeParameter).join("/") : writeParameter(value)) + (pattern[at + 2] ?? "");
  }
  return path + writeSearch(search);
}

/**
 * A parsed route id: the text before its first parameter, then for each parameter its dots, its name and the text after
 * it.
 */
type Pattern = readonly (string | undefined)[];

/** Cache: a page may have thousands of links to a few routes. Bounded, because an id may be any text. */
const patterns = new Map<string, Pattern>();
const patternsAtMost = 1_000;

function patternOf(id: string): Pattern {
  const known = patterns.get(id);
  if (known) return known;
  const pattern = (applicationPath ? addressBelow(applicationPath, id) : id)
    .split(/\[(\.\.\.)?(.+?)\]/)
    .map((piece, at) => (at % 3 === 0 ? piece.split("/").map(writePathSegment).join("/") : piece));
  if (patterns.size >= patternsAtMost) patterns.clear();
  patterns.set(id, pattern);
  return pattern;
}

/** Returns the address of a link's target: a route with its parameters, or a path of the application, as written. */
export function targetAddress(to: string, params?: ParamInput, search?: SearchInput): string {
  return params || search ? href(to, params, search) : applicationPath ? addressBelow(applicationPath, to) : to;
}

/** `href` for applications, with the types of their routes and parameters. */
export const typedHref: <const To extends LinkText<RouteId>>(
  to: LinkTo<To, RouteId>,
  ...rest: AfterTarget<To, [search?: SearchInput]>
) => string = href;

function writeSearch(search: SearchInput | undefined): string {
  if (!search) return "";
  const pairs = search instanceof URLSearchParams ? search : new URLSearchParams(listPairs(search));
  const text = pairs.toString();
  return text && `?${text}`;
}

function listPairs(search: Exclude<SearchInput, URLSearchParams>): string[][] {
  return Object.entries(search).flatMap(([key, value]) =>
    (Array.isArray(value) ? value : [value]).filter((one) => one != null).map((one) => [key, String(one)]),
  );
}
