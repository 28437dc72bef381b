import { describe, expect, it } from "vitest";
import { type FilterKind, filterFactsOf, filterThatMatches, problemOfFilter } from "./filters.ts";
import { compileGlob } from "./glob.ts";

const chrome = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/79.0.1 Safari/537.36";
const robot = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";
const explorer = "Mozilla/5.0 (Windows NT 10.0; WOW64; Trident/7.0; rv:11.0) like Gecko";
const nobody = { agent: undefined, address: undefined };

describe("a pattern", () => {
  it.each([
    ["*ResizeObserver*", "Error: ResizeObserver loop", true],
    ["resizeobserver loop", "ResizeObserver loop", true],
    ["ResizeObserver", "ResizeObserver loop", false],
    ["a*b*c", "a-b-c", true],
    ["a*b*c", "acb", false],
    ["ab*ba", "aba", false],
    ["*", "", true],
    ["1.*-beta", "1.2.3-BETA", true],
    ["(a+)+$", "(a+)+$", true],
  ])("%s and the text %s: %s", (pattern, text, expected) => {
    expect(compileGlob(pattern)(text)).toBe(expected);
  });

  it("never takes long, whatever the pattern and the text are", () => {
    const pattern = "*a".repeat(100);
    // With backtracking, this would not end.
    expect(compileGlob(pattern)(`${"a".repeat(1_000)}b`)).toBe(false);
  });
});

describe("a filter", () => {
  const matches = (kind: FilterKind, pattern: string, payload: unknown, client: object = {}): boolean =>
    filterThatMatches([{ id: "1", kind, pattern, createdAt: 1 }], filterFactsOf(payload, { ...nobody, ...client })) !==
    undefined;

  it("of messages looks at the message, the log entry and each exception with its type", () => {
    expect(matches("message", "*boom*", { message: "a boom" })).toBe(true);
    expect(matches("message", "*boom*", { logentry: { message: "boom %s", formatted: "boom x" } })).toBe(true);
    const exception = { values: [{ type: "TypeError", value: "x is undefined" }, { type: "Error" }] };
    expect(matches("message", "typeerror: *", { exception })).toBe(true);
    expect(matches("message", "Error", { exception })).toBe(true);
    expect(matches("message", "*boom*", { exception })).toBe(false);
    expect(matches("message", "*boom*", { message: `${"x".repeat(1_000)}boom` })).toBe(false);
  });

  it("of releases and environments matches whole names", () => {
    expect(matches("release", "shop@1.*", { release: "shop@1.2" })).toBe(true);
    expect(matches("release", "shop@1", { release: "shop@1.2" })).toBe(false);
    expect(matches("environment", "staging", { environment: "Staging" })).toBe(true);
    expect(matches("environment", "staging", {})).toBe(false);
  });

  it("of browsers compares versions, of the context or of the user agent", () => {
    const event = { request: { headers: { "User-Agent": chrome } } };
    expect(matches("browser", "Chrome < 80", event)).toBe(true);
    expect(matches("browser", "Chrome<79", event)).toBe(false);
    expect(matches("browser", "Safari", event)).toBe(false);
    expect(matches("browser", "chrome <= 79", {}, { agent: chrome })).toBe(true);
    expect(matches("browser", "Internet Explorer", {}, { agent: explorer })).toBe(true);
    const named = { contexts: { browser: { name: "Chrome Mobile", version: "130.0.2" } } };
    expect(matches("browser", "Chrome >= 130", named)).toBe(true);
    expect(matches("browser", "Firefox", named)).toBe(false);
  });

  it("of addresses looks at the request and at the visitor of the event", () => {
    expect(matches("address", "203.0.113.0/24", {}, { address: "203.0.113.9" })).toBe(true);
    expect(matches("address", "203.0.113.7", {}, { address: "203.0.113.9" })).toBe(false);
    expect(matches("address", "2001:db8::/32", { user: { ip_address: "2001:db8::7" } })).toBe(true);
    expect(matches("address", "10.0.0.0/8", { user: { ip_address: "{{auto}}" } })).toBe(false);
  });

  it("of crawlers knows programs by their user agent", () => {
    expect(matches("crawler", "", { request: { headers: [["user-agent", robot]] } })).toBe(true);
    expect(matches("crawler", "", {}, { agent: robot })).toBe(true);
    expect(matches("crawler", "", {}, { agent: chrome })).toBe(false);
  });

  it("is refused if it would drop everything, or if it is not understood", () => {
    expect(problemOfFilter({ kind: "message", pattern: " ** " })).toContain("everything");
    expect(problemOfFilter({ kind: "message", pattern: "x".repeat(201) })).toContain("200");
    expect(problemOfFilter({ kind: "address", pattern: "10.0.0.0/33" })).toContain("network");
    expect(problemOfFilter({ kind: "browser", pattern: "Netscape < 4" })).toContain("Chrome");
    expect(problemOfFilter({ kind: "browser", pattern: "Samsung Internet < 20" })).toBeUndefined();
    expect(problemOfFilter({ kind: "crawler", pattern: "" })).toBeUndefined();
  });

  it("survives every payload", () => {
    for (const payload of [null, 1, "x", [], { exception: [null, { values: 1 }], request: { headers: 7 }, user: [] }])
      expect(matches("message", "*boom*", payload)).toBe(false);
  });
});
