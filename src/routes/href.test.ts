import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalPath } from "./canonical-path.ts";
import { href, redirectAddress, targetAddress } from "./href.ts";
import { createMatcher } from "./match-route.ts";
import { readPageFiles } from "./read-page-files.ts";

describe("the address of a route", () => {
  it("has its parameters filled in and encoded", () => {
    expect(href("/orders/[id]/items/[item]", { id: 7, item: "x y?z" })).toBe("/orders/7/items/x%20y%3Fz");
    expect(href("/docs/[...rest]", { rest: "guides/caf\u00e9" })).toBe("/docs/guides/caf%C3%A9");
    expect(href("/")).toBe("/");
    expect(href("/caf\u00e9")).toBe("/caf%C3%A9");
  });

  it("has no segment for an optional parameter without a value, and no matcher", () => {
    expect(href("/blog/[[page]]")).toBe("/blog");
    expect(href("/blog/[[page]]", { page: undefined })).toBe("/blog");
    expect(href("/blog/[[page]]", { page: "" }, { q: "a" })).toBe("/blog?q=a");
    expect(href("/größe/7?tab=a%20b#ä")).toBe("/gr%C3%B6%C3%9Fe/7?tab=a%20b#ä");
    expect(href("/blog/[[page]]", { page: 0 })).toBe("/blog/0");
    expect(href("/[[lang]]/terms", { lang: "de" })).toBe("/de/terms");
    expect(href("/[[lang]]/[page]/x", { page: "a/b" })).toBe("/~~a~2Fb/x");
    expect(href("/[[lang]]")).toBe("/");
    expect(href("/parts/[part=integer]/a=b", { part: 7 })).toBe("/parts/7/a=b");
    expect(href("/parts/[[part=integer]]/x", { part: 7 })).toBe("/parts/7/x");
    // As a link or redirect has it that gives no parameters.
    expect(targetAddress("/blog/[[page]]")).toBe("/blog");
    expect(redirectAddress("/[[lang]]/terms")).toBe("/terms");
  });

  it("has a search without empty values and with repeated lists", () => {
    expect(href("/orders", {}, { page: 2, tag: ["a", "b c"], gone: undefined, none: null, open: false })).toBe(
      "/orders?page=2&tag=a&tag=b+c&open=false",
    );
    expect(href("/orders", {}, {})).toBe("/orders");
    expect(href("/orders", {}, new URLSearchParams("q=1"))).toBe("/orders?q=1");
  });

  it("leads to the not-found page if a parameter is missing, which the compiler reports", () => {
    expect(href("/orders/[id]")).toBe("/orders/~~");
    expect(href("/orders/[constructor]", {})).toBe("/orders/~~");
  });

  it.each([
    ["a/b", "/u/~~a~2Fb"],
    ["AC/DC", "/u/~~AC~2FDC"],
    ["a\\b", "/u/~~a~5Cb"],
    ["50%25", "/u/~~50~2525"],
    ["%E0", "/u/~~~25E0"],
    ["~~x", "/u/~~~7E~7Ex"],
    ["_data", "/u/~~_data"],
    ["_action", "/u/~~_action"],
    ["_holdfast", "/u/~~_holdfast"],
    ["https://example.test/", "/u/~~https~3A~2F~2Fexample.test~2F"],
    ["50%", "/u/~~50~25"],
    ["~ada", "/u/~ada"],
    ["_ada", "/u/_ada"],
    ["...", "/u/..."],
  ])("encodes %j as %s, which the server accepts and decodes to the same value", (name, address) => {
    expect(href("/u/[name]", { name })).toBe(address);
    expect(canonicalPath(address)).toEqual({ kind: "canonical", path: address, search: "" });
    expect(createMatcher(readPageFiles(["u/[name].tsx"]))(address)).toMatchObject({ kind: "found", params: { name } });
  });

  it.each(["", ".", "..", "../x", "a/..", "a\\..\\b", "/etc/passwd", "\\\\host", "a\nb", "\u0000", "\ud800"])(
    "leads to the not-found page for the invalid parameter %j, without an error",
    (name) => {
      const address = href("/u/[name]/edit", { name });
      expect(canonicalPath(address)).toEqual({ kind: "canonical", path: "/u/~~/edit", search: "" });
      expect(createMatcher(readPageFiles(["u/[name]/edit.tsx", "[...all].tsx"]))(address).kind).toBe("not-found");
    },
  );

  it("each segment of a rest parameter is encoded likewise", () => {
    const match = createMatcher(readPageFiles(["docs/[...rest].tsx"]));
    expect(href("/docs/[...rest]", { rest: "a/50%25/_data" })).toBe("/docs/a/~~50~2525/~~_data");
    expect(match("/docs/a/~~50~2525/~~_data")).toMatchObject({ params: { rest: "a/50%25/_data" } });
    for (const rest of ["", "a//b", "a/../b", "/a"])
      expect(match(href("/docs/[...rest]", { rest })).kind, rest).toBe("not-found");
    // One value, one address.
    expect(match("/docs/~~a~2Fb").kind).toBe("not-found");
  });

  it("leads back to the same values", () => {
    const match = createMatcher(readPageFiles(["a/[x]/[...rest].tsx"]));
    const word = fc.oneof(
      fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 }),
      fc.string({ unit: fc.constantFrom("~", "%", "2", "F", "/", "\\", ".", "_", "a"), minLength: 1, maxLength: 6 }),
    );
    let carried = 0;
    fc.assert(
      fc.property(
        word,
        fc.array(
          word.filter((text) => !text.includes("/")),
          { minLength: 1, maxLength: 3 },
        ),
        (x, rest) => {
          const target = canonicalPath(href("/a/[x]/[...rest]", { x, rest: rest.join("/") }));
          const answer = target.kind === "canonical" ? match(target.path) : target;
          if (answer.kind !== "found") {
            // The server accepts every address; a value that is not allowed matches no page.
            expect(answer).toEqual({ kind: "not-found" });
            expect([x, ...rest].some((text) => /^\.|[/\\]\.|^(?:[a-z]:)?[/\\]|\p{Cc}|\p{Cs}/iu.test(text))).toBe(true);
            return;
          }
          carried++;
          expect(answer).toEqual({
            kind: "found",
            index: 0,
            params: Object.assign(Object.create(null), { x, rest: rest.join("/") }),
          });
        },
      ),
    );
    expect(carried).toBeGreaterThan(50);
  });
});
