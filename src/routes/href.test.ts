import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalPath } from "./canonical-path.ts";
import { href } from "./href.ts";
import { createMatcher } from "./match-route.ts";
import { readPageFiles } from "./read-page-files.ts";

describe("the address of a route", () => {
  it("has its parameters filled in and encoded", () => {
    expect(href("/orders/[id]/items/[item]", { id: 7, item: "x y/z" })).toBe("/orders/7/items/x%20y%2Fz");
    expect(href("/docs/[...rest]", { rest: "guides/caf\u00e9" })).toBe("/docs/guides/caf%C3%A9");
    expect(href("/")).toBe("/");
    expect(href("/caf\u00e9")).toBe("/caf%C3%A9");
  });

  it("carries a search, leaving out what has no value and repeating lists", () => {
    expect(href("/orders", {}, { page: 2, tag: ["a", "b c"], gone: undefined, none: null, open: false })).toBe(
      "/orders?page=2&tag=a&tag=b+c&open=false",
    );
    expect(href("/orders", {}, {})).toBe("/orders");
    expect(href("/orders", {}, new URLSearchParams("q=1"))).toBe("/orders?q=1");
  });

  it("is refused without a value for each parameter", () => {
    expect(() => href("/orders/[id]")).toThrow(/A link to \/orders\/\[id\] has no value for "id"/);
    expect(() => href("/orders/[id]", { id: "" })).toThrow(/missing-parameter/);
    expect(() => href("/orders/[constructor]", {})).toThrow(/missing-parameter/);
    expect(() => href("/docs/[...rest]", { rest: "a//b" })).toThrow(/missing-parameter/);
  });

  it("is refused when a value would lead to another folder", () => {
    expect(() => href("/orders/[id]/edit", { id: ".." })).toThrow(/dot-parameter/);
    expect(() => href("/docs/[...rest]", { rest: "a/../b" })).toThrow(/dot-parameter/);
  });

  it("leads back to the same values", () => {
    const match = createMatcher(readPageFiles(["a/[x]/[...rest].tsx"]));
    const word = fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 8 })
      .filter((text) => text.isWellFormed() && text !== "." && text !== "..");
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
          // Values with slashes, control characters or percent-encodings cannot be part of a path; the server says so.
          if (target.kind === "bad") {
            expect(x + rest.join("")).toMatch(/[/\\%]|\p{Cc}/u);
            return;
          }
          carried++;
          expect(target.kind === "canonical" && { ...match(target.path) }).toEqual({
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
