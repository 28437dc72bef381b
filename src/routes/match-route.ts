import { pathBelow } from "./below.ts";
import { createFinder } from "./find-route.ts";
import { readParameter } from "./read-segment.ts";
import type { RouteEntry, RouteTable } from "./route-table.ts";

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
export function createMatcher(table: MatchedTable): Matcher {
  const find = createFinder(table.routes, readParameter);
  return (pathname) => {
    const path = pathBelow(table.at, pathname);
    if (path === undefined) return notFound;
    const { index, values } = find(path);
    if (index < 0) return notFound;
    if (values.length === 0) return { kind: "found", index, params: noParams };
    const params: Record<string, string> = Object.create(null);
    let next = 0;
    for (const segment of table.routes[index]?.segments ?? []) {
      if (segment.kind !== "static") params[segment.name] = values[next++] ?? "";
    }
    return { kind: "found", index, params };
  };
}
