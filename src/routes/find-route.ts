import { readPathSegment } from "./read-segment.ts";
import type { RouteEntry } from "./route-table.ts";

/** Reads the value of a parameter from the text of its segment; null if it is not allowed. */
export type ReadValue = (text: string) => string | null;

/** `index` is the route's index in the table, -1 if none matches; `values` are its parameters, in order. */
export interface Found {
  index: number;
  values: readonly string[];
}

/**
 * Finds the route of a canonical path (see `canonicalPath`; still percent-encoded, without search). Each segment is
 * decoded once. A plain name wins over `[param]`, which wins over `[...rest]`; if the winner has no match further down,
 * the next one is tried.
 */
export function createFinder(
  routes: readonly Pick<RouteEntry, "segments">[],
  read: ReadValue,
): (pathname: string) => Found {
  const root = new Branch();
  for (const [index, route] of routes.entries()) plant(root, route.segments, index);
  return (pathname) => {
    const texts = readPath(pathname);
    const values: string[] = [];
    return { index: texts ? walk(root, { texts, read, values }, 0) : -1, values };
  };
}

/** Routes with a common prefix. Parameter names do not matter: `/[a]` and `/[b]/x` share a branch. */
class Branch {
  readonly statics = new Map<string, Branch>();
  param: Branch | undefined;
  /** Route that ends at this branch, and route whose `[...rest]` begins at it; -1 for none. */
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

/** Splits a path into decoded segments; null if it is not canonical, so that it matches no route. */
function readPath(pathname: string): string[] | null {
  if (pathname === "/") return [];
  const texts: string[] = [];
  for (const raw of pathname.slice(1).split("/")) {
    const text = readPathSegment(raw);
    if (!text || text.includes("/")) return null;
    texts.push(text);
  }
  return pathname.startsWith("/") ? texts : null;
}

/** One path, and the parameter values found so far. */
interface PathSearch {
  texts: readonly string[];
  read: ReadValue;
  values: string[];
}

/** Returns the index of the best route from this branch on, or -1, and pushes the values of its parameters in order. */
function walk(at: Branch, search: PathSearch, depth: number): number {
  const { texts, read, values } = search;
  const text = texts[depth];
  if (text === undefined) return at.ends;
  const known = at.statics.get(text);
  if (known) {
    const found = walk(known, search, depth + 1);
    if (found >= 0) return found;
  }
  const value = at.param ? read(text) : null;
  if (at.param && value !== null) {
    values.push(value);
    const found = walk(at.param, search, depth + 1);
    if (found >= 0) return found;
    values.pop();
  }
  return at.rest < 0 ? -1 : walkRest(at.rest, search, depth);
}

/** A slash in a value of `[...rest]` separates two segments and is never inside one, so each value has one address. */
function walkRest(index: number, { texts, read, values }: PathSearch, depth: number): number {
  const pieces = texts.slice(depth).map(read);
  if (pieces.some((piece) => piece === null || piece.includes("/"))) return -1;
  values.push(pieces.join("/"));
  return index;
}
