import { expect } from "vitest";
import { application, journey, type Visitor } from "../kit/index.ts";
import { pages, serve } from "../kit/small-server.ts";
import { lastFullLoad } from "./walk.ts";

const nav = `import { Link } from "holdfast";
export const Nav = () => (
  <nav>
    <Link to="/">Home</Link> <Link to="/map">Map</Link> <Link to="/list">List</Link> <Link to="/pay">Pay</Link>{" "}
    <Link to="/old">Old</Link> <Link to="/older">Older</Link> <Link to="/arabic">Arabic</Link>
  </nav>
);
`;

const shown = (title: string): string => `import { Nav } from "../nav.tsx";
export default () => <main><h1>${title}</h1><Nav /></main>;
`;

const loading = (route: string, lines: string): string => `import * as server from "holdfast/server";
export const data = server.load("${route}", ({ response }): void => {
  ${lines}
});
`;

const test = journey({
  app: application({
    "holdfast.config.ts": `import type { HoldfastConfig } from "holdfast/server";
export default {
  headers: {
    "/**": { "Referrer-Policy": "no-referrer" },
    "/shown/**": { "Cache-Control": "public, max-age=86400", "Cross-Origin-Resource-Policy": "cross-origin" },
    "/embed/**": { "X-Frame-Options": false },
    "/embed/partner": { "Content-Security-Policy": "frame-ancestors http://localhost:*" },
  },
} satisfies HoldfastConfig;
`,
    "public/shown/logo.txt": "a logo",
    "public/robots.txt": "User-agent: *",
    "src/nav.tsx": nav,
    "src/pages/index.tsx": shown("Home"),
    "src/pages/list.tsx": shown("List"),
    "src/pages/embed/index.tsx": "export default () => <h1>For all</h1>;",
    "src/pages/embed/partner.tsx": "export default () => <h1>For a partner</h1>;",
    "src/pages/map.tsx": shown("Map"),
    "src/pages/map.server.ts": loading("/map", 'response.setHeader("Permissions-Policy", "geolocation=(self)");'),
    "src/pages/pay.tsx": shown("Pay"),
    "src/pages/pay.server.ts": loading(
      "/pay",
      'response.setHeader("Cross-Origin-Opener-Policy", "same-origin-allow-popups");',
    ),
    "src/pages/arabic.tsx": shown("Marhaban"),
    "src/pages/arabic.server.ts": loading("/arabic", 'response.setLanguage("ar");'),
    "src/pages/old.tsx": shown("This page has gone"),
    "src/pages/old.server.ts": loading("/old", "response.setStatus(410);"),
    "src/pages/older.tsx": shown("Older"),
    "src/pages/older.server.ts": loading("/older", "response.setStatus(410);\n  server.notFound();"),
  }),
});

/** Asks for the position as a page does. Without the policy's permission the browser refuses at once, with code 1. */
function position({ page }: Visitor): Promise<string> {
  return page.evaluate(
    () =>
      new Promise<string>((resolve) =>
        navigator.geolocation.getCurrentPosition(
          ({ coords }) => resolve(`at ${coords.latitude}`),
          ({ code }) => resolve(`refused ${code}`),
        ),
      ),
  );
}

const there = { geolocation: { latitude: 48, longitude: 9 }, permissions: ["geolocation"] };

test("geolocation is allowed on the page that asks for it and refused on its neighbours, whichever way leads there", async ({
  visit,
}) => {
  const visitor = (await visit("/", there)).expecting(/ermissions policy/);
  await visitor.isAwake();
  expect(await position(visitor)).toBe("refused 1");
  await visitor.clickLink("List");
  await visitor.sees("List");
  expect(visitor.documentsLoaded).toBe(1);
  await visitor.clickLink("Map");
  await visitor.sees("Map");
  expect(await lastFullLoad(visitor)).toBe("other-policy");
  expect(await position(visitor)).toBe("at 48");
  await visitor.isAwake();
  await visitor.clickLink("List");
  await visitor.sees("List");
  expect(await position(visitor)).toBe("refused 1");
  await visitor.page.goBack();
  await visitor.sees("Map");
  expect(await position(visitor)).toBe("at 48");
  await visitor.goTo("/list");
  expect(await position(visitor)).toBe("refused 1");
  await visitor.goTo("/map");
  expect(await position(visitor)).toBe("at 48");
});

test("a popup keeps its opener on the page that asks for it, and not on its neighbour", async ({ visit }) => {
  const visitor = await visit("/pay");
  // The popup is a page of another origin: its own headers are the usual ones of a shop's payment provider, none.
  await visitor.page
    .context()
    .route("https://pay.localhost.test/**", (route) =>
      route.fulfill({ contentType: "text/html", body: "<title>Provider</title>" }),
    );
  const openerFrom = async (): Promise<boolean> => {
    const [popup] = await Promise.all([
      visitor.page.context().waitForEvent("page"),
      visitor.page.evaluate(() => void window.open("https://pay.localhost.test/", "_blank")),
    ]);
    await popup.waitForURL("https://pay.localhost.test/");
    const hasOpener = await popup.evaluate(() => window.opener !== null);
    await popup.close();
    return hasOpener;
  };
  expect(await openerFrom()).toBe(true);
  await visitor.isAwake();
  await visitor.clickLink("List");
  await visitor.sees("List");
  expect(await openerFrom()).toBe(false);
});

test.for([
  ["Old", "/old", "This page has gone"],
  ["Older", "/older", "Page not found"],
] as const)(
  "%s is shown with status 410, by document and by soft navigation",
  async ([link, path, title], { visit }) => {
    const visitor = (await visit("/")).expecting(/410/);
    await visitor.isAwake();
    const answers = new Map<string, number>();
    visitor.page.on("response", (response) => {
      const { pathname } = new URL(response.url());
      if (pathname === path || pathname === `${path}/_data`) answers.set(pathname, response.status());
    });
    await visitor.clickLink(link);
    await visitor.sees(title);
    expect([visitor.address, visitor.documentsLoaded]).toEqual([path, 1]);
    const soft = await visitor.page.locator("main").textContent();
    await visitor.goTo(path);
    await visitor.sees(title);
    await visitor.isAlive();
    expect(await visitor.page.locator("main").textContent()).toBe(soft);
    expect(Object.fromEntries(answers)).toEqual({ [path]: 410, [`${path}/_data`]: 410 });
  },
);

test("headers of the configuration are those of pages and files", async ({ visit }) => {
  const visitor = await visit("/embed");
  const headersOf = async (path: string): Promise<(string | undefined)[]> => {
    const headers = (await visitor.page.request.get(visitor.proxy.url + path)).headers();
    return ["referrer-policy", "x-frame-options", "cache-control", "cross-origin-resource-policy"].map(
      (name) => headers[name],
    );
  };
  expect(await headersOf("/")).toEqual(["no-referrer", "SAMEORIGIN", "private, no-store", undefined]);
  expect(await headersOf("/embed")).toEqual(["no-referrer", undefined, "private, no-store", undefined]);
  const changed = ["no-referrer", "SAMEORIGIN", "public, max-age=86400", "cross-origin"];
  expect(await headersOf("/shown/logo.txt")).toEqual(changed);
  const usual = ["no-referrer", "SAMEORIGIN", "public, max-age=0, must-revalidate", "same-origin"];
  expect(await headersOf("/robots.txt")).toEqual(usual);
});

test("one other site may frame the page that names it, and no other page", async ({ app, browser }) => {
  const frames = ["/embed/partner", "/embed", "/pay"].map(
    (path) => `<iframe name="${path}" src="${app.url}${path}"></iframe>`,
  );
  const elsewhere = await serve(pages({ "/": frames.join("") }));
  const page = await browser.newPage();
  const framed = async (origin: string): Promise<(string | null)[]> => {
    await page.goto(origin);
    const titles = ["/embed/partner", "/embed", "/pay"].map(async (path) => {
      const frame = page.frame(path);
      await frame?.waitForLoadState();
      // A refused frame shows an error page of the browser.
      return frame?.url().startsWith(app.url) ? await frame.getByRole("heading").textContent() : "refused";
    });
    return await Promise.all(titles);
  };
  expect(await framed(elsewhere.url.replace("127.0.0.1", "localhost"))).toEqual([
    "For a partner",
    "For all",
    "refused",
  ]);
  expect(await framed(elsewhere.url)).toEqual(["refused", "For all", "refused"]);
  await page.close();
  await elsewhere.stop();
});

test("the language of a page comes and goes with it, by clicks and by Back", async ({ visit }) => {
  const visitor = await visit("/");
  const html = (): Promise<string> =>
    visitor.page.evaluate(() => `${document.documentElement.lang} ${document.documentElement.getAttribute("dir")}`);
  await visitor.isAwake();
  expect(await html()).toBe("en null");
  await visitor.clickLink("Arabic");
  await visitor.sees("Marhaban");
  expect(await html()).toBe("ar rtl");
  await visitor.clickLink("List");
  await visitor.sees("List");
  expect(await html()).toBe("en null");
  await visitor.page.goBack();
  await visitor.sees("Marhaban");
  expect(await html()).toBe("ar rtl");
  await visitor.page.goBack();
  await visitor.sees("Home");
  expect(await html()).toBe("en null");
  expect(visitor.documentsLoaded).toBe(1);
  await visitor.goTo("/arabic");
  await visitor.isAwake();
  expect(await html()).toBe("ar rtl");
});
