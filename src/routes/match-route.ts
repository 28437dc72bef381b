import { pathBelow } from "./below.ts";
import { type AcceptValue, createFinder } from "./find-route.ts";
import { readParameter } from "./read-segment.ts";
import type { PathSegment, RouteEntry, RouteTable } from "./route-table.ts";

export type RouteMatch =
  /** `index` is the route's index in `RouteTable.routes`. `params` has no prototype, so that no name can reach one. */
  { kind: "found"; index: number; params: Readonly<Record<string, string>> } | { kind: "not-found" };

export type Matcher = (pathname: string) => RouteMatch;

/** Parameters of a route without any. */
export const noParams: Readonly<Record<string, string>> = Object.freeze(Object.create(null));

const notFound: RouteMatch = { kind: "not-found" };

interface MatchedTable extends Pick<RouteTable, "at"> {
  routes: readonly Pick<RouteEntry, "segments">[];
}

/** Finds the route of a canonical path, and the values of its parameters. No route is outside of the table's `at`. */
export function createMatcher(table: MatchedTable, accepts?: AcceptValue): Matcher {
  const find = createFinder(table.routes, readParameter, accepts);
  return (pathname) => {
    const path = pathBelow(table.at, pathname);
    if (path === undefined) return notFound;
    const { index, values } = find(path);
    if (index < 0) return notFound;
    if (values.length === 0) return { kind: "found", index, params: noParams };
    return { kind: "found", index, params: nameValues(table.routes[index]?.segments ?? [], values) };
  };
}

/** An optional parameter without a segment is missing: then there is one value less than names. */
export function nameValues(segments: readonly PathSegment[], values: readonly string[]): Record<string, string> {
  const params: Record<string, string> = Object.create(null);
  const named = segments.filter((segment) => segment.kind !== "static");
  const present = values.length < named.length ? named.filter(({ kind }) => kind !== "optional") : named;
  for (const [at, { name }] of present.entries()) params[name] = values[at] ?? "";
  return params;
}
