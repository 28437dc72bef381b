import { richIds } from "./application-search.ts";
import { readPathSegment } from "./read-segment.ts";
import { fixedPaths, orderOf, type PathSegment, type RouteEntry } from "./route-table.ts";

/** Reads the value of a parameter from the text of its segment; null if it is not allowed. */
export type ReadValue = (text: string) => string | null;

/** Whether a matcher of the application accepts a value. */
export type AcceptValue = (matcher: string, value: string) => boolean;

/** `index` is the route's index in the table, -1 if none matches; `values` are its parameters, in order. */
export interface Found {
  index: number;
  values: readonly string[];
}

/**
 * Finds the route of a canonical path (see `canonicalPath`; still percent-encoded, without search). Each segment is
 * decoded once. A plain name wins over `[param]`, which wins over `[[optional]]`, which wins over `[...rest]`; of two
 * parameters the one with a matcher wins. If the winner has no match further down, the next one is tried. An optional
 * parameter without a segment has no value. Without `accepts` every matcher accepts everything.
 */
export function createFinder(
  routes: readonly Pick<RouteEntry, "segments">[],
  read: ReadValue,
  accepts?: AcceptValue,
): (pathname: string) => Found {
  const root = new Branch();
  for (const [index, route] of routes.entries())
    if (richIds) for (const segments of fixedPaths(route.segments)) plant(root, segments, index);
    else plant(root, route.segments, index);
  return (pathname) => {
    const texts = readPath(pathname);
    const values: string[] = [];
    const search = richIds ? { texts: texts ?? [], read, accepts, values } : { texts: texts ?? [], read, values };
    return { index: texts ? walk(root, search, 0) : -1, values };
  };
}

/** Routes with a common prefix. Parameter names do not matter: `/[a]` and `/[b]/x` share a branch. */
class Branch {
  readonly statics = new Map<string, Branch>();
  param: Branch | undefined;
  /** In place of `param`, where ids have optional parameters or matchers: in the order in which they are tried. */
  steps: Step[] | undefined;
  /** Route that ends at this branch, and route whose `[...rest]` begins at it; -1 for none. */
  ends = -1;
  rest = -1;
}

/** A way over one segment. Parameters of the same kind with the same matcher share it. */
interface Step {
  order: string;
  matcher: string | undefined;
  next: Branch;
}

function plant(root: Branch, segments: RouteEntry["segments"], index: number): void {
  let at = root;
  for (const segment of segments) {
    if (segment.kind === "rest") {
      at.rest = index;
      return;
    }
    if (richIds && segment.kind !== "static") {
      at = stepOver(at, segment);
      continue;
    }
    let next = segment.kind === "static" ? at.statics.get(segment.text) : at.param;
    if (!next) {
      next = new Branch();
      if (segment.kind === "static") at.statics.set(segment.text, next);
      else at.param = next;
    }
    at = next;
  }
  at.ends = index;
}

function stepOver(at: Branch, segment: Extract<PathSegment, { kind: "param" | "optional" }>): Branch {
  const order = orderOf(segment);
  at.steps ??= [];
  const known = at.steps.find((one) => one.order === order);
  if (known) return known.next;
  const next = new Branch();
  at.steps.push({ order, matcher: segment.matcher, next });
  at.steps.sort((a, b) => (a.order < b.order ? -1 : 1));
  return next;
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
  accepts?: AcceptValue | undefined;
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
  if (richIds) {
    const found = walkSteps(at, search, depth);
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

function walkSteps({ steps = [] }: Branch, search: PathSearch, depth: number): number {
  const { texts, read, accepts, values } = search;
  const value = steps.length > 0 ? read(texts[depth] ?? "") : null;
  if (value === null) return -1;
  for (const { matcher, next } of steps) {
    if (matcher !== undefined && accepts && !accepts(matcher, value)) continue;
    values.push(value);
    const found = walk(next, search, depth + 1);
    if (found >= 0) return found;
    values.pop();
  }
  return -1;
}

/** A slash in a value of `[...rest]` separates two segments and is never inside one, so each value has one address. */
function walkRest(index: number, { texts, read, values }: PathSearch, depth: number): number {
  const pieces = texts.slice(depth).map(read);
  if (pieces.some((piece) => piece === null || piece.includes("/"))) return -1;
  values.push(pieces.join("/"));
  return index;
}
