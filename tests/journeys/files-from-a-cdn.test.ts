import { expect } from "vitest";
import { application, journey, type Visitor } from "../kit/index.ts";

const cdn = "https://cdn.example.org/shop";

const page = (title: string, other: string): string => `import { Link } from "holdfast";
import { useState } from "react";
import dot from "../dot.svg?no-inline";
import "../look.css";
export default function Page() {
  const [count, setCount] = useState(0);
  return (
    <main>
      <h1>${title}</h1>
      <img src={dot} alt="A dot" />
      <button onClick={() => setCount(count + 1)}>Count {count}</button>
      <Link to="${other}">Other</Link>
    </main>
  );
}
`;

const test = journey({
  app: application({
    // Only the build knows it: a server that is started without the setting must allow the files all the same.
    "holdfast.config.ts": `export default { assets: process.argv.includes("build") ? "${cdn}" : undefined };\n`,
    "src/env.d.ts": '/// <reference types="vite/client" />\n',
    "src/dot.svg": '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><circle r="4" cx="4" cy="4"/></svg>\n',
    "src/look.css": 'h1 { color: rgb(255, 0, 0); background: url("./dot.svg?no-inline"); }\n',
    "src/pages/index.tsx": page("Home", "/second"),
    "src/pages/second.tsx": page("Second", "/"),
    "src/pages/kept.tsx": page("Kept", "/"),
    "src/pages/kept.server.ts": 'export const cache = "public, max-age=60";\n',
  }),
});

type Has = (path: string) => boolean;

/** A CDN that fetches from the application what it has, as its origin. Returns what browsers asked it for. */
async function openCdn({ page }: Visitor, application: string, has: Has = () => true): Promise<string[]> {
  const asked: string[] = [];
  await page.route(`${cdn}/**`, async (route) => {
    const path = route.request().url().slice(cdn.length);
    asked.push(path);
    if (!has(path)) return route.abort("connectionrefused");
    const answer = await fetch(application + path);
    const headers = Object.fromEntries(answer.headers);
    delete headers["content-encoding"];
    await route.fulfill({ status: answer.status, headers, body: Buffer.from(await answer.arrayBuffer()) });
  });
  return asked;
}

const colourOf = ({ page }: Visitor): Promise<string> =>
  page.locator("h1").evaluate((heading) => getComputedStyle(heading).color);

const red = "rgb(255, 0, 0)";

test("scripts, styles, fonts and images come from the CDN, and a click needs no new document", async ({
  visit,
  app: { url },
}) => {
  for (const path of ["/", "/kept"]) {
    const visitor = await visit("/healthz");
    const asked = await openCdn(visitor, url);
    await visitor.goTo(path);
    await visitor.isAwake();
    expect(await colourOf(visitor)).toBe(red);
    await visitor.pressButton("Count 0");
    await visitor.page.getByText("Count 1").waitFor();
    const image = visitor.page.getByAltText("A dot");
    expect(await image.evaluate((one: HTMLImageElement) => one.complete && one.naturalWidth)).toBe(9);
    await visitor.clickLink("Other");
    await visitor.sees(path === "/" ? "Second" : "Home");
    expect(visitor.documentsLoaded).toBe(2);
    for (const kind of [/entry-.*\.js$/, /\.css$/, /dot-.*\.svg$/])
      expect(asked.filter((one) => kind.test(one))).not.toEqual([]);
    expect(visitor.requestsFor(/_assets/)).toEqual([]);
  }
});

test("without the CDN the page has its styles and its code from the application", async ({ visit, app: { url } }) => {
  const visitor = (await visit("/healthz")).expecting(/ERR_CONNECTION_REFUSED/, /page error/);
  await openCdn(visitor, url, (path) => path.endsWith(".svg"));
  await visitor.goTo("/");
  await visitor.isAwake();
  await expect.poll(() => colourOf(visitor)).toBe(red);
  await visitor.pressButton("Count 0");
  await visitor.page.getByText("Count 1").waitFor();
  await visitor.clickLink("Other");
  await visitor.sees("Second");
  expect(visitor.documentsLoaded).toBe(2);
});

test("a page whose code the CDN does not have is loaded in full", async ({ visit, app: { url } }) => {
  const visitor = (await visit("/healthz")).expecting(/ERR_CONNECTION_REFUSED/);
  let isGone = true;
  await openCdn(visitor, url, (path) => !(isGone && path.includes("second")));
  await visitor.goTo("/");
  await visitor.isAwake();
  await visitor.enterLink("Other");
  await expect.poll(() => visitor.documentsLoaded).toBe(3);
  isGone = false;
  await visitor.sees("Second");
});

test("the files of the application may be used by the CDN and its pages", async ({ app: { url } }) => {
  const document = await (await fetch(url)).text();
  const entry =
    /import\(u\)/.test(document) && /"(https:\/\/cdn\.example\.org\/shop\/_assets\/entry-[^"]+)"/.exec(document)?.[1];
  const answer = await fetch(url + String(entry).slice(cdn.length));
  expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
  expect(answer.headers.get("cross-origin-resource-policy")).toBe("cross-origin");
});
