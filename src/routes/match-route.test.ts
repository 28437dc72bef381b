import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMatcher, type RouteMatch } from "./match-route.ts";
import { readPageFiles } from "./read-page-files.ts";
import type { PathSegment, RouteTable } from "./route-table.ts";

describe("a path", () => {
  const table = readPageFiles([
    "index.tsx",
    "orders/new.tsx",
    "orders/[id].tsx",
    "orders/[id]/items/[item].tsx",
    "[shop]/new/edit.tsx",
    "docs/[...rest].tsx",
    "caf\u00e9.tsx",
    "[...all].tsx",
  ]);
  const match = createMatcher(table);
  const found = (path: string) => {
    const answer = match(path);
    return answer.kind === "found" ? [table.routes[answer.index]?.id, { ...answer.params }] : null;
  };

  it.each([
    ["/", "/", {}],
    ["/orders/new", "/orders/new", {}],
    ["/orders/7", "/orders/[id]", { id: "7" }],
    ["/orders/7/items/x%20y", "/orders/[id]/items/[item]", { id: "7", item: "x y" }],
    ["/docs/a/b%C3%A9/c", "/docs/[...rest]", { rest: "a/b\u00e9/c" }],
    ["/caf%C3%A9", "/caf\u00e9", {}],
    ["/orders/new/edit", "/[shop]/new/edit", { shop: "orders" }],
    ["/orders", "/[...all]", { all: "orders" }],
    ["/orders/7/other", "/[...all]", { all: "orders/7/other" }],
    ["/__proto__", "/[...all]", { all: "__proto__" }],
  ])("%s finds %s", (path, id, params) => {
    expect(found(path)).toEqual([id, params]);
  });

  it.each(["", "orders", "//", "/orders/", "/orders//7", "/%zz", "/a%2Fb"])(
    "%j, not canonical, matches nothing even with a catch-all route",
    (path) => {
      expect(match(path)).toEqual({ kind: "not-found" });
    },
  );

  it("the parameters of a path have no prototype", () => {
    const answer = createMatcher(readPageFiles(["[constructor].tsx"]))("/x");
    expect(answer.kind === "found" && Object.getPrototypeOf(answer.params)).toBeNull();
    expect(answer.kind === "found" && answer.params.constructor).toBe("x");
  });
});

describe("the trie", () => {
  it("finds the same route as trying every route in order", () => {
    const name = fc.constantFrom("a", "b", "c");
    const folder = fc.array(fc.oneof(name, fc.constantFrom("[x]", "[y]", "[z]")), { maxLength: 4 });
    const file = fc
      .tuple(folder, fc.constantFrom("index", "a", "b", "[w]", "[...rest]"))
      .map(([parts, stem]) => [...parts, `${stem}.tsx`].join("/"));
    const tables = fc.array(file, { minLength: 1, maxLength: 25 }).map(readWithoutClashes);
    const path = fc.array(name, { maxLength: 6 }).map((parts) => `/${parts.join("/")}`);
    const seen = { found: 0, "not-found": 0 };
    fc.assert(
      fc.property(tables, fc.array(path, { minLength: 5, maxLength: 10 }), (table, paths) => {
        const match = createMatcher(table);
        for (const one of paths) {
          const answer = match(one);
          seen[answer.kind]++;
          expect(plain(answer)).toEqual(plain(tryEveryRoute(table, one)));
        }
      }),
      { numRuns: 500 },
    );
    expect(seen.found).toBeGreaterThan(500);
    expect(seen["not-found"]).toBeGreaterThan(500);
  });
});

/** Adds the files one by one and leaves out those that conflict. */
function readWithoutClashes(files: readonly string[]): RouteTable {
  const kept: string[] = [];
  for (const file of files) {
    try {
      readPageFiles([...kept, file]);
      kept.push(file);
    } catch {
      // A conflict or a repeated parameter: this file is not part of the case.
    }
  }
  return readPageFiles(kept);
}

function tryEveryRoute(table: RouteTable, path: string): RouteMatch {
  const texts = path === "/" ? [] : path.slice(1).split("/");
  for (const [index, route] of table.routes.entries()) {
    const params = tryRoute(route.segments, texts);
    if (params) return { kind: "found", index, params };
  }
  return { kind: "not-found" };
}

function tryRoute(segments: readonly PathSegment[], texts: readonly string[]): Record<string, string> | null {
  const [segment, ...others] = segments;
  const [text, ...left] = texts;
  if (!segment) return text === undefined ? {} : null;
  if (text === undefined) return null;
  if (segment.kind === "rest") return { [segment.name]: texts.join("/") };
  if (segment.kind === "static" && segment.text !== text) return null;
  const params = tryRoute(others, left);
  return params && (segment.kind === "param" ? { [segment.name]: text, ...params } : params);
}

function plain(answer: RouteMatch): unknown {
  return answer.kind === "found" ? { ...answer, params: { ...answer.params } } : answer;
}
