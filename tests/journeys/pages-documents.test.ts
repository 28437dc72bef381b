import { expect } from "vitest";
import { ask, dataLinesOf } from "../../src/pages/server/test-application.ts";
import { journey, withoutJavaScript } from "../kit/index.ts";

const test = journey({ app: "tests/fixtures/pages" });

const get = (app: { url: string }, path: string, headers: Record<string, string> = {}) =>
  ask(Number(new URL(app.url).port), path, { headers });

const bothWays = [
  ["with", {}],
  ["without", withoutJavaScript],
] as const;

test.for(bothWays)(
  "%s JavaScript a page is there as the server made it, and its links lead on",
  async ([, options], { visit }) => {
    const visitor = await visit("/", options);
    await visitor.sees("Home");
    expect(await visitor.page.locator("html").getAttribute("lang")).toBe("en-GB");
    await visitor.clickLink("Order 7");
    await visitor.sees("Lamp");
    expect(visitor.address).toBe("/orders/7");
    expect(await visitor.page.title()).toBe("Order 7");
  },
);

test.for(bothWays)(
  "%s JavaScript a form that does not fit is shown again with what was typed, and one that does is done",
  async ([way, options], { visit }) => {
    const id = `${way}-form`;
    const visitor = await visit(`/orders/${id}`, options);
    visitor.expecting(/422/);
    await visitor.sees(`Thing ${id}`);
    await visitor.fillIn("Name", "ab");
    await visitor.fillIn("Note", "by the window");
    await visitor.fillIn("Password", "hidden");
    await visitor.pressButton("Rename");
    await visitor.page.getByRole("alert").getByText("Use at least 3 characters").waitFor();
    expect(await visitor.page.getByLabel("Name").inputValue()).toBe("ab");
    expect(await visitor.page.getByLabel("Note").inputValue()).toBe("by the window");
    await visitor.fillIn("Name", "Chair");
    await visitor.pressButton("Rename");
    await visitor.sees("Chair");
    expect(visitor.address).toBe(`/orders/${id}`);
  },
);

test("a form that was posted before hydration is shown again and hydrated", async ({ visit }) => {
  const visitor = await visit("/orders/early");
  visitor.expecting(/422/);
  await visitor.sees("Thing early");
  // Without a submit event, as the browser posts by itself.
  await visitor.page.evaluate(() => {
    const form = document.querySelector("form");
    const name = form?.querySelector<HTMLInputElement>("[name=name]");
    if (name) name.value = "ab";
    form?.submit();
  });
  await visitor.page.getByRole("alert").getByText("Use at least 3 characters").waitFor();
  expect(await visitor.page.getByLabel("Name").inputValue()).toBe("ab");
  const documents = visitor.documentsLoaded;
  await visitor.fillIn("Name", "Chair");
  await visitor.pressButton("Rename");
  await visitor.sees("Chair");
  expect(visitor.documentsLoaded).toBe(documents);
  // The address that the browser's own post left leads back to the page.
  await visitor.page.reload();
  await visitor.sees("Chair");
  expect(visitor.address).toBe("/orders/early");
});

test.for(bothWays)(
  "%s JavaScript signing in leads through the guard to where one wanted to go",
  async ([, options], { visit }) => {
    const visitor = await visit("/guarded", options);
    await visitor.sees("Sign in");
    expect(visitor.address).toBe("/sign-in?to=%2Fguarded");
    await visitor.fillIn("User", "ada");
    await visitor.pressButton("Enter");
    await visitor.sees("GUARDED-41c2");
    expect(visitor.address).toBe("/guarded");
  },
);

test.for(bothWays)("%s JavaScript late parts are shown", async ([, options], { visit }) => {
  const visitor = await visit("/late", options);
  await visitor.sees("Late");
  await visitor.page.getByText("here at once").waitFor();
  await visitor.page.locator("#later").getByText("here at last").waitFor();
});

test("every value that data may hold is the same in the browser, and none of it is markup", async ({ visit }) => {
  const visitor = await visit("/rich");
  await visitor.page.getByText("alive").waitFor();
  expect(await visitor.page.locator("#values").textContent()).toBe(
    "2026-11-15T00:00:00.000Z 3 holdfast.example undefined RangeError: out of range",
  );
  expect(await visitor.page.locator("#hostile").textContent()).toBe("</script><script>alert(1)</script><!--\u2028]]>");
});

test("a cacheable page hydrates under a policy without a nonce, and is revalidated by its tag", async ({
  app,
  visit,
}) => {
  const visitor = await visit("/cached");
  await visitor.page.getByText("alive").waitFor();
  await visitor.page.locator("#later").getByText("cached too").waitFor();
  const [first, second] = [await get(app, "/cached"), await get(app, "/cached")];
  expect(second.text).toBe(first.text);
  expect(first.headers["cache-control"]).toBe("public, max-age=60");
  const again = await get(app, "/cached", { "if-none-match": first.headers.etag ?? "" });
  expect([again.status, again.text]).toEqual([304, ""]);
  const other = await get(app, "/cached?v=2", { "if-none-match": first.headers.etag ?? "" });
  expect(other.status).toBe(200);
  expect((await get(app, "/cached?greet=1")).headers["cache-control"]).toBe("private, no-store");
});

test("the data of a page is beside it, and the address alone selects the variant", async ({ app }) => {
  const data = await get(app, "/orders/9/_data?x=1");
  expect(data.headers["content-type"]).toBe("application/vnd.holdfast.page-data");
  expect(data.headers["cache-control"]).toBe("private, no-store");
  expect(dataLinesOf(data.text)).toEqual([
    { build: expect.stringMatching(/^[0-9a-f]{12}$/), route: "/orders/[id]", fresh: 30_000, expires: 300_000, tag: "" },
    {
      kind: "page",
      status: 200,
      params: { id: "9" },
      data: [{ user: ["~u"] }, { name: "Thing 9" }],
      html: { lang: "en-GB" },
    },
    { kind: "end" },
  ]);
  const page = await get(app, "/orders/9", { accept: "application/vnd.holdfast.page-data", rsc: "1" });
  expect(page.headers["content-type"]).toBe("text/html; charset=utf-8");
  const moved = await get(app, "/orders/moved/_data");
  expect([moved.status, dataLinesOf(moved.text)[1]]).toEqual([200, { kind: "redirect", status: 303, to: "/orders/7" }]);
  expect((await get(app, "/orders/moved")).headers.location).toBe("/orders/7");
});

test("a slow page's data reports its progress at once and then each second", async ({ app }) => {
  const slow = await get(app, "/slow/_data?ms=2500");
  expect(slow.text).toMatch(/^\{"build".*\}\n\n\n\{"kind":"page"/);
});

test("one address has one spelling", async ({ app }) => {
  for (const [path, status, location] of [
    ["/orders/7/", 308, "/orders/7"],
    ["//orders//7", 308, "/orders/7"],
    ["/%6frders/7?x=1", 308, "/orders/7?x=1"],
    ["/orders/%2e%2e/guarded", 400, undefined],
    ["/orders\\7", 400, undefined],
    ["/orders/%252e", 400, undefined],
    ["/orders/a%2fb", 400, undefined],
    ["/ORDERS/7", 404, undefined],
  ] as const) {
    const answer = await get(app, path);
    expect([path, answer.status, answer.headers.location]).toEqual([path, status, location]);
  }
});

test("search is checked by its schema before the page is loaded", async ({ app }) => {
  expect((await get(app, "/search?page=3")).text).toContain("Page 3");
  expect((await get(app, "/search")).text).toContain("Page 1");
  for (const search of ["page=0", "page=x", "page=1&page=2", "page=1e999"])
    expect([search, (await get(app, `/search?${search}`)).status]).toEqual([search, 400]);
});

test("every document has the security headers, each response its own nonce", async ({ app }) => {
  const pages = await Promise.all(
    ["/", "/nowhere", "/throws/load", "/broken-error/page"].map((path) => get(app, path)),
  );
  for (const { headers } of pages) {
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(headers["x-frame-options"]).toBe("SAMEORIGIN");
    expect(headers["referrer-policy"]).toBe("strict-origin-when-cross-origin");
    expect(headers["content-security-policy"]).toMatch(
      /script-src 'nonce-[\w+/=]+' (?:'sha256-[\w+/=]+' )*'strict-dynamic'; .*object-src 'none'; base-uri 'none'/,
    );
  }
  expect(new Set(pages.map(({ headers }) => headers["content-security-policy"])).size).toBe(pages.length);
});
