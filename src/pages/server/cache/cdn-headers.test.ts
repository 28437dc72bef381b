import { expect, test } from "vitest";
import { cdnHeaders, type EdgeCache, type EdgeCopy, edgeDefaults } from "./cdn-headers.ts";

const page: EdgeCache = { freshSeconds: 60, staleSeconds: 600, tags: [], cookies: [], headers: [] };
const rendered: EdgeCopy = { kind: "shared", ageSeconds: 0 };

test("a page for everyone is stored by CDNs while it is fresh, and by browsers only to be compared", () => {
  expect(headersOf(page, rendered)).toEqual({
    "Cache-Control": "public, max-age=0, s-maxage=60, stale-while-revalidate=600, stale-if-error=600",
    "CDN-Cache-Control": "max-age=60, stale-while-revalidate=600, stale-if-error=600",
  });
});

test("a copy that the server has kept for a while is stored for the rest of its time", () => {
  expect(headersOf(page, { kind: "shared", ageSeconds: 45.2 })["CDN-Cache-Control"]).toBe(
    "max-age=14, stale-while-revalidate=600, stale-if-error=600",
  );
  expect(headersOf(page, { kind: "shared", ageSeconds: 160 })["CDN-Cache-Control"]).toBe(
    "max-age=0, stale-while-revalidate=500, stale-if-error=500",
  );
  expect(headersOf(page, { kind: "shared", ageSeconds: 9_000 })["CDN-Cache-Control"]).toBe("max-age=0");
});

test("what is for one visitor is stored nowhere, whatever the page says", () => {
  const tagged = { ...page, tags: ["products"], headers: ["Accept-Language"] };
  expect(cdnHeaders(tagged, { kind: "own" }, { ...edgeDefaults, tagHeader: "Cache-Tag" })).toEqual([
    "Cache-Control",
    "private, no-store",
  ]);
});

test("a page that varies is for CDNs only if they have a copy for each of its versions", () => {
  const byPlan = { ...page, cookies: ["plan"] };
  expect(headersOf(byPlan, rendered)).toEqual({ "Cache-Control": "private, no-cache", Vary: "Cookie" });
  expect(headersOf(byPlan, rendered, { keyCookies: ["plan"] })["Cache-Control"]).toMatch(/^public/);
  const byBoth = { ...page, cookies: ["plan"], headers: ["Accept-Language"] };
  expect(headersOf(byBoth, rendered, { keyCookies: ["plan"] })).toEqual({
    "Cache-Control": "private, no-cache",
    Vary: "Accept-Language",
  });
  // With the cookie in the key, `Vary: Cookie` would make a copy for every visitor.
  expect(headersOf(byBoth, rendered, { keyCookies: ["plan"], keyHeaders: ["accept-language"] })).toMatchObject({
    "Cache-Control": expect.stringMatching(/^public/),
    Vary: "Accept-Language",
  });
});

test("tags are in the header of the CDN, each as one word of ASCII", () => {
  const tagged = { ...page, tags: ["products", "product:7", "größe, 50 %", "\ud800"] };
  expect(headersOf(tagged, rendered, { tagHeader: "Surrogate-Key" })["Surrogate-Key"]).toBe(
    "products product:7 gr%C3%B6%C3%9Fe%2C%2050%20%25 %EF%BF%BD",
  );
  expect(headersOf(tagged, rendered, { tagHeader: "Cache-Tag" })["Cache-Tag"]).toBe(
    "products,product:7,gr%C3%B6%C3%9Fe%2C%2050%20%25,%EF%BF%BD",
  );
  expect(headersOf(tagged, rendered, { tagHeader: "xkey" }).xkey).toMatch(/^products product:7 gr/);
  expect(headersOf(tagged, rendered, { tagHeader: "Edge-Cache-Tag" })["Edge-Cache-Tag"]).toMatch(/^products,product:7/);
  expect(headersOf(page, rendered, { tagHeader: "Cache-Tag" })).not.toHaveProperty("Cache-Tag");
});

test("a CDN that cannot be purged by tag has a page with tags for seconds", () => {
  const tagged = { ...page, tags: ["products"] };
  expect(headersOf(tagged, rendered)["Cache-Control"]).toBe(
    "public, max-age=0, s-maxage=10, stale-while-revalidate=10, stale-if-error=600",
  );
  expect(headersOf(tagged, rendered, { unpurgedSeconds: 0 })["Cache-Control"]).toBe(
    "public, max-age=0, s-maxage=0, stale-if-error=600",
  );
  expect(headersOf(tagged, rendered, { tagHeader: "Cache-Tag" })["Cache-Control"]).toMatch(/s-maxage=60/);
});

test("a page with more tags than a header holds is stored by no CDN, because a purge would miss it", () => {
  const ofLength = (bytes: number): EdgeCache => ({ ...page, tags: ["a".repeat(bytes)] });
  const edge = { tagHeader: "Surrogate-Key", tagBytes: 100 } as const;
  expect(headersOf(ofLength(100), rendered, edge)["Surrogate-Key"]).toHaveLength(100);
  expect(headersOf(ofLength(101), rendered, edge)).toEqual({ "Cache-Control": "private, no-cache" });
  expect(edgeDefaults.tagBytes).toBe(8_000);
});

function headersOf(cache: EdgeCache, copy: EdgeCopy, edge = {}): Record<string, string> {
  const flat = cdnHeaders(cache, copy, { ...edgeDefaults, ...edge });
  return Object.fromEntries(flat.flatMap((name, at) => (at % 2 === 0 ? [[name, flat[at + 1] ?? ""]] : [])));
}
