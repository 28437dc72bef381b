import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalPath } from "./canonical-path.ts";
import { createMatcher } from "./match-route.ts";
import { readPageFiles } from "./read-page-files.ts";

describe("an address in its canonical spelling", () => {
  it.each([
    "/",
    "/orders/7",
    "/orders/7?x=1&y=%2F..",
    "/@ada/a:b,c;d=e+f&g$",
    "/caf%C3%A9",
    "/100%25",
    "/Orders",
    "/~x/_y.z-1",
    "/it's(1)*!",
  ])("%s is accepted unchanged", (target) => {
    const answer = canonicalPath(target);
    expect(answer.kind === "canonical" && answer.path + answer.search).toBe(target);
  });

  it("loses a question mark without a search", () => {
    expect(canonicalPath("/a?")).toEqual({ kind: "canonical", path: "/a", search: "" });
  });
});

describe("an address in another spelling", () => {
  it.each([
    ["/orders/", "/orders"],
    ["/orders/?x=1", "/orders?x=1"],
    ["/orders//7", "/orders/7"],
    ["//evil.example/x", "/evil.example/x"],
    ["///", "/"],
    ["/%61ct", "/act"],
    ["/caf%c3%a9", "/caf%C3%A9"],
    ["/a%3Ab", "/a:b"],
    ["/a[b]", "/a%5Bb%5D"],
  ])("%s leads to %s", (target, to) => {
    expect(canonicalPath(target)).toEqual({ kind: "redirect", to });
  });
});

describe("an address that parsers could interpret differently", () => {
  it.each([
    ["", "not-origin-form"],
    ["*", "not-origin-form"],
    ["orders", "not-origin-form"],
    ["http://other.example/", "not-origin-form"],
    ["/a#b", "fragment"],
    ["/a\\b", "raw-character"],
    ["/a b", "raw-character"],
    ["/a\u0000", "raw-character"],
    ["/caf\u00e9", "raw-character"],
    ["/a?x=\r\nSet-Cookie:", "raw-character"],
    ["/%", "malformed-encoding"],
    ["/%zz", "malformed-encoding"],
    ["/%c3", "malformed-encoding"],
    ["/%c0%ae", "malformed-encoding"],
    ["/a%2fb", "encoded-separator"],
    ["/a%5Cb", "encoded-separator"],
    ["/a%00", "control-character"],
    ["/a%0d%0a", "control-character"],
    ["/a%C2%85", "control-character"],
    ["/./a", "dot-segment"],
    ["/a/..", "dot-segment"],
    ["/a/%2e%2E/b", "dot-segment"],
    ["/%2561ct", "encoded-twice"],
    ["/%252e%252e/admin", "encoded-twice"],
    ["/%25zz%2541", "encoded-twice"],
  ])("%j is refused: %s", (target, why) => {
    expect(canonicalPath(target)).toEqual({ kind: "bad", why });
  });
});

describe("guard and router", () => {
  const match = createMatcher(
    readPageFiles(["index.tsx", "admin/index.tsx", "admin/[id].tsx", "[page].tsx", "docs/[...rest].tsx"]),
  );
  const spelling = fc
    .array(
      fc.constantFrom(
        "/",
        "//",
        "\\",
        ".",
        "..",
        "%2e",
        "%2E",
        "%2f",
        "%5c",
        "%25",
        "%61",
        "%41",
        "admin",
        "ADMIN",
        "docs",
        "a",
        "%c3%a9",
        "%C3%A9",
        "%",
        "?",
        "#",
        ";",
        ":",
        "+",
        "%20",
        " ",
        "\u0000",
        "%00",
        "7",
      ),
      { maxLength: 9 },
    )
    .map((pieces) => `/${pieces.join("")}`);

  it("never disagree, over 5,000 spellings", () => {
    const seen = { canonical: 0, redirect: 0, bad: 0 };
    fc.assert(
      fc.property(spelling, (target) => {
        const first = canonicalPath(target);
        seen[first.kind]++;
        if (first.kind === "bad") return;
        const settled = canonicalPath(first.kind === "redirect" ? first.to : first.path + first.search);
        // One redirect at most, and the canonical spelling is stable.
        if (settled.kind !== "canonical") expect.fail(`${target} never settles: ${JSON.stringify([first, settled])}`);
        expect(canonicalPath(settled.path + settled.search)).toEqual(settled);
        expect(settled.path).toMatch(/^\/(?!\/)/);
        // One more decoding gives the same address, so a later reader sees the same page as the guard.
        const decoded = settled.path.split("/").map((segment) => decodeURIComponent(segment));
        for (const text of decoded) expect(text).not.toMatch(/%[0-9a-f]{2}|[\\/]|^\.\.?$/i);
        // The browser's own parsing of the address agrees.
        expect(new URL(settled.path, "http://a.example").pathname).toBe(settled.path);
        if (first.kind === "canonical") expect(match(first.path)).toEqual(match(settled.path));
      }),
      { numRuns: 5_000 },
    );
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(150);
  });
});
