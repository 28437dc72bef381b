import { languages } from "./application-languages.ts";
import { applicationPath } from "./application-path.ts";
import { richIds, typedParams, typedSearches } from "./application-search.ts";
import { slashes } from "./application-slashes.ts";
import { isStatic } from "./application-static.ts";
import { addressBelow, pathBelow } from "./below.ts";
import type { AfterTarget, Language, LinkText, LinkTo, RouteId, SearchArgument } from "./typed-routes.ts";
import { writeParameter, writePathSegment } from "./write-segment.ts";

export { withoutDefaults, writeSearch } from "./write-search.ts";
export { applicationPath, isStatic, languages, pathBelow, richIds, slashes, typedParams, typedSearches };

export interface HrefOptions {
  /** The language of the target; that of the present page by default. */
  lang?: Language;
}

export type ParamInput = Readonly<Record<string, string | number | boolean | bigint | undefined>>;

/** The language and the search of a target. */
export interface TargetOptions extends HrefOptions {
  /** For a page with a search schema `LinkSearch` has its type. */
  search?: object | undefined;
}

/**
 * Returns the address of a route: its id with the parameters filled in, in canonical spelling, below the path of the
 * application. Values may be untrusted, so none makes it throw: a value that no address can represent leads to the
 * not-found page. Where the application has languages, the address is in that of the present page.
 */
export function href(id: string, params: ParamInput = {}, search?: object, options?: HrefOptions): string {
  const pattern = patternOf(richIds ? plainId(id, params) : id);
  let path = pattern[0] ?? "";
  for (let at = 1; at < pattern.length; at += 3) {
    const name = pattern[at + 1] ?? "";
    const value = Object.hasOwn(params, name) ? String(params[name]) : "";
    path +=
      (pattern[at] ? value.split("/").map(writeParameter).join("/") : writeParameter(value)) + (pattern[at + 2] ?? "");
  }
  if (slashes) path = slashes.spell(path);
  return (languages ? languages.address(path, options?.lang) : path) + searchText(search);
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
    // No id has a search or a hash, so that those of an address stay.
    .map((piece, at) => (at % 3 ? piece : piece.replace(/(?<![?#].*)[^/?#]+/g, writePathSegment)));
  if (patterns.size >= patternsAtMost) patterns.clear();
  patterns.set(id, pattern);
  return pattern;
}

/** An id without matchers, in which every parameter is needed: an optional one without a value is left out. */
function plainId(id: string, params: ParamInput): string {
  const plain = id
    .replace(/=[^\]/]+\]/g, "]")
    .replace(/\/\[\[([^\]]+)\]\]/, (_, name: string) =>
      Object.hasOwn(params, name) && (params[name] ?? "") !== "" ? `/[${name}]` : "",
    );
  return plain || "/";
}

/** Whether a target is the id of a route that needs no parameters, although it has one. */
export function hasOptional(to: string): boolean {
  return to.includes("/[[");
}

/** Returns the address of a link's target: a route with its parameters, or a path of the application, as written. */
export function targetAddress(to: string, params?: ParamInput, search?: object, options?: HrefOptions): string {
  if (params || search || (richIds && hasOptional(to))) return href(to, params, search, options);
  const below = applicationPath ? addressBelow(applicationPath, to) : to;
  const address = slashes ? slashes.spell(below) : below;
  return languages ? languages.address(address, options?.lang) : address;
}

/** The same for a redirect, whose target may also be a public file: the server adds language and slash of a path. */
export function redirectAddress(to: string, params?: ParamInput, options?: TargetOptions): string {
  if (params || options?.search || (richIds && hasOptional(to))) return href(to, params, options?.search, options);
  return applicationPath ? addressBelow(applicationPath, to) : to;
}

type TypedHref = <To extends LinkText<RouteId>>(
  to: LinkTo<To, RouteId>,
  ...rest: AfterTarget<To, SearchArgument<To, [options?: HrefOptions]>>
) => string;

/** `href` for applications, with the types of their routes, parameters and searches. */
export const typedHref: TypedHref = href as TypedHref;

function searchText(search: object | undefined): string {
  if (!search) return "";
  if (typedSearches) return typedSearches.write(search);
  const text = String(search instanceof URLSearchParams ? search : new URLSearchParams(listPlainPairs(search)));
  return text && `?${text}`;
}

function listPlainPairs(search: object): string[][] {
  return Object.entries(search).flatMap(([key, value]) =>
    (Array.isArray(value) ? value : [value]).filter((one) => one != null).map((one) => [key, String(one)]),
  );
}
