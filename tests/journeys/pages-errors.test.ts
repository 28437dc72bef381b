import { describe, expect } from "vitest";
import { ask, dataLinesOf } from "../../src/pages/server/test-application.ts";
import { journey, keptDigests, withoutJavaScript } from "../kit/index.ts";

const test = journey({ app: "tests/fixtures/pages" });

const secret = "SECRET-7f3a9";
const digestShape = /[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}/;
const form = { "content-type": "application/x-www-form-urlencoded" };
const kinds = ["error", "null", "undefined", "text", "frozen", "getters", "response"];

const get = (app: { url: string }, path: string) => ask(Number(new URL(app.url).port), path, {});
const post = (app: { url: string }, path: string) =>
  ask(Number(new URL(app.url).port), path, { method: "POST", body: "a=1", headers: form });

describe("everything that can be thrown, wherever: 500, the digest of an event that is on disk, and not a byte of the error", () => {
  const places: Readonly<Record<string, (kind: string) => string>> = {
    load: (kind) => `/throws/load?what=${kind}`,
    guard: (kind) => `/throws/guard?what=${kind}`,
    "the layout's load": (kind) => `/?layout=${kind}`,
    "the request hook": (kind) => `/?hook=${kind}`,
  };
  test.for(Object.entries(places))(
    "everything that can be thrown in %s is a 500 with the digest of an event on disk",
    async ([, pathFor], { app }) => {
      for (const kind of kinds) {
        const page = await get(app, pathFor(kind));
        const [digest = "none"] = digestShape.exec(page.text) ?? [];
        expect([kind, page.status, page.text.includes("A server-side exception has occurred.")]).toEqual([
          kind,
          500,
          true,
        ]);
        // The response has arrived, so the event exists: no waiting.
        expect(keptDigests(app.dataFolder)).toContain(digest);
        expect(page.headers["x-digest"]).toBe(digest);
        const data = await get(app, pathFor(kind).replace("?", "/_data?").replace("//", "/"));
        expect([kind, data.status]).toEqual([kind, 500]);
        expect(keptDigests(app.dataFolder)).toContain((dataLinesOf(data.text)[1] as { digest: string }).digest);
        expect(page.text + data.text + JSON.stringify([page.headers, data.headers])).not.toContain(secret);
      }
    },
  );

  test("everything that can be thrown in an action is a 500 with the digest of an event on disk", async ({ app }) => {
    for (const kind of kinds) {
      const page = await post(app, `/orders/7/_action/fail?what=${kind}`);
      const [digest = "none"] = digestShape.exec(page.text) ?? [];
      expect([kind, page.status]).toEqual([kind, 500]);
      expect(keptDigests(app.dataFolder)).toContain(digest);
      const data = await post(app, `/orders/7/_action/fail/_data?what=${kind}`);
      expect([kind, data.status]).toEqual([kind, 500]);
      expect(page.text + data.text).not.toContain(secret);
    }
  });

  test("everything that can be thrown while the page is rendered, under a loading state or by a layout is a 500 with the digest", async ({
    app,
  }) => {
    for (const path of ["/throws/shell", "/throws/shell?what=null", "/shop/unshowable", "/broken-layout/page"]) {
      const before = keptDigests(app.dataFolder).length;
      const page = await get(app, path);
      const [digest = "none"] = digestShape.exec(page.text) ?? [];
      expect([path, page.status]).toEqual([path, 500]);
      expect(keptDigests(app.dataFolder)).toContain(digest);
      expect([path, keptDigests(app.dataFolder).length - before]).toEqual([path, 1]);
      expect(page.text).not.toContain(secret);
    }
  });

  test("an error after the page has begun leaves the rest complete, and the failed part has the digest", async ({
    app,
  }) => {
    for (const kind of ["error", "null", "text", "frozen", "response"]) {
      const before = keptDigests(app.dataFolder).length;
      const page = await get(app, `/late?fail=${kind}`);
      const [digest = "none"] = digestShape.exec(page.text) ?? [];
      expect([kind, page.status]).toEqual([kind, 200]);
      expect(page.text).toContain("here at once");
      expect(page.text).toContain("the end");
      expect(page.text).toContain("</html>");
      // In its place, and not as a part that the browser would have to render again.
      expect(page.text).toMatch(new RegExp(`<p role="alert">.*${digest}.*</p>`));
      expect(page.text).not.toContain("$RX(");
      expect(page.text).not.toContain(secret);
      expect(keptDigests(app.dataFolder)).toContain(digest);
      expect([kind, keptDigests(app.dataFolder).length - before]).toEqual([kind, 1]);
    }
  });
});

test("an error page that throws leaves the page of last resort: static, under 2 KiB, with the digest", async ({
  app,
  visit,
}) => {
  const page = await get(app, "/broken-error/page");
  expect(page.status).toBe(500);
  expect(Buffer.byteLength(page.text)).toBeLessThan(2048);
  expect(page.text).toMatch(digestShape);
  expect(page.text).not.toMatch(/<script|SECRET/);
  const visitor = await visit("/broken-error/page");
  visitor.expecting(/500/);
  await visitor.sees("Application error");
  expect(await visitor.accessibilityProblems()).toEqual([]);
});

test("a not-found page that throws stays a 404, is recorded, and shows the digest", async ({ app }) => {
  const before = keptDigests(app.dataFolder).length;
  const page = await get(app, "/broken-not-found/x");
  expect([page.status, Buffer.byteLength(page.text) < 2048]).toEqual([404, true]);
  const [digest] = digestShape.exec(page.text) ?? [];
  expect(keptDigests(app.dataFolder).slice(before)).toEqual([digest]);
  expect(page.headers["x-digest"]).toBe(digest);
});

test.for([
  ["with", {}],
  ["without", withoutJavaScript],
] as const)(
  "%s JavaScript the error page says what happened, shows the digest and takes a note",
  async ([, options], { visit, app }) => {
    const visitor = await visit("/throws/load", options);
    visitor.expecting(/500/);
    await visitor.sees("Application error");
    await visitor.page.getByText("A server-side exception has occurred.").waitFor();
    const digest = (await visitor.digestShown()) ?? "none";
    expect(keptDigests(app.dataFolder)).toContain(digest);
    for (const name of ["Reload", "Home"]) expect(await visitor.page.getByRole("link", { name }).count()).toBe(1);
    await visitor.fillIn("What were you doing when this happened?", "I looked at the page");
    await visitor.pressButton("Send note");
    await visitor.sees("Thank you");
    await visitor.clickLink("Back");
    await visitor.sees("Application error");
    await visitor.page.getByText("Already reported.").waitFor();
  },
);

test.for([
  ["with", {}],
  ["without", withoutJavaScript],
] as const)(
  "%s JavaScript an unknown address has a page of its own inside the layout, and ways out",
  async ([, options], { visit }) => {
    const visitor = await visit("/", options);
    visitor.expecting(/404/);
    await visitor.clickLink("Nowhere");
    await visitor.sees("Page not found");
    await visitor.page.getByText("There is no page at /nowhere.").waitFor();
    expect(await visitor.page.getByRole("main").count()).toBe(1);
    await visitor.page.getByRole("link", { name: "Pages" }).waitFor();
    await visitor.clickLink("Home");
    await visitor.sees("Home");
  },
);

test("the built-in pages have no accessibility problems, in a layout and alone", async ({ visit }) => {
  const alone = await visit("/?hook=error");
  alone.expecting(/500/);
  expect(await alone.accessibilityProblems()).toEqual([]);
  const inside = await visit("/nowhere");
  inside.expecting(/404/);
  expect(await inside.accessibilityProblems()).toEqual([]);
});

test("the nearest _error and _not-found are shown, with true statuses, also under a loading state", async ({
  app,
  visit,
}) => {
  const cases: [string, number, string][] = [
    ["/shop/broken", 500, "The shop is closed"],
    ["/shop/missing", 404, "Not in the shop"],
    ["/shop/a/b", 404, "Not in the shop"],
    ["/orders/missing", 404, "Page not found"],
    ["/orders/private", 401, "Sign-in needed"],
    ["/orders/others", 403, "Not allowed"],
    ["/search?page=x", 400, "Address not understood"],
  ];
  for (const [path, status, heading] of cases) {
    const page = await get(app, path);
    expect([path, page.status, page.text.includes(heading)]).toEqual([path, status, true]);
    const data = await get(app, path.includes("?") ? path.replace("?", "/_data?") : `${path}/_data`);
    expect([path, data.status]).toEqual([path, status]);
    expect(dataLinesOf(data.text)[1]).toMatchObject({ kind: status === 404 ? "not-found" : "error", status });
    const visitor = await visit(path);
    visitor.expecting(new RegExp(String(status)));
    await visitor.sees(heading);
  }
});
