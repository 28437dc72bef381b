import type { BrowserContextOptions } from "playwright-core";
import { test as plain } from "vitest";
import { openBrowser } from "./browser.ts";
import { faultProxy } from "./fault-proxy.ts";
import { type AppOptions, startApp } from "./running-app.ts";
import { Visitor } from "./visitor.ts";

/** The server that a journey visits: a `RunningApp`, or a small server of the test itself. */
export interface Visited {
  readonly url: string;
  /** How it ended, if it was not stopped. */
  readonly crash?: string | undefined;
  stop(): Promise<void>;
}

/**
 * Creates a `test` with everything a journey needs:
 *
 *     const test = journey({ app: "tests/fixtures/shop" });
 *
 *     test("a click shows the page", async ({ visit }) => {
 *       const visitor = await visit("/");
 *       await visitor.clickLink("Orders");
 *       await visitor.sees("Orders");
 *     });
 *
 * `app` and `browser` live as long as the file, `proxy` and visitors as long as the test. A test fails on every console
 * error, page error, failed request and crash that it has not declared by `visitor.expecting(/…/)`.
 */
export function journey(options: AppOptions) {
  return journeyThrough(() => startApp(options));
}

/** The same with a server that the test starts itself. */
export function journeyThrough<App extends Visited>(start: () => Promise<App>) {
  return (
    plain
      // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from it that nothing else is needed first.
      .extend("app", { scope: "file" }, async ({}, { onCleanup }): Promise<App> => {
        const app = await start();
        onCleanup(() => app.stop());
        return app;
      })
      // biome-ignore lint/correctness/noEmptyPattern: as above.
      .extend("browser", { scope: "file" }, async ({}, { onCleanup }) => {
        const browser = await openBrowser();
        onCleanup(() => browser.close());
        return browser;
      })
      .extend("proxy", async ({ app }, { onCleanup }) => {
        const proxy = await faultProxy(app.url);
        onCleanup(() => proxy.close());
        return proxy;
      })
      .extend("visit", async ({ app, browser, proxy }, { onCleanup }) => {
        const visitors: Visitor[] = [];
        onCleanup(async () => {
          await Promise.all(visitors.map((visitor) => visitor.expectedProblems()));
          const surprises = visitors.flatMap((visitor) => visitor.surprises());
          await Promise.all(visitors.map((visitor) => visitor.page.context().close()));
          if (app.crash) surprises.push(app.crash);
          if (surprises.length > 0) throw new Error(`Unexpected problems:\n- ${surprises.join("\n- ")}`);
        });
        return async (path: string, options: BrowserContextOptions = {}): Promise<Visitor> => {
          const context = await browser.newContext(options);
          const visitor = new Visitor(await context.newPage(), proxy);
          visitors.push(visitor);
          await visitor.goTo(path);
          return visitor;
        };
      })
  );
}
