import { expect, test } from "vitest";
import { cdnHeaders, type EdgeCache, type EdgeCopy, type EdgePolicy, edgeDefaults } from "./cdn-headers.ts";

const page: EdgeCache = { freshSeconds: 60, staleSeconds: 600, tags: ["products", "/products"], cookies: [] };
const rendered: EdgeCopy = { kind: "shared", ageSeconds: 0 };
const purged: EdgePolicy = { ...edgeDefaults, tagHeader: "Cache-Tag" };

test("a page for everyone is stored by CDNs while it is fresh, and by browsers only to be compared", () => {
  expect(headersOf(page, rendered, purged)).toEqual({
    "Cache-Control": "public, max-age=0, s-maxage=60, stale-while-revalidate=600, stale-if-error=600",
    "CDN-Cache-Control": "max-age=60, stale-while-revalidate=600, stale-if-error=600",
    "Cache-Tag": "products,/products",
  });
});

test("a copy that the server has kept for a while is stored for the rest of its time", () => {
  const times = (ageSeconds: number) => headersOf(page, { kind: "shared", ageSeconds }, purged)["CDN-Cache-Control"];
  expect(times(45.2)).toBe("max-age=14, stale-while-revalidate=600, stale-if-error=600");
  expect(times(160)).toBe("max-age=0, stale-while-revalidate=500, stale-if-error=500");
  expect(times(9_000)).toBe("max-age=0");
});

test("what is for one visitor is stored nowhere, and without an edge only by the browser", () => {
  expect(headersOf(page, { kind: "own" }, purged)).toEqual({ "Cache-Control": "private, no-store" });
  expect(headersOf(page, { kind: "private" }, purged)).toEqual(byBrowser);
  expect(headersOf(page, rendered, undefined)).toEqual(byBrowser);
});

test("a page that varies by cookies is for CDNs only if they have a copy for each of its versions", () => {
  const byPlan = { ...page, cookies: ["plan", "currency"] };
  expect(headersOf(byPlan, rendered, { ...purged, keyCookies: ["plan"] })).toEqual(byBrowser);
  expect(headersOf(byPlan, rendered, { ...purged, keyCookies: ["currency", "plan"] })["Cache-Control"]).toMatch(
    /^public/,
  );
});

test("tags are in the header of the CDN, each as one word of ASCII", () => {
  const tagged = { ...page, tags: ["products", "product:7", "größe, 50 %", "\ud800"] };
  const words = ["products", "product:7", "gr%C3%B6%C3%9Fe%2C%2050%20%25", "%EF%BF%BD"];
  for (const [tagHeader, between] of [
    ["Surrogate-Key", " "],
    ["xkey", " "],
    ["Cache-Tag", ","],
    ["Edge-Cache-Tag", ","],
  ] as const)
    expect(headersOf(tagged, rendered, { ...purged, tagHeader })[tagHeader]).toBe(words.join(between));
});

test("a CDN that is not purged has a page for seconds", () => {
  expect(headersOf(page, rendered, edgeDefaults)).toEqual({
    "Cache-Control": "public, max-age=0, s-maxage=10, stale-while-revalidate=10, stale-if-error=600",
    "CDN-Cache-Control": "max-age=10, stale-while-revalidate=10, stale-if-error=600",
  });
  expect(headersOf(page, rendered, { ...edgeDefaults, unpurgedSeconds: 0 })["Cache-Control"]).toBe(
    "public, max-age=0, s-maxage=0, stale-if-error=600",
  );
});

test("a page with more tags than a header holds is stored by no CDN, because a purge would miss it", () => {
  const ofLength = (bytes: number): EdgeCache => ({ ...page, tags: ["a".repeat(bytes)] });
  const edge = { ...purged, tagBytes: 100 };
  expect(headersOf(ofLength(100), rendered, edge)["Cache-Tag"]).toHaveLength(100);
  expect(headersOf(ofLength(101), rendered, edge)).toEqual(byBrowser);
  expect(edgeDefaults.tagBytes).toBe(8_000);
});

const byBrowser = { "Cache-Control": "private, no-cache" };

function headersOf(cache: EdgeCache, copy: EdgeCopy, edge: EdgePolicy | undefined): Record<string, string> {
  const flat = cdnHeaders(cache, copy, edge);
  return Object.fromEntries(flat.flatMap((name, at) => (at % 2 === 0 ? [[name, flat[at + 1] ?? ""]] : [])));
}
