import { describe, expect } from "vitest";
import { groups } from "../../tour/src/try/experiments.ts";
import { inKolkata, inNewYork, inTheDark, journey, onAPhone, withoutJavaScript } from "../kit/index.ts";

const test = journey({ app: "tour" });

/** Pages that fail on every request. */
const broken: ReadonlySet<string> = new Set(
  ["load", "value", "render", "layout", "error-page"].map((what) => `/try/break/${what}`),
);
/** Expected statuses other than 200 of the tour's links. */
const meant: ReadonlyMap<string, number> = new Map([
  ...[...broken].map((path) => [path, 500] as const),
  ...["/try/orders/10", "/no-such-page", "/docs/errors/no-such-code"].flatMap(
    (path) =>
      [
        [path, 404],
        [`${path}/_data`, 404],
      ] as const,
  ),
  ...["null", "text", "frozen", "trap", "loop"].map((what) => [`/try/break/anything?what=${what}`, 500] as const),
  ["/try/orders/%2537", 400],
]);
/** Pages whose late part or first render fails. */
const breaksLater: ReadonlySet<string> = new Set(["/try/break/late", "/try/break/hydration"]);

/** One item of the shelf is enough, no test waits twelve seconds, and the console has its own tests. */
const passedOver = /^\/try\/slow\?|^\/try\/shelf\/(?!1$)|^\/_holdfast\/./;

const experiments = groups.flatMap((group) => group.experiments.map(({ path }) => path));
const guides = ["tutorial", "navigation", "reference", "error-catalogue", "specification"].map(
  (name) => `/docs/${name}`,
);
const pages = [
  "/",
  "/try",
  ...experiments,
  "/try/sign-in",
  "/try/shelf/1",
  "/docs",
  "/docs/search?q=digest",
  ...guides,
];

describe("the tour", () => {
  test("can be read from end to end by its links, without a dead one", { timeout: 240_000 }, async ({ app }) => {
    const seen = new Map<string, number>();
    const found: [path: string, from: string][] = [["/", "the address bar"]];
    const nowhere: string[] = [];
    for (const [path, from] of found) {
      if (seen.has(path)) continue;
      const answer = await fetch(app.url + path, { headers: { accept: "text/html" } });
      const html = answer.headers.get("content-type")?.startsWith("text/html") ? await answer.text() : "";
      seen.set(path, answer.status);
      if (answer.status !== (meant.get(path) ?? 200)) nowhere.push(`${from} leads to ${path} (${answer.status})`);
      for (const [, href = ""] of html.matchAll(/<a [^>]*?href="(\/[^"#]*)/g))
        if (!passedOver.test(href)) found.push([href.replaceAll("&amp;", "&"), path]);
    }
    expect(nowhere).toEqual([]);
    for (const path of [...experiments, ...guides]) expect(seen.has(path), path).toBe(true);
    for (const path of meant.keys()) expect(seen.has(path), path).toBe(true);
  });

  test("is complete without JavaScript", { timeout: 240_000 }, async ({ visit }) => {
    const visitor = await visit("/", withoutJavaScript);
    for (const path of pages) {
      if (broken.has(path)) visitor.expecting(/500/);
      await visitor.goTo(path);
      expect(await visitor.page.locator("h1").count(), path).toBe(1);
      expect((await visitor.page.locator("main").textContent())?.length, path).toBeGreaterThan(80);
    }
  });

  const some = ["/", "/try/form", "/try/prefetch", "/try/break/load", "/docs/reference"];
  const wide = { viewport: { width: 1280, height: 800 } };
  // Rules that depend on the window or the colours are those of the layout, which the pages share.
  const looks = [
    ["a wide window by day, in New York", { ...wide, ...inNewYork }, pages, some],
    ["a wide window by night", { ...wide, ...inTheDark }, some, some],
    ["a telephone by day", onAPhone, some, some],
    ["a telephone by night, in Kolkata", { ...onAPhone, ...inTheDark, ...inKolkata }, pages, pages],
  ] as const;

  test.for(looks)(
    "is accessible and fits into %s",
    { timeout: 240_000 },
    async ([, look, seen, examined], { visit }) => {
      const visitor = await visit("/", look);
      const { page } = visitor;
      visitor.expecting(/500/);
      for (const path of seen) {
        await visitor.goTo(path);
        await page.locator("h1").first().waitFor();
        if (path === "/try/break/hydration") {
          // The page reports it after it is shown; leaving it sooner would miss it.
          await expect.poll(() => visitor.surprises().join()).toContain("hydration error");
          visitor.expecting(/hydration error/);
        }
        if (examined.includes(path)) expect(await visitor.accessibilityProblems(), path).toEqual([]);
        const beyond = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        expect(beyond, `${path} is wider than the window`).toBeLessThanOrEqual(0);
      }
    },
  );
});

describe("an experiment", () => {
  test("an experiment with a form keeps what was typed, with and without JavaScript", async ({ visit }) => {
    for (const options of [{}, withoutJavaScript]) {
      const visitor = (await visit("/try/form", options)).expecting(/422/);
      await visitor.fillIn("Name", "Ada");
      await visitor.pressButton("Book");
      await visitor.page.getByText("Choose a day.").waitFor();
      expect(await visitor.page.getByLabel("Name").inputValue()).toBe("Ada");
    }
  });

  test("an experiment with a guard sends to the sign-in page, and lets in a visitor who has signed in", async ({
    visit,
  }) => {
    const visitor = await visit("/try/guarded");
    await visitor.sees("Sign in");
    await visitor.fillIn("Name", "Ada");
    await visitor.pressButton("Sign in");
    await visitor.page.getByText("Signed in as Ada").waitFor();
    await visitor.pressButton("Sign out");
    await visitor.sees("Sign in");
  });

  test.for([
    ["The connection breaks", "handed-over: network"],
    ["The answer is cut off in the middle", "handed-over: cut-data"],
    ["A proxy answers with a page of its own", "handed-over: wrong-content-type"],
  ] as const)(
    "an experiment that breaks a navigation (%s) ends at its target, and its panel says how",
    async ([fault, end], { visit }) => {
      const visitor = await visit("/try/faults");
      await visitor.page.getByLabel(fault).check();
      await visitor.clickLink("Go to order 8");
      await visitor.sees("Order 8");
      expect(visitor.documentsLoaded).toBe(2);
      await visitor.page.getByText(end).waitFor();
    },
  );

  test("an experiment that loses the connection stays, and resumes when it is back", async ({ visit }) => {
    const visitor = await visit("/try/offline");
    await visitor.page.getByLabel("The server cannot be reached").check();
    await visitor.clickLink("Go to order 8");
    await visitor.page.getByText("Connection lost").waitFor();
    expect(visitor.address).toBe("/try/offline");
    await visitor.page.getByLabel("Nothing").check();
    await visitor.pressButton("Retry");
    await visitor.sees("Order 8");
    expect(visitor.documentsLoaded).toBe(1);
  });

  test("an experiment with many links never runs more than five prefetches", async ({ visit }) => {
    const visitor = await visit("/try/prefetch?when=seen");
    await visitor.page.mouse.move(10, 10);
    await visitor.page.getByText("5 of 5").waitFor();
    await visitor.page.getByText("fresh").first().waitFor();
    expect(await visitor.page.locator(".slots .taken").count()).toBeLessThanOrEqual(5);
  });

  test("an experiment that changes something discards prefetched pages", async ({ visit }) => {
    const visitor = await visit("/try/ahead");
    const ahead = visitor.page.locator(".panel", { hasText: "Fetched ahead" });
    await visitor.page.getByRole("link", { name: "Rest on item 41" }).hover();
    await ahead.getByText("/try/shelf/41").waitFor();
    await visitor.pressButton("Change something");
    await ahead.getByText("Nothing.").waitFor();
  });

  test("an experiment with noise reports only the application's own errors", async ({ visit }) => {
    const visitor = (await visit("/try/noise")).expecting(/./);
    const envelopes = visitor.page.locator(".panel", { hasText: "Last envelopes" }).getByText("event", { exact: true });
    const buttons = visitor.page.getByRole("button", { name: "Throw" });
    // They appear after hydration.
    await buttons.first().waitFor();
    for (const button of await buttons.all()) await button.click();
    await envelopes.waitFor();
    expect(await envelopes.count()).toBe(1);
  });

  test("an experiment with a tunnel shows the result of each envelope, and the server survives", async ({ visit }) => {
    const visitor = await visit("/try/tunnel", withoutJavaScript);
    const answers = [
      ["A report of this application", "200"],
      ["One that names another service", "403"],
      ["One that another site sent", "403"],
      ["One of two megabytes", "413"],
      ["Something that is no report", "400"],
    ] as const;
    for (const [letter, status] of answers) {
      await visitor.pressButton(letter);
      await visitor.page.getByRole("status").getByText(status).waitFor();
    }
  });

  test.for([...broken])("%s shows a new digest each time", async (path, { visit }) => {
    const visitor = (await visit("/try")).expecting(/500/);
    await visitor.goTo(path);
    const first = await visitor.digestShown();
    await visitor.goTo(path);
    const second = await visitor.digestShown();
    expect(first).toBeDefined();
    expect(second).toBeDefined();
    expect(second).not.toBe(first);
  });

  test("links from its digest to the thrown error", async ({ visit }) => {
    const visitor = (await visit("/try")).expecting(/500/);
    await visitor.goTo("/try/break/load");
    const digest = await visitor.digestShown();
    await visitor.clickLink("See what was thrown, in the console");
    // Filing takes a moment: until then there is no such event.
    await expect
      .poll(
        async () => {
          await visitor.page.reload();
          return visitor.page.locator("h1").textContent();
        },
        { timeout: 20_000 },
      )
      .toContain("The orders database does not answer.");
    expect(await visitor.digestShown()).toBe(digest);
  });

  test.for([...breaksLater])("%s responds, and continues after its failure", async (path, { visit }) => {
    const visitor = await visit(path);
    await visitor.page
      .getByText(path.endsWith("late") ? "This part of the page could not be loaded." : "your browser.")
      .first()
      .waitFor();
    expect(await visitor.page.locator("h1").count()).toBe(1);
    if (path.endsWith("hydration")) visitor.expecting(/hydration error/);
    await expect.poll(() => visitor.surprises()).toEqual([]);
  });
});

describe("the documentation", () => {
  test("can be searched without JavaScript", async ({ visit }) => {
    const visitor = await visit("/docs", withoutJavaScript);
    await visitor.page.getByRole("searchbox").fill("heartbeat");
    await visitor.page.getByRole("searchbox").press("Enter");
    await visitor.sees("heartbeat");
    await visitor.clickLink("When it is handed over");
    await visitor.sees("Navigation and prefetching");
  });

  test("has a page for every error, also in a form for programs", async ({ app }) => {
    const catalogue = await (await fetch(`${app.url}/docs/markdown/error-catalogue`)).text();
    const codes = [...catalogue.matchAll(/^## (.+)$/gm)].map(([, code = ""]) => code);
    expect(codes.length).toBeGreaterThan(40);
    for (const code of codes) expect((await fetch(`${app.url}/docs/errors/${code}`)).status, code).toBe(200);
    expect((await fetch(`${app.url}/docs/errors/no-such-code`)).status).toBe(404);
    expect(await (await fetch(`${app.url}/llms.txt`)).text()).toContain(`${app.url}/docs/markdown/tutorial`);
  });
});
