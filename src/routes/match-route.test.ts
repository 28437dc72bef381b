import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { href } from "./href.ts";
import { createMatcher, type RouteMatch } from "./match-route.ts";
import { acceptBy } from "./param-matchers.ts";
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
    "blog/[[page]].tsx",
    "[[lang]]/terms.tsx",
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
    ["/blog", "/blog/[[page]]", {}],
    ["/blog/2", "/blog/[[page]]", { page: "2" }],
    ["/blog/2/3", "/[...all]", { all: "blog/2/3" }],
    ["/terms", "/[[lang]]/terms", {}],
    ["/de/terms", "/[[lang]]/terms", { lang: "de" }],
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
  it("finds the same route as comparing all that fit: plain name, parameter, optional parameter, rest; matchers first", () => {
    const name = fc.constantFrom("a", "b", "1");
    const folder = fc.array(fc.oneof(name, fc.constantFrom("[x]", "[y]", "[z=digit]", "[[o]]", "[[q=letter]]")), {
      maxLength: 4,
    });
    const file = fc
      .tuple(
        folder,
        fc.constantFrom("index", "a", "b", "[w]", "[v=letter]", "[u=any]", "[[p]]", "[[t=digit]]", "[...rest]"),
      )
      .map(([parts, stem]) => [...parts, `${stem}.tsx`].join("/"));
    const tables = fc.array(file, { minLength: 1, maxLength: 25 }).map(readWithoutClashes);
    const path = fc.array(name, { maxLength: 6 }).map((parts) => `/${parts.join("/")}`);
    const seen = { found: 0, "not-found": 0, without: 0, matched: 0 };
    fc.assert(
      fc.property(tables, fc.array(path, { minLength: 5, maxLength: 10 }), (table, paths) => {
        const match = createMatcher(table, acceptBy(matchers));
        for (const one of paths) {
          const answer = match(one);
          seen[answer.kind]++;
          expect(plain(answer)).toEqual(plain(compareAll(table, one)));
          if (answer.kind === "found") {
            const { id = "" } = table.routes[answer.index] ?? {};
            const { length } = Object.keys(answer.params);
            if (length < (table.routes[answer.index]?.segments ?? []).filter(({ kind }) => kind !== "static").length)
              seen.without++;
            if (id.includes("=")) seen.matched++;
            // The address of what was found is the path again.
            expect(href(id, answer.params)).toBe(one);
          }
        }
      }),
      { numRuns: 500 },
    );
    expect(seen.found).toBeGreaterThan(500);
    expect(seen["not-found"]).toBeGreaterThan(500);
    expect(seen.without).toBeGreaterThan(50);
    expect(seen.matched).toBeGreaterThan(50);
  });
});

const matchers = {
  digit: (value: string): boolean => /^\d$/.test(value),
  letter: (value: string): boolean => /^[a-z]$/.test(value),
  any: (): boolean => true,
};

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

/** The ways in which a route fits, as the rank of each of its segments and its parameters. */
interface Fit {
  ranks: readonly string[];
  params: Record<string, string>;
}

/** Of all routes that fit, the one whose segments rank first, from the left. */
function compareAll(table: RouteTable, path: string): RouteMatch {
  const texts = path === "/" ? [] : path.slice(1).split("/");
  const fits = table.routes.flatMap(({ segments }, index) =>
    waysToFit(segments, texts).map((fit) => ({ ...fit, index })),
  );
  const [best] = fits.sort((a, b) => (a.ranks.join() < b.ranks.join() ? -1 : 1));
  return best ? { kind: "found", index: best.index, params: best.params } : { kind: "not-found" };
}

function waysToFit(segments: readonly PathSegment[], texts: readonly string[]): Fit[] {
  const [segment, ...others] = segments;
  const [text, ...left] = texts;
  if (!segment) return text === undefined ? [{ ranks: [], params: {} }] : [];
  const without = segment.kind === "optional" ? waysToFit(others, texts) : [];
  if (text === undefined) return without;
  if (segment.kind === "rest") return [{ ranks: ["3"], params: { [segment.name]: texts.join("/") } }];
  if (segment.kind === "static" && segment.text !== text) return [];
  const matcher = "matcher" in segment ? segment.matcher : undefined;
  if (matcher !== undefined && !matchers[matcher as keyof typeof matchers](text)) return without;
  const rank = { static: "0", param: "1", optional: "2" }[segment.kind] + (matcher ?? "without");
  const own = segment.kind === "static" ? {} : { [segment.name]: text };
  const taken = waysToFit(others, left).map(({ ranks, params }) => ({
    ranks: [rank, ...ranks],
    params: { ...own, ...params },
  }));
  return [...taken, ...without];
}

function plain(answer: RouteMatch): unknown {
  return answer.kind === "found" ? { ...answer, params: { ...answer.params } } : answer;
}
