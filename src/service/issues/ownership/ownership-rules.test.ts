import { describe, expect, it } from "vitest";
import { fromCodeowners } from "./from-codeowners.ts";
import { type OwnedFacts, splitPath } from "./matchers.ts";
import { ownershipLimits, ownershipLimitsOf, readOwnership, ruleThatMatches } from "./ownership-rules.ts";

const nothing: OwnedFacts = { paths: [], route: undefined, url: undefined, tags: [] };

function matches(rule: string, facts: Partial<OwnedFacts>): boolean {
  const { rules, problems } = readOwnership(`${rule} ada@shop.example`, ownershipLimits);
  expect(problems).toEqual([]);
  return ruleThatMatches(rules, { ...nothing, ...facts }) !== undefined;
}

describe("a rule", () => {
  it.each([
    ["path:src/checkout/**", ["src/checkout/cart.tsx"], true],
    ["path:src/checkout/**", ["src/checkout/pay/card.ts"], true],
    ["path:src/checkout/**", ["src/checkouts/cart.tsx"], false],
    ["path:src/checkout/**", ["/srv/app/src/checkout/cart.tsx"], true],
    ["path:src/checkout/**", ["webpack://shop/./src/checkout/cart.tsx"], true],
    ["path:src/checkout/**", ["..\\src\\checkout\\cart.tsx"], true],
    ["path:/src/**", ["packages/ui/src/a.ts"], false],
    ["path:/src/**", ["./src/a.ts"], true],
    ["path:src/checkout", ["src/checkout/pay/card.ts"], true],
    ["path:docs/", ["site/docs/a/b.ts"], true],
    ["path:docs/*", ["docs/a/b.ts"], false],
    ["path:*.sql.ts", ["src/db/orders.sql.ts"], true],
    ["path:**/db/*.ts", ["src/db/orders.ts"], true],
    ["path:SRC/Db/*.ts", ["src/db/orders.ts"], true],
    ["path:src/*/db.ts", ["src/a/b/db.ts"], false],
    ["path:**", [], false],
  ])("%s and the files %j: %s", (rule, paths, expected) => {
    expect(matches(rule, { paths: paths.map(splitPath) })).toBe(expected);
  });

  it.each([
    ["route:/orders/**", "/orders/[id]/items", true],
    ["route:/orders/**", "/orders", true],
    ["route:/orders/*", "/orders/[id]", true],
    ["route:/orders/[id]", "/orders/[id]", true],
    ["route:/orders/*", "/orders/[id]/items", false],
    ["route:/orders", "/shop/orders", false],
    ["route:**", "checkout.views.pay", true],
  ])("%s and the route %s: %s", (rule, route, expected) => {
    expect(matches(rule, { route })).toBe(expected);
    expect(matches(rule, {})).toBe(false);
  });

  it("compares addresses and tags", () => {
    const url = "https://shop.example/de/cart?x=1";
    expect(matches("url:*/cart*", { url })).toBe(true);
    expect(matches("url:https://shop.example/", { url })).toBe(false);
    const tags = [["browser", "Mobile Safari"]] as const;
    expect(matches('tag:"browser=Mobile *"', { tags })).toBe(true);
    expect(matches('tags.browser:"mobile safari"', { tags })).toBe(true);
    expect(matches("tag:browser=Firefox", { tags })).toBe(false);
  });

  it("decides if it is the last that matches, whatever its kind", () => {
    const text =
      "path:** all@shop.example\nroute:/cart bo@shop.example # the cart\n\npath:src/a.ts ada@shop.example bo";
    const { rules } = readOwnership(text, ownershipLimits);
    const owner = (facts: Partial<OwnedFacts>) => ruleThatMatches(rules, { ...nothing, ...facts });
    expect(owner({ paths: [["src", "b.ts"]] })?.owners).toEqual(["all@shop.example"]);
    expect(owner({ paths: [["src", "b.ts"]], route: "/cart" })).toMatchObject({ line: 2, rule: "route:/cart" });
    expect(owner({ paths: [["src", "a.ts"]], route: "/cart" })?.owners).toEqual(["ada@shop.example", "bo"]);
    expect(owner({ route: "/" })).toBeUndefined();
  });

  it("is compared in a time that grows with the text alone", () => {
    const { rules } = readOwnership(`path:${"**/a*a*/".repeat(50)}b ada`, ownershipLimits);
    const facts = { ...nothing, paths: new Array<string[]>(100).fill(splitPath("aaaaaaaa/".repeat(900))) };
    // A matcher that tries one way after the other does not end in the life of the universe.
    expect(ruleThatMatches(rules, facts)).toBeUndefined();
  });
});

describe("the reader", () => {
  it("says what is wrong with each line, and keeps the others", () => {
    const lines = [
      "# people of the shop",
      "path:src/** ada@shop.example",
      "module:shop ada@shop.example",
      "path: ada@shop.example",
      "route:/cart",
      'url:"*/a b ada@shop.example',
      "tag:plan ada@shop.example",
      "path:src/** #frontend",
      "path:src/** @octocat",
      `path:${"a".repeat(500)} ada@shop.example`,
      "route:/pay bo@shop.example",
    ];
    const { rules, problems } = readOwnership(lines.join("\r\n"), ownershipLimits);
    expect(rules.map(({ line, rule }) => [line, rule])).toEqual([
      [2, "path:src/**"],
      [11, "route:/pay"],
    ]);
    expect(problems).toEqual([
      { line: 3, why: expect.stringContaining("path:, route:, url: or tag:") },
      { line: 4, why: expect.stringContaining("pattern after path:") },
      { line: 5, why: "Name a person after the pattern." },
      { line: 6, why: 'The " is not closed.' },
      { line: 7, why: expect.stringContaining("tag:plan=enterprise") },
      { line: 8, why: expect.stringContaining("#frontend is no person") },
      { line: 9, why: expect.stringContaining("@octocat is no person") },
      { line: 10, why: "A line has at most 500 characters." },
    ]);
  });

  it("reads as many rules and characters as the operator allows", () => {
    const many = "path:src/** ada\n".repeat(4);
    const few = ownershipLimitsOf({ HOLDFAST_OWNERSHIP_RULES: "3", HOLDFAST_OWNERSHIP_LINE: "15" });
    expect(readOwnership(many, few)).toMatchObject({
      rules: [{ line: 1 }, { line: 2 }, { line: 3 }],
      problems: [{ line: 4, why: "A project has at most 3 rules." }],
    });
    const short = ownershipLimitsOf({ HOLDFAST_OWNERSHIP_LINE: "14" });
    expect(readOwnership(many, short).problems).toHaveLength(4);
    const text = `path:src/** ada\n${"# a comment\n".repeat(10_000)}`;
    expect(readOwnership(text, ownershipLimits)).toMatchObject({
      rules: [{ line: 1 }],
      problems: [{ why: expect.stringContaining("at most 50000 characters") }],
    });
    expect(ownershipLimitsOf({ HOLDFAST_OWNERSHIP_RULES: "2000" }).textLength).toBe(500_000);
    expect(() => ownershipLimitsOf({ HOLDFAST_OWNERSHIP_RULES: "0" })).toThrow("HOLDFAST_OWNERSHIP_RULES");
    expect(() => ownershipLimitsOf({ HOLDFAST_OWNERSHIP_LINE: "long" })).toThrow("HOLDFAST_OWNERSHIP_LINE");
  });
});

it("a CODEOWNERS file becomes rules", () => {
  const file = [
    "# Everything",
    "*       ada@shop.example",
    "/src/checkout/ bo@shop.example @octocat # the shop",
    "docs/my\\ file.md @shop/writers",
    "*.sql   kim@shop.example",
    "apps/",
    "[Section]",
  ];
  const text = fromCodeowners(file.join("\n"));
  expect(text.split("\n")).toEqual([
    "# Everything",
    "path:** ada@shop.example",
    "path:src/checkout/ bo@shop.example @octocat",
    'path:"docs/my file.md" @shop/writers',
    "path:*.sql kim@shop.example",
    "# apps/",
    "# [Section]",
  ]);
  expect(readOwnership(text, ownershipLimits)).toMatchObject({
    rules: [{ line: 2 }, { line: 5 }],
    problems: [{ line: 3 }, { line: 4 }],
  });
});
