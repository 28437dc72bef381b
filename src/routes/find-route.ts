import { readPathSegment } from "./read-segment.ts";
import type { RouteEntry } from "./route-table.ts";

/** The value of a parameter from the text of its segment; null where no parameter may have it. */
export type ReadValue = (text: string) => string | null;

/** `index` is the route's place in the table, -1 where none fits; `values` are those of its parameters, in order. */
export interface Found {
  index: number;
  values: readonly string[];
}

/**
 * Finds the route of a canonical path (see `canonicalPath`; still percent-encoded, without search). Each segment is
 * decoded once, here. A plain name wins over `[param]`, which wins over `[...rest]`; where the winner leads nowhere
 * further down, the next one is tried.
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

/**
 * The routes that share a beginning. Names of parameters are the route's own business: `/[a]` and `/[b]/x` share a
 * branch.
 */
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
    const text = readPathSegment(raw);
    if (!text || text.includes("/")) return null;
    texts.push(text);
  }
  return pathname.startsWith("/") ? texts : null;
}

/** One path, and the values that were found on the way so far. */
interface Way {
  texts: readonly string[];
  read: ReadValue;
  values: string[];
}

/** The index of the best route from here on, with the values of its parameters pushed in order; -1 for none. */
function walk(at: Branch, way: Way, depth: number): number {
  const { texts, read, values } = way;
  const text = texts[depth];
  if (text === undefined) return at.ends;
  const known = at.statics.get(text);
  if (known) {
    const found = walk(known, way, depth + 1);
    if (found >= 0) return found;
  }
  const value = at.param ? read(text) : null;
  if (at.param && value !== null) {
    values.push(value);
    const found = walk(at.param, way, depth + 1);
    if (found >= 0) return found;
    values.pop();
  }
  return at.rest < 0 ? -1 : walkRest(at.rest, way, depth);
}

/** A slash in a value of `[...rest]` stands between two segments, never inside one: each value has one address. */
function walkRest(index: number, { texts, read, values }: Way, depth: number): number {
  const pieces = texts.slice(depth).map(read);
  if (pieces.some((piece) => piece === null || piece.includes("/"))) return -1;
  values.push(pieces.join("/"));
  return index;
}
