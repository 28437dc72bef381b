import { join } from "node:path";
import type { Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { root } from "../../scripts/root.js";
import { openTestApp } from "../../src/cli/testing.ts";
import { openBrowser } from "../kit/browser.ts";
import { bundleForBrowser } from "../kit/bundle-for-browser.ts";
import { application } from "../kit/index.ts";

const app = application({
  ".env": "SHOP_NAME=of all modes\n",
  ".env.test": "SHOP_NAME=from the file\n",
  "src/env.server.ts":
    'import { environment } from "holdfast/server";\nexport const env = environment({ SHOP_NAME: "text" });\n',
  "src/pages/index.tsx": "export default ({ data }: { data: { name: string } }) => <h1>{data.name}</h1>;\n",
  "src/pages/index.server.ts":
    'import { load } from "holdfast/server";\nimport { env } from "../env.server.ts";\nexport const data = load("/", () => ({ name: env.SHOP_NAME }));\n',
  "src/pages/broken.tsx": "export default () => <h1>never</h1>;\n",
  "src/pages/broken.server.ts":
    'import { load } from "holdfast/server";\n\nexport const data = load("/broken", (): never => {\n  throw new RangeError("no database");\n});\n',
});

async function open(say: (line: string) => void) {
  const opened = await openTestApp({ root: join(root, app), say });
  onTestFinished(() => opened.close());
  return opened;
}

test("an application in a test has the variables of its .env.test", async () => {
  const { request } = await open(() => undefined);
  expect((await request("/")).text).toContain("from the file");
});

test("an application in a test that responds with 500 explains why, in the terminal and to the test", async () => {
  const said: string[] = [];
  const opened = await open((line) => said.push(line));
  expect((await opened.request("/broken")).status).toBe(500);
  expect(opened.failures).toEqual([
    { name: "RangeError", message: "no database", place: "src/pages/broken.server.ts:4:9" },
  ]);
  expect(said.join("\n")).toContain("✗ RangeError in the load of /broken, on the server");
});

describe("a page of renderPage in a browser", () => {
  let code: string;
  let page: Page;
  const requests: string[] = [];

  beforeAll(async () => {
    code = await bundleForBrowser("tests/fixtures/stories/stories.tsx");
  });

  beforeEach(async () => {
    const browser = await openBrowser();
    onTestFinished(() => browser.close());
    page = await browser.newPage();
    await page.route("**", (route) => {
      const { pathname } = new URL(route.request().url());
      requests.push(pathname);
      if (pathname === "/code.js") return route.fulfill({ contentType: "text/javascript", body: code });
      return route.fulfill({
        contentType: "text/html",
        body: '<!doctype html><title>Stories</title><script type="module" src="/code.js"></script>',
      });
    });
    await page.goto("http://stories.example/iframe.html?id=order");
    await page.waitForFunction(() => "show" in globalThis);
    requests.length = 0;
  });

  const press = (name: string, nth = 0) => page.getByRole("button", { name }).nth(nth).click();

  test("records links, calls and forms, and shows the outcome of each action", async () => {
    await page.evaluate("shown = order('7'); shown.mount()");
    await page.getByRole("link", { name: "Next" }).click();
    await press("All");
    await press("Star");
    await expect.poll(() => page.locator("output").textContent()).toBe("done");
    await press("Rename");
    await page.getByText("Give it a name.").waitFor();
    await page.getByLabel("Name").fill("broken");
    await press("Rename");
    await page.getByText("7K2M-9QXD-4TBA").waitFor();
    await page.getByLabel("Name").fill("Lantern");
    await press("Rename");
    await page.getByText("It is Lantern").waitFor();
    // As with the real server, a form that was taken is emptied.
    await expect.poll(() => page.getByLabel("Name").inputValue()).toBe("");
    await page.getByLabel("Name").fill("gone");
    await press("Rename");
    const navigations = () => page.evaluate("shown.navigations");
    await expect.poll(navigations).toEqual([
      { to: "/orders/8", replace: false },
      { to: "/orders", replace: true },
      { to: "/orders", replace: false },
    ]);
    expect(await page.evaluate("shown.submissions.map(({ action, fields }) => [action, fields])")).toEqual([
      ["star", { id: "7" }],
      ...["", "broken", "Lantern", "gone"].map((name) => ["rename", { name }]),
    ]);
    await page.evaluate("shown.update({ data: { name: 'Lantern' } })");
    await page.getByRole("heading", { name: "Lantern" }).waitFor();
    await page.evaluate("shown.close()");
    expect(await page.locator("main").count()).toBe(0);
    expect(page.url()).toBe("http://stories.example/iframe.html?id=order");
    expect(requests).toEqual([]);
  });

  test("adds and removes rows and checks before sending, without a call", async () => {
    const texts = () =>
      page.locator("fieldset").evaluateAll((all) => all.map((row) => row.querySelector("input")?.value));
    await page.evaluate("shown = invoice(); shown.mount()");
    // A test may look right after the press, as after one of React's own handlers.
    expect(
      await page.evaluate(() => {
        const [, , add] = document.querySelectorAll("button");
        add?.click();
        return document.querySelectorAll("fieldset").length;
      }),
    ).toBe(2);
    await press("Add a line");
    for (const [at, text] of ["one", "two", "three"].entries()) await page.getByLabel(`Text ${at + 1}`).fill(text);
    for (const label of ["New 3", "Old 3"]) await page.getByLabel(label).check();
    await press("Remove 1");
    await expect.poll(texts).toEqual(["two", "three"]);
    await press("Save");
    await page.getByText("Say a city.").waitFor();
    expect(await page.evaluate("shown.submissions.length")).toBe(0);

    await page.getByLabel("City").fill("Rome");
    await press("Save");
    await page.getByText("Not this one.").waitFor();
    await press("Remove 1");
    await expect.poll(() => page.locator("fieldset").textContent()).toContain("Not this one.");
    expect(await texts()).toEqual(["three"]);
    await page.getByLabel("City").fill("Bonn");
    await press("Save");
    await expect.poll(() => page.locator("output").textContent()).toBe("done");
    expect(await texts()).toEqual([""]);
    const sent = await page.evaluate("shown.submissions.map(({ fields }) => fields)");
    expect(sent).toEqual([
      { city: "Rome", "lines[0].text": "two", "lines[1].text": "three", "lines[1].is[]": "old" },
      { city: "Bonn", "lines[0].text": "three", "lines[0].is[]": "old" },
    ]);
  });

  test("knows which of its forms have changed and were not sent, and forgets it with the page", async () => {
    const states = () => page.locator("em").allTextContents();
    await page.evaluate("root = show((shown = order('7')).element); show(order('7').element)");
    await expect.poll(states).toEqual(["saved", "saved"]);
    const name = page.getByLabel("Name").first();
    await name.fill("Lamp");
    expect(await states()).toEqual(["changed", "saved"]);
    await name.fill("");
    expect(await states()).toEqual(["saved", "saved"]);
    await name.fill("broken");
    await press("Rename");
    await page.getByText("7K2M-9QXD-4TBA").waitFor();
    expect(await states()).toEqual(["changed", "saved"]);
    await page.evaluate(() => document.querySelector("form")?.reset());
    await expect.poll(states).toEqual(["saved", "saved"]);
    await name.fill("Lantern");
    await press("Rename");
    await page.getByText("It is Lantern").waitFor();
    await expect.poll(states).toEqual(["saved", "saved"]);
    await name.fill("Lamp");
    await expect.poll(states).toEqual(["changed", "saved"]);
    await page.evaluate("root.unmount(); shown.mount()");
    await expect.poll(states).toEqual(["saved", "saved"]);
  });

  test("is a story: two of the same page do not disturb each other, and a call that belongs to neither says so", async () => {
    const errors: string[] = [];
    page.on("pageerror", ({ message }) => errors.push(message));
    await page.evaluate("first = order('7'); second = order('7'); root = show(first.element); show(second.element)");
    await page.getByLabel("Name").nth(1).fill("Lantern");
    await press("Rename", 1);
    await page.getByText("It is Lantern").waitFor();
    await press("Star", 1);
    await expect.poll(() => page.locator("output").nth(1).textContent()).toBe("done");
    expect(await page.locator("output").nth(0).textContent()).toBe("");
    expect(await page.evaluate("[first.submissions.length, second.submissions.length]")).toEqual([0, 2]);
    await press("All");
    await expect.poll(() => errors).toEqual([expect.stringContaining("2 pages of renderPage are shown")]);
    await page.evaluate("root.unmount()");
    await press("All");
    expect(await page.evaluate("second.navigations")).toEqual([{ to: "/orders", replace: true }]);
  });

  test("changes its search without the address bar of the tool that shows it", async () => {
    await page.evaluate("shown = filter(); show(shown.element)");
    await page.getByLabel("Words").fill("boot");
    expect(await page.getByLabel("Words").inputValue()).toBe("boot");
    await expect
      .poll(() => page.evaluate("shown.navigations"))
      .toEqual([{ to: "/goods?page=2&q=boot", replace: true }]);
    expect(page.url()).toBe("http://stories.example/iframe.html?id=order");
    await page.evaluate("document.body.replaceChildren(); show(goods())");
    await page.getByLabel("Words").waitFor();
  });
});
