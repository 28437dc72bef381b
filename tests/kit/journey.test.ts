import { existsSync } from "node:fs";
import { describe, expect } from "vitest";
import { journeyThrough } from "./journey.ts";
import { pages, serve } from "./small-server.ts";
import { inKolkata, inNewYork, onAPhone, type Visitor, withoutJavaScript } from "./visitor.ts";

const test = journeyThrough(() =>
  serve(
    pages({
      "/": `<h1>Home</h1><a href="/orders?page=2#top">Orders</a><p id="script">off</p><script>script.textContent = "on"</script>`,
      "/orders?page=2": `<h1>Orders</h1><label>Note <input></label><button>Save</button>`,
      "/failed": `<h1>Sorry</h1><p>The code is 7K2M-9QXD-4TBA.</p>`,
      "/logs": `<h1>Logs</h1><script>console.error("planted"); setTimeout(() => { throw new Error("thrown") })</script>`,
      "/asks": `<h1>Asks</h1><script>fetch("/dropped").catch(() => {}); fetch("/given-up", { signal: AbortSignal.timeout(500) }).catch(() => {})</script>`,
      "/differs": `<h1>Differs</h1><script>fetch("/", { method: "POST", body: '{"tags":{"class":"hydration"}}' })</script>`,
      "/unfriendly": `<h1>Unfriendly</h1><img src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=">`,
    }),
  ),
);

describe("a visitor", () => {
  test("follows links, fills in and sees headings", async ({ visit }) => {
    const visitor = await visit("/");
    await visitor.sees("Home");
    await visitor.clickLink("Orders");
    await visitor.sees("Orders");
    await visitor.fillIn("Note", "hello");
    await visitor.pressButton("Save");
    expect(visitor.address).toBe("/orders?page=2#top");
    expect(visitor.documentsLoaded).toBe(2);
    expect(visitor.requestsFor("/orders")).toMatchObject([{ path: "/orders?page=2", status: 200, end: "complete" }]);
  });

  test("comes with or without JavaScript, and on a phone", async ({ visit }) => {
    expect(await (await visit("/")).page.locator("#script").textContent()).toBe("on");
    expect(await (await visit("/", withoutJavaScript)).page.locator("#script").textContent()).toBe("off");
    expect(await (await visit("/", onAPhone)).page.evaluate(() => innerWidth)).toBe(390);
  });

  test("reads the digest of a page, or nothing if there is none", async ({ visit }) => {
    const visitor = await visit("/failed");
    expect(await visitor.digestShown()).toBe("7K2M-9QXD-4TBA");
    await visitor.goTo("/");
    expect(await visitor.digestShown()).toBeUndefined();
  });

  test("finds what is not accessible", async ({ visit }) => {
    const visitor = await visit("/");
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await visitor.goTo("/unfriendly");
    expect((await visitor.accessibilityProblems()).join()).toContain("image-alt");
  });

  test("takes pictures", async ({ visit }) => {
    const visitor = await visit("/");
    expect(existsSync(await visitor.screenshot("kit-home"))).toBe(true);
  });
});

test("half of the test files run west of UTC, half east of it", async ({ visit }) => {
  const zoneOf = async (visitor: Visitor) =>
    visitor.page.evaluate(() => Intl.DateTimeFormat().resolvedOptions().timeZone);
  // Chromium uses the older name of Kolkata.
  expect(await zoneOf(await visit("/"))).toMatch(/^(?:America\/New_York|Asia\/(?:Kolkata|Calcutta))$/);
  expect(await zoneOf(await visit("/", inNewYork))).toBe("America/New_York");
  expect(await zoneOf(await visit("/", inKolkata))).toMatch(/^Asia\/(?:Kolkata|Calcutta)$/);
});

describe("surprises", () => {
  test("surprises are console errors and page errors", async ({ visit }) => {
    const visitor = await visit("/logs");
    await expect.poll(() => visitor.surprises().length).toBe(2);
    expect(visitor.surprises().join()).toMatch(/console error: planted.*page error: Error: thrown/s);
    visitor.expecting(/planted/, /thrown/);
    expect(visitor.surprises()).toEqual([]);
  });

  test("surprises are requests that fail, but not those that the page itself gives up", async ({ visit, proxy }) => {
    proxy.when("/dropped").drop();
    proxy.when("/given-up").hang();
    const visitor = await visit("/asks");
    await expect.poll(() => visitor.requestsFor("/given-up")[0]?.end).toBe("gone");
    await expect.poll(() => visitor.surprises().join()).toContain("request failed: GET");
    visitor.expecting(/dropped/);
    expect(visitor.surprises()).toEqual([]);
  });

  test("surprises are hydration errors that the page reports", async ({ visit }) => {
    const visitor = await visit("/differs");
    await expect.poll(() => visitor.surprises().join()).toContain("hydration error");
    visitor.expecting(/hydration error/);
  });

  test("surprises are declared problems that never come", async ({ visit }) => {
    const visitor = (await visit("/")).expecting(/never/);
    expect(visitor.surprises()).toEqual(["expected, but did not occur: /never/"]);
    await visitor.page.evaluate(() => console.error("never"));
    await expect.poll(() => visitor.surprises()).toEqual([]);
  });

  test("surprises are pages that do not exist", async ({ visit }) => {
    const visitor = await visit("/nowhere");
    visitor.expecting(/404/);
  });
});
