import { expect } from "vitest";
import { application, journeyThrough } from "../kit/index.ts";
import { buildApp, startBuiltApp } from "../kit/running-app.ts";
import { pages, serve } from "../kit/small-server.ts";

const app = application({
  "holdfast.config.ts": `import type { HoldfastConfig } from "holdfast/server";
const oldServer = process.env.OLD_SERVER ?? "http://127.0.0.1:9";
export default {
  redirects: [
    { from: "/posts/old-name", to: "/posts/new-name", permanent: true },
    { from: "/articles/[name]", to: "/posts/[name]", permanent: true },
  ],
  rewrites: [
    { from: "/start", to: "/posts/welcome" },
    { from: "/[...rest]", to: \`\${oldServer}/[...rest]\` },
  ],
} satisfies HoldfastConfig;
`,
  "src/pages/index.tsx": `import { Link } from "holdfast";
export default () => (
  <main>
    <h1>Home</h1>
    <Link to="/posts/[name]" params={{ name: "old-name" }}>Renamed</Link> <a href="/articles/moved">Moved</a>{" "}
    <a href="/start">Start</a> <a href="/shop/socks">Socks</a>
  </main>
);
`,
  "src/pages/posts/[name].server.ts": `import { action, load } from "holdfast/server";
let loads = 0;
export const data = load("/posts/[name]", ({ params, url }) => ({ name: params.name, path: url.pathname, loads: ++loads }));
export const actions = { like: action({}, () => "liked") };
`,
  "src/pages/posts/[name].tsx": `import { Form, Link, type PageProps, revalidate } from "holdfast";
export default ({ data, actions }: PageProps<"/posts/[name]">) => (
  <main>
    <h1>Post {data.name}</h1>
    <p id="path">{data.path}</p>
    <p id="loads">{data.loads}</p>
    <button type="button" onClick={() => revalidate()}>Again</button>
    <Form action={actions.like}><button type="submit">Like</button></Form>
    <Link to="/">Home</Link>
  </main>
);
`,
});

const test = journeyThrough(async () => {
  await buildApp(app);
  const old = await serve(pages({ "/shop/socks": '<h1>Old socks</h1><a href="/">Home</a>' }));
  const running = await startBuiltApp({ app, env: { OLD_SERVER: old.url } });
  return {
    url: running.url,
    stop: async () => {
      await running.stop();
      await old.stop();
    },
  };
});

test("a click on a link to a renamed page is a soft navigation to its new address", async ({ visit }) => {
  const visitor = await visit("/");
  await visitor.isAwake();
  await visitor.clickLink("Renamed");
  await visitor.sees("Post new-name");
  expect([visitor.address, visitor.documentsLoaded]).toEqual(["/posts/new-name", 1]);
  await visitor.page.goBack();
  await visitor.sees("Home");
  await visitor.clickLink("Moved");
  await visitor.sees("Post moved");
  expect(visitor.address).toBe("/posts/moved");
});

test("a rewritten page is alive at the visitor's address, and works there", async ({ visit }) => {
  const visitor = await visit("/");
  await visitor.isAwake();
  await visitor.clickLink("Start");
  await visitor.sees("Post welcome");
  await visitor.isAwake();
  expect([visitor.address, await visitor.page.locator("#path").textContent()]).toEqual(["/start", "/start"]);
  const before = await visitor.page.locator("#loads").textContent();
  const { documentsLoaded } = visitor;
  await visitor.pressButton("Again");
  await expect.poll(() => visitor.page.locator("#loads").textContent()).not.toBe(before);
  await visitor.pressButton("Like");
  await visitor.page
    .locator("#loads")
    .filter({ hasText: String(Number(before) + 2) })
    .waitFor();
  expect([visitor.address, visitor.documentsLoaded]).toEqual(["/start", documentsLoaded]);
  await visitor.clickLink("Home");
  await visitor.sees("Home");
  expect(visitor.documentsLoaded).toBe(documentsLoaded);
  await visitor.page.goBack();
  await visitor.sees("Post welcome");
  expect(visitor.address).toBe("/start");
});

test("what no page has is shown by the old server, at the same address", async ({ visit }) => {
  const visitor = await visit("/");
  await visitor.isAwake();
  await visitor.clickLink("Socks");
  await visitor.sees("Old socks");
  expect(visitor.address).toBe("/shop/socks");
  await visitor.clickLink("Home");
  await visitor.sees("Home");
  await visitor.isAlive();
});
