import { describe, expect, test } from "vitest";
import { joinSearch, pathBack, readAddressRules, writeTargetPath } from "./address-rules.ts";
import { checkAddressRules } from "./check-address-rules.ts";
import { readPageFiles } from "./read-page-files.ts";

const redirect = (from: unknown, to: unknown, more: object = {}) =>
  readAddressRules([{ from, to, ...more }], undefined);
const rewrite = (from: unknown, to: unknown, more: object = {}) => readAddressRules(undefined, [{ from, to, ...more }]);

describe("a line of the tables", () => {
  test.each([
    ["/old", "/new"],
    ["/old/", "/new?tab=1#part"],
    ["/", "/start"],
    ["/old/[id]/[...rest]", "/new/[...rest]"],
    ["/caf%C3%A9/a+b.php", "/"],
    ["/docs/[...rest]", "https://docs.example/[...rest]?from=shop"],
    ["/docs", "http://[::1]:8080"],
  ])("a redirect from %s to %s is right", (from, to) => {
    expect(redirect(from, to, { permanent: true }).problems).toEqual([]);
  });

  test.each<[unknown, unknown, string]>([
    ["old", "/new", "from must be a path such as /old/[id]"],
    ["//host/old", "/new", "from must be a path"],
    ["/old?x=1", "/new", "from must have no search and no hash"],
    ["/a//b", "/new", 'from has a segment "" that no address has'],
    ["/a/../b", "/new", 'from has a segment ".."'],
    ["/a%2Fb", "/new", 'from has a segment "a%2Fb"'],
    ["/a%zz", "/new", 'from has a segment "a%zz"'],
    ["/a/[b", "/new", 'from has a segment "[b"'],
    ["/[...rest]/a", "/new", "from has segments after [...rest]"],
    ["/[a]/[a]", "/new", "from has the parameter a twice"],
    ["/old/_data", "/new", 'from has "_data", which belongs to the framework'],
    ["/_holdfast/x", "/new", "which belongs to the framework"],
    ["/healthz", "/new", "which belongs to the framework"],
    ["/old/[id]", "/new/[other]", "has the parameter other, which from does not have"],
    ["/old/[...id]", "/new/[id]", "has the parameter id, which from does not have"],
    ["/old/[host]", "https://[host]/", "must be a path such as /new/[id], or an address"],
    ["/old", "//elsewhere.example", "must be a path"],
    ["/old", "javascript:alert(1)", "must be a path such as /new/[id], or an address"],
    ["/old", "https://user:secret@docs.example/", "must be a path such as /new/[id], or an address"],
    ["/old", "/new?a b", "has a search or hash that no address has"],
    [7, "/new", 'redirects[0] must be { from: "/old", to: "/new" }'],
    ["/old", undefined, 'redirects[0] must be { from: "/old", to: "/new" }'],
  ])("a redirect from %j to %j is refused", (from, to, why) => {
    expect(redirect(from, to).problems).toEqual([expect.stringContaining(why)]);
  });

  test("fields that it does not have are refused, and a table that is no list", () => {
    expect(redirect("/a", "/b", { permanent: 1 }).problems[0]).toContain("permanent must be true or false");
    expect(redirect("/a", "/b", { status: 301 }).problems[0]).toContain('has an unknown field "status"');
    expect(rewrite("/a", "/b", { permanent: true }).problems[0]).toContain('has an unknown field "permanent"');
    expect(rewrite("/a", "/b?c=1").problems[0]).toContain("must have no search and no hash");
    expect(readAddressRules({ "/a": "/b" }, undefined).problems[0]).toContain("redirects must be a list");
  });

  test("two lines with the same source are refused, whatever their parameters are called", () => {
    const lines = readAddressRules(
      [
        { from: "/a/[id]", to: "/x" },
        { from: "/a/b", to: "/x" },
      ],
      [{ from: "/a/[name]", to: "/y" }],
    );
    expect(lines.problems).toEqual(["the rewrite from /a/[name] has the same source as the redirect from /a/[id]"]);
  });
});

describe("a target", () => {
  const [rule] = redirect("/old/[id]/[...rest]", "/new/[...rest]/[id]".replace("/[id]", "")).rules;
  const [outside] = rewrite("/shop/[...rest]", "http://old.example/store/[...rest]").rules;
  if (!rule || !outside) throw new Error("These lines are right.");

  test("the values of the parameters are written so that they are read again", () => {
    expect(writeTargetPath(rule.to, { id: "7", rest: "a b/c" })).toBe("/new/a%20b/c");
    expect(writeTargetPath(outside.to, { rest: "50%/ü" })).toBe("/store/50%25/%C3%BC");
  });

  test("the visitor's search comes after its own", () => {
    expect([joinSearch("", "?a=1"), joinSearch("?b=2", "?a=1"), joinSearch("?b=2", "")]).toEqual([
      "?a=1",
      "?b=2&a=1",
      "?b=2",
    ]);
  });

  test("a path of the other server is the visitor's path again", () => {
    expect([pathBack(outside, "/store/7/edit"), pathBack(outside, "/login")]).toEqual(["/shop/7/edit", undefined]);
  });
});

describe("the tables of an application", () => {
  const table = readPageFiles(["index.tsx", "new/[id].tsx", "welcome.tsx", "api/export.server.ts"]);
  const others = {
    isPublicFile: (path: string) => path === "/logo.svg",
    isPublicFolder: (path: string) => path === "/files",
    isElsewhere: (path: string) => path.startsWith("/shop/"),
  };
  const check = (redirects: readonly [string, string][], rewrites: readonly [string, string][] = []): string[] => {
    const lines = (list: readonly [string, string][]) => list.map(([from, to]) => ({ from, to }));
    const { rules, problems } = readAddressRules(lines(redirects), lines(rewrites));
    expect(problems).toEqual([]);
    return checkAddressRules(rules, table, others);
  };

  test("targets that a page, an API route, a file, another line or another server answers are right", () => {
    const redirects: [string, string][] = [
      ["/a", "/new/7"],
      ["/b/[id]", "/new/[id]"],
      ["/c", "/api/export"],
      ["/d", "/logo.svg"],
      ["/e/[name]", "/files/[name]"],
      ["/f", "/a"],
      ["/g", "/shop/socks"],
      ["/h", "/start"],
      ["/new/list", "/"],
    ];
    expect(
      check(redirects, [
        ["/start", "/welcome"],
        ["/[...rest]", "http://old.example/[...rest]"],
      ]),
    ).toEqual([]);
  });

  test.each<[string, string, string]>([
    ["/a", "/nowhere", "The redirect from /a to /nowhere leads to /nowhere, which nothing answers."],
    ["/a/[id]", "/new/[id]/more", "leads to /new/[id]/more, which nothing answers."],
    ["/a", "/a", "is a loop: /a, then /a."],
    ["/a/[...rest]", "/a/b/[...rest]", "is a loop: /a/[...rest], then /a/[...rest]."],
    ["/new/[name]", "/", "The redirect from /new/[name] hides src/pages/new/[id].tsx."],
    ["/logo.svg", "/", "The redirect from /logo.svg is never used: public has a file at this path."],
  ])("a redirect from %s to %s is refused", (from, to, why) => {
    expect(check([[from, to]])).toEqual([expect.stringContaining(why)]);
  });

  test("a loop of several lines is named with all of them", () => {
    const [first] = check([
      ["/a", "/b"],
      ["/b", "/c"],
      ["/c", "/a"],
    ]);
    expect(first).toBe("The redirect from /a to /b is a loop: /a, then /b, then /c, then /a.");
  });

  test("a rewrite leads to a route and to nothing else of the application", () => {
    expect(check([["/b", "/"]], [["/a", "/b"]])[0]).toContain("must lead to a page, an API route or another server");
    expect(check([], [["/a", "/logo.svg"]])[0]).toContain("which nothing answers");
  });
});
