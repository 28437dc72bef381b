import { describe, expect } from "vitest";
import { application, journey, keptDigests, withoutJavaScript } from "../kit/index.ts";

/** An application without its own error page. */
const test = journey({
  app: application({
    "holdfast.config.ts": "export default { visitorAnswers: false };",
    "src/pages/_layout.tsx": `
import { Link } from "holdfast";
import type { ReactNode } from "react";
export default function Root({ children }: { children: ReactNode }) {
  return <><header><Link to="/">Start</Link> <Link to="/shop/broken" search={{ q: "tea" }}>Broken</Link> <Link to="/shop/late">Late</Link> <input aria-label="Find" /></header><main>{children}</main></>;
}`,
    "src/pages/index.tsx": "export default function Home() { return <h1>Home</h1>; }",
    "src/pages/shop/_layout.tsx": `
import type { ReactNode } from "react";
export default function Shop({ children }: { children: ReactNode }) { return <section aria-label="Shop">{children}</section>; }`,
    "src/pages/shop/broken.server.ts": `
import { load } from "holdfast/server";
export const data = load("/shop/broken", () => { throw new Error("The shelf has fallen."); });`,
    "src/pages/shop/broken.tsx": "export default function Broken() { return <h1>Never</h1>; }",
    "src/pages/shop/late.server.ts": `
import { setTimeout as wait } from "node:timers/promises";
import { load } from "holdfast/server";
export const data = load("/shop/late", ({ url }) => ({ part: late(Number(url.searchParams.get("ms") ?? 200)) }));
async function late(ms: number): Promise<string> { await wait(ms); throw new Error("SECRET of the late part"); }`,
    "src/pages/shop/late.tsx": `
import { Await } from "holdfast";
export default function Late({ data }: PageProps<"/shop/late">) {
  return <><title>Late</title><h1>Late</h1><input aria-label="Note" /><div id="part"><Await value={data.part} fallback={<p>waiting</p>}>{(part) => <p>{part}</p>}</Await></div>
    <div id="own"><Await value={data.part} fallback={<p>waiting</p>} error={({ digest }) => <b>own words {digest}</b>}>{(part) => <p>{part}</p>}</Await></div><p>the end</p></>;
}`,
    "src/pages/shop/slow.server.ts": `
import { setTimeout as wait } from "node:timers/promises";
import { load } from "holdfast/server";
export const data = load("/shop/slow", () => ({ part: wait(200, "the late part") }));`,
    "src/pages/shop/slow.tsx": `
import { Await } from "holdfast";
export default function Slow({ data }: PageProps<"/shop/slow">) {
  return <><h1>Slow</h1><div id="part"><Await value={data.part} fallback={<p>waiting</p>}>{(part) => <p>{part}</p>}</Await></div><p>the end</p></>;
}`,
    "src/pages/shop/here.tsx": `
import { Await } from "holdfast";
import { useState } from "react";
export default function Here() {
  const [step, setStep] = useState(0);
  if (step > 1) throw new Error("The browser's mistake.");
  return <><h1>Here</h1><button type="button" onClick={() => setStep(step + 1)}>Part</button><button type="button" onClick={() => setStep(2)}>Page</button>
    <div id="part"><Await value={step}>{(count) => { if (count === 1) throw new Error("The part's mistake."); return <p>part {count}</p>; }}</Await></div></>;
}`,
    "src/pages/notes/[id].server.ts": `
import { load, notFound } from "holdfast/server";
export const data = load("/notes/[id]", () => notFound());`,
    "src/pages/notes/[id].tsx": "export default function Note() { return <h1>Note</h1>; }",
    "src/pages/notes/[id]/edit.tsx": "export default function Edit() { return <h1>Edit</h1>; }",
    "src/pages/books/index.tsx": "export default function Books() { return <h1>Books</h1>; }",
  }),
});

/** An application with a page of its own for errors, which fails, and one for addresses without a page. */
const testOwn = journey({
  app: application({
    "src/pages/_error.tsx": 'export default function Failed() { throw new Error("The error page fails."); }',
    "src/pages/_not-found.tsx": "export default function Nowhere() { return <h1>Nowhere</h1>; }",
    "src/pages/index.tsx": `
import { useState } from "react";
export default function Home() {
  const [isBroken, setBroken] = useState(false);
  if (isBroken) throw new Error("The browser's mistake.");
  return <><h1>Home</h1><button type="button" onClick={() => setBroken(true)}>Break</button></>;
}`,
  }),
});

const bothWays = [
  ["with", {}],
  ["without", withoutJavaScript],
] as const;

describe("the built-in error page", () => {
  test.for(bothWays)(
    "%s JavaScript stays inside the layouts that are well, and reloads the same address",
    async ([how, options], { visit, proxy, app }) => {
      const visitor = await visit("/", options);
      visitor.expecting(/500/);
      if (how === "with") await visitor.isAlive();
      await visitor.page.getByLabel("Find").fill("green tea");
      await visitor.clickLink("Broken");
      await visitor.sees("Application error");
      const shop = visitor.page.getByRole("region", { name: "Shop" });
      await shop.getByText("A server-side exception has occurred.").waitFor();
      const digest = (await visitor.digestShown()) ?? "none";
      // The log alone also contains the digest and the error.
      await expect
        .poll(() => app.log.split("\n").find((line) => line.includes(digest)))
        .toMatch(/"status":500.*"error":"Error: The shelf has fallen\."/);
      expect(await visitor.page.getByRole("main").count()).toBe(1);
      // With the same document, other input is kept.
      if (how === "with") expect(await visitor.page.getByLabel("Find").inputValue()).toBe("green tea");
      const before = proxy.requestsFor(/^\/shop\/broken\?q=tea$/).length;
      await visitor.clickLink("Reload");
      await expect.poll(() => proxy.requestsFor(/^\/shop\/broken\?q=tea$/).length).toBe(before + 1);
      await visitor.sees("Application error");
      expect(visitor.address).toBe("/shop/broken?q=tea");
      await visitor.clickLink("Start");
      await visitor.sees("Home");
    },
  );

  test("the built-in error page of a component that breaks in the browser stays inside the layouts too", async ({
    visit,
    app,
  }) => {
    const visitor = await visit("/shop/here");
    await visitor.isAlive();
    await visitor.page.getByLabel("Find").fill("green tea");
    await visitor.pressButton("Page");
    await visitor.sees("Application error");
    await visitor.page
      .getByRole("region", { name: "Shop" })
      .getByText("A client-side exception has occurred.")
      .waitFor();
    expect(await visitor.page.getByLabel("Find").inputValue()).toBe("green tea");
    const digest = (await visitor.digestShown()) ?? "none";
    await expect.poll(() => keptDigests(app.dataFolder)).toContain(digest);
    await visitor.clickLink("Start");
    await visitor.sees("Home");
    expect(visitor.documentsLoaded).toBe(1);
  });

  test.for(bothWays)("%s JavaScript offers only links that work", async ([, options], { visit, app }) => {
    for (const [path, up] of [
      ["/notes/7", []],
      ["/notes/7/nothing", []],
      ["/books/7", ["Up to /books"]],
      ["/books/7/8", ["Up to /books"]],
      ["/nowhere", []],
    ] as const) {
      const visitor = await visit(path, options);
      visitor.expecting(/404/);
      await visitor.sees("Page not found");
      const ways = visitor.page.getByRole("navigation", { name: "Ways out" }).getByRole("link");
      expect([path, await ways.allTextContents()]).toEqual([path, [...up, "Home"]]);
      for (const way of await ways.all()) {
        const href = (await way.getAttribute("href")) ?? "";
        expect([href, (await fetch(app.url + href)).status]).toEqual([href, 200]);
      }
    }
  });
});

test("the digest is copied, or else selected, also where the clipboard is denied or missing, and nothing is reported", async ({
  visit,
}) => {
  const visitor = (await visit("/shop/broken")).expecting(/500/);
  const { page } = visitor;
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const clipboards = ["", "denied", "missing", "none"] as const;
  for (const clipboard of clipboards) {
    await page.reload();
    await visitor.isAlive();
    const shown = (await visitor.digestShown()) ?? "none";
    await page.evaluate((how) => {
      const denied = {
        writeText: () => Promise.reject(new DOMException("Write permission denied.", "NotAllowedError")),
      };
      const { clipboard } = navigator;
      Object.assign(window, { readCopied: () => clipboard.readText() });
      if (how !== "") Object.defineProperty(navigator, "clipboard", { value: how === "denied" ? denied : undefined });
      if (how === "none") document.execCommand = () => false;
    }, clipboard);
    await visitor.pressButton("Copy");
    await page.getByRole("button", { name: clipboard === "none" ? "Selected, not copied" : "Copied" }).waitFor();
    if (clipboard === "none") expect(await page.evaluate(() => String(getSelection()))).toBe(shown);
    else expect(await page.evaluate("readCopied()")).toBe(shown);
  }
});

describe("an error page that fails", () => {
  testOwn(
    "an error page that fails is replaced by the built-in page, which is fetched only then",
    async ({ visit, proxy, app }) => {
      const visitor = await visit("/");
      await visitor.isAwake();
      expect(proxy.requestsFor(/later-/).length).toBeGreaterThan(0);
      expect(proxy.requestsFor(/built-in-page-/)).toEqual([]);
      await visitor.pressButton("Break");
      await visitor.page.getByRole("navigation", { name: "Ways out" }).waitFor();
      const digest = (await visitor.digestShown()) ?? "none";
      await expect.poll(() => keptDigests(app.dataFolder)).toContain(digest);
      expect(proxy.requestsFor(/built-in-page-/).length).toBe(1);
    },
  );

  testOwn(
    "an error page that fails is replaced by words and the digest where the built-in page cannot be fetched",
    async ({ visit, proxy, app }) => {
      proxy.when(/built-in-page-/).status(404);
      const visitor = await visit("/");
      visitor.expecting(/404/);
      await visitor.isAlive();
      await visitor.pressButton("Break");
      await visitor.page.getByText("A client-side exception has occurred.").waitFor();
      const digest = (await visitor.digestShown()) ?? "none";
      await expect.poll(() => keptDigests(app.dataFolder)).toContain(digest);
    },
  );
});

test("visitors are not offered an answer where the configuration gives none", async ({ visit }) => {
  const visitor = (await visit("/shop/broken")).expecting(/500/);
  const digest = await visitor.digestShown();
  expect(await visitor.page.getByRole("link", { name: /repaired/ }).count()).toBe(0);
  const answer = await visitor.page.request.get(new URL(`/_holdfast/answer/${digest}`, visitor.page.url()).href);
  expect(answer.status()).toBe(404);
});

test("without JavaScript a part that arrives late is shown at the end of the page, and its fallback stays", async ({
  visit,
}) => {
  const { page } = await visit("/shop/slow", withoutJavaScript);
  await page.getByText("the late part").waitFor();
  expect(await page.locator("#part").textContent()).toBe("waiting");
  const top = async (text: string) => (await page.getByText(text).boundingBox())?.y ?? 0;
  expect(await top("the late part")).toBeGreaterThan(await top("the end"));
  const scripted = await visit("/shop/slow");
  await scripted.page.locator("#part").getByText("the late part").waitFor();
});

describe("a late part that fails", () => {
  test("is reported in its place, and the rest of the page is unaffected", async ({ visit, app }) => {
    const before = keptDigests(app.dataFolder);
    const visitor = await visit("/shop/late");
    await visitor.isAlive();
    await visitor.page.getByLabel("Note").fill("half a sentence");
    const part = visitor.page.locator("#part");
    await part.getByText("This part of the page could not be loaded.").waitFor();
    const digest = (await visitor.digestShown()) ?? "none";
    await visitor.page.getByText(`own words ${digest}`).waitFor();
    await visitor.sees("Late");
    await visitor.page.getByText("the end").waitFor();
    expect(await visitor.page.getByLabel("Note").inputValue()).toBe("half a sentence");
    // One failure is one event, however often it is shown.
    expect(keptDigests(app.dataFolder).filter((one) => !before.includes(one))).toEqual([digest]);
    expect(await visitor.page.content()).not.toContain("SECRET");
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });

  test("is the same after a click", async ({ visit }) => {
    const visitor = await visit("/");
    await visitor.isAlive();
    await visitor.clickLink("Late");
    await visitor.sees("Late");
    await visitor.page.locator("#part").getByText("This part of the page could not be loaded.").waitFor();
    await visitor.page.getByText("the end").waitFor();
    expect(visitor.documentsLoaded).toBe(1);
    expect(await visitor.digestShown()).toBeDefined();
  });

  test.for([200, 0])(
    "is in its place without JavaScript, also when it fails after %s ms",
    async (ms, { visit, app }) => {
      const visitor = await visit(`/shop/late?ms=${ms}`, withoutJavaScript);
      await visitor.page.getByText("This part of the page could not be loaded.").waitFor();
      expect(keptDigests(app.dataFolder)).toContain(await visitor.digestShown());
      await visitor.sees("Late");
      expect((await fetch(`${app.url}/shop/late?ms=${ms}`)).status).toBe(200);
    },
  );

  test("is reported by the browser if it fails there, and shown in its place", async ({ visit, app }) => {
    const visitor = await visit("/shop/here");
    await visitor.isAlive();
    await visitor.pressButton("Part");
    await visitor.page.locator("#part").getByText("This part of the page could not be loaded.").waitFor();
    await visitor.sees("Here");
    await expect.poll(() => keptDigests(app.dataFolder)).toContain(await visitor.digestShown());
  });
});
