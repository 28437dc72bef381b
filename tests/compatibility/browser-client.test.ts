import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { afterAll, expect, it } from "vitest";
import { everyIssue } from "../../src/service/stores/filter-language.ts";
import { openSqliteReader } from "../../src/service/stores/sqlite/open-sqlite-store.ts";
import type { StoreReader } from "../../src/service/stores/store.ts";
import { dataFolder, RunningService } from "../faults/running-service.ts";
import { openBrowser, type Visited } from "../kit/index.ts";
import { serve } from "../kit/small-server.ts";

const browser = await openBrowser();
const site = await pageWithClient();

afterAll(async () => {
  await browser.close();
  await site.stop();
});

it("the real client for browsers reports errors, rejections, messages, feedback, the page load and the session", async () => {
  using folder = dataFolder();
  await using service = await RunningService.start(folder.path);
  const visited = await browser.newPage();
  await visited.goto(`${site.url}/cart?dsn=${encodeURIComponent(service.dsn)}`);
  await visited.click("button");
  const reader = (): StoreReader => openSqliteReader({ folder: join(folder.path, "store") });
  let filed = {};
  const everything = await until(
    async () => {
      await service.filed();
      const store = reader();
      const { issues } = await store.issues({ project: 1, filter: everyIssue, sort: "last-seen", limit: 9 });
      const pageLoads = await store.segments({ project: 1, route: "/cart", kind: "pageload", ...always, limit: 9 });
      const sessions = await store.sessions(1, always.from, always.to);
      const feedback = await store.feedback(1);
      filed = {
        issues: issues.length,
        pageLoads: pageLoads.length,
        sessions: sessions.length,
        feedback: feedback.length,
      };
      const isThere = issues.length === 3 && pageLoads.length === 1 && feedback.length === 1 && sessions.length > 0;
      if (isThere) return { store, issues, pageLoads, sessions, feedback };
      store.close();
      return undefined;
    },
    () => `Not everything that the page reported was filed, only ${JSON.stringify(filed)}.`,
  );
  const { store, issues, pageLoads, sessions, feedback } = everything;
  const about = (text: string) => issues.find(({ title }) => title.includes(text));
  expect(about("the cart is empty")).toMatchObject({ type: "TypeError", level: "error", lastRelease: "shop@1.4.2" });
  expect(about("the shop does not answer")).toMatchObject({ type: "Error", events: 1, visitors: 1 });
  expect(about("greetings from a page")).toMatchObject({ level: "warning", events: 1 });

  const failure = await store.event(1, about("the cart is empty")?.lastEventId ?? "");
  if (failure?.body.kind !== "whole") throw new Error("The error was not kept whole.");
  const { event } = failure.body;
  expect(event).toMatchObject({
    environment: "production",
    tags: { client: "sentry-browser-11" },
    user: { id: "4711" },
    exceptions: [
      { type: "RangeError", value: "no items" },
      { type: "TypeError", value: "the cart is empty" },
    ],
    request: { url: expect.stringContaining("/cart") },
  });
  expect(event.exceptions.at(-1)?.frames.at(-1)).toMatchObject({ function: "payForCart", inApp: true });
  expect(event.breadcrumbs.map(({ category }) => category)).toEqual(expect.arrayContaining(["ui.click", "cart"]));

  const [pageLoad] = pageLoads;
  expect(failure.traceId).toBe(pageLoad?.traceId);
  const trace = await store.trace(1, pageLoad?.traceId ?? "");
  expect(trace.spans.length).toBeGreaterThan(1);
  expect(trace.events.map(({ eventId }) => eventId)).toContain(failure.eventId);
  expect(sessions).toMatchObject([{ release: "shop@1.4.2", started: 1, errored: 1 }]);
  expect(feedback).toMatchObject([
    { message: "The cart lost my book.", name: "Jo", email: "jo@shop.test", eventId: about("greetings")?.lastEventId },
  ]);
  store.close();
}, 60_000);

const always = { from: 0, to: Date.now() + 86_400_000 };

/**
 * Serves a page with the bundled client and one button on a separate origin, like every page that reports to a service
 * elsewhere.
 */
async function pageWithClient(): Promise<Visited> {
  const script = await bundled(fileURLToPath(new URL("./clients/page.js", import.meta.url)));
  return serve((request, response) => {
    const isScript = request.url === "/page.js";
    response.writeHead(200, { "Content-Type": isScript ? "text/javascript" : "text/html" });
    response.end(isScript ? script : page);
  });
}

const page = '<!doctype html><title>Cart</title><button>Buy</button><script type="module" src="/page.js"></script>';

async function bundled(entry: string): Promise<string> {
  const outcome = await build({
    configFile: false,
    logLevel: "error",
    build: { write: false, minify: false, rollupOptions: { input: entry } },
  });
  const [only] = [outcome].flat();
  const chunk = only !== undefined && "output" in only ? only.output[0] : undefined;
  if (chunk === undefined) throw new Error("The page's script was not built.");
  return chunk.code;
}

async function until<T>(look: () => Promise<T | undefined>, why: () => string): Promise<T> {
  for (const end = performance.now() + 40_000; ; ) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > end) throw new Error(why());
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
