import { readParameter, readSegment } from "./read-segment.ts";
import type { RouteEntry } from "./route-table.ts";

export type RouteMatch =
  /** `index` is the route's place in `RouteTable.routes`. `params` has no prototype, so that no name can reach one. */
  { kind: "found"; index: number; params: Readonly<Record<string, string>> } | { kind: "not-found" };

export type Matcher = (pathname: string) => RouteMatch;

/** What a route without parameters gets. */
export const noParams: Readonly<Record<string, string>> = Object.freeze(Object.create(null));

const notFound: RouteMatch = { kind: "not-found" };

/**
 * Finds the route of a canonical path (see `canonicalPath`; still percent-encoded, without search). Each segment is decoded once, here.
 * A plain name wins over `[param]`, which wins over `[...rest]`; where the winner leads nowhere further down, the next one is tried.
 */
export function createMatcher(table: { readonly routes: readonly Pick<RouteEntry, "segments">[] }): Matcher {
  const root = new Branch();
  for (const [index, route] of table.routes.entries()) plant(root, route.segments, index);

  return (pathname) => {
    const texts = readPath(pathname);
    if (!texts) return notFound;
    const values: string[] = [];
    const index = walk(root, texts, 0, values);
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

/** The routes that share a beginning. Names of parameters are the route's own business: `/[a]` and `/[b]/x` share a branch. */
class Branch {
  readonly statics = new Map<string, Branch>();
  param: Branch | undefined;
  /** Routes that end here, and routes whose `[...rest]` begins here; -1 for none. */
  ends = -1;
  rest = -1;
}

function plant(root: Branch, segments: RouteEntry["segments"], index: number): void {
  let at = root;
  for (const segment of segments) {
    if (segment.kind === "rest") {
      at.rest = index;
      return;
    }
    let next = segment.kind === "param" ? at.param : at.statics.get(segment.text);
    if (!next) {
      next = new Branch();
      if (segment.kind === "param") at.param = next;
      else at.statics.set(segment.text, next);
    }
    at = next;
  }
  at.ends = index;
}

/** The texts between the slashes; null for what is no canonical path, which then belongs to no route. */
function readPath(pathname: string): string[] | null {
  if (pathname === "/") return [];
  const texts: string[] = [];
  for (const raw of pathname.slice(1).split("/")) {
    const text = readSegment(raw);
    if (!text || text.includes("/")) return null;
    texts.push(text);
  }
  return pathname.startsWith("/") ? texts : null;
}

/** The index of the best route from here on, with the values of its parameters pushed in order; -1 for none. */
function walk(at: Branch, texts: readonly string[], depth: number, values: string[]): number {
  const text = texts[depth];
  if (text === undefined) return at.ends;
  const known = at.statics.get(text);
  if (known) {
    const found = walk(known, texts, depth + 1, values);
    if (found >= 0) return found;
  }
  const value = at.param ? readParameter(text) : null;
  if (at.param && value !== null) {
    values.push(value);
    const found = walk(at.param, texts, depth + 1, values);
    if (found >= 0) return found;
    values.pop();
  }
  return at.rest < 0 ? -1 : walkRest(at.rest, texts.slice(depth), values);
}

/** A slash in a value of `[...rest]` stands between two segments, never inside one: each value has one address. */
function walkRest(index: number, texts: readonly string[], values: string[]): number {
  const pieces = texts.map(readParameter);
  if (pieces.some((piece) => piece === null || piece.includes("/"))) return -1;
  values.push(pieces.join("/"));
  return index;
}
