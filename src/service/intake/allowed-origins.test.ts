import { expect, it } from "vitest";
import { isAllowedOrigin, problemOfOrigins } from "./allowed-origins.ts";

it.each([
  ["https://shop.example", "https://shop.example", true],
  ["https://shop.example", "https://shop.example:443", true],
  ["https://shop.example", "http://shop.example", false],
  ["https://shop.example", "https://shop.example.evil.example", false],
  ["https://shop.example", "https://evilshop.example", false],
  ["https://*.shop.example", "https://a.b.shop.example", true],
  ["https://*.shop.example", "https://shop.example", false],
  ["https://*.shop.example", "https://evilshop.example", false],
  ["shop.example", "http://shop.example:8080", true],
  ["shop.example:8080", "http://shop.example:8081", false],
  ["*.shop.example", "https://a.shop.example", true],
  ["http://[::1]:3000", "http://[::1]:3000", true],
  ["https://shop.example", "null", false],
  ["https://shop.example", "not an origin", false],
])("the allowed origin %s and a page of %s: %s", (allowed, origin, expected) => {
  expect(problemOfOrigins([allowed])).toBeUndefined();
  expect(isAllowedOrigin([allowed], origin)).toBe(expected);
});

it("a client without an origin is no page, and a key without origins allows every page", () => {
  expect(isAllowedOrigin(["https://shop.example"], undefined)).toBe(true);
  expect(isAllowedOrigin([], "https://any.example")).toBe(true);
  expect(isAllowedOrigin(undefined, "https://any.example")).toBe(true);
});

it("origins that are none are named", () => {
  expect(problemOfOrigins(["ftp://shop.example"])).toContain("ftp://shop.example");
  expect(problemOfOrigins(["https://*"])).toContain("is no origin");
  expect(problemOfOrigins(Array.from({ length: 21 }, (_, index) => `${index}.example`))).toContain("At most 20");
});
