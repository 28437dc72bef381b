import { expect } from "vitest";
import { journey, type Visitor } from "../kit/index.ts";

const test = journey({ app: "tests/fixtures/pages" });

/** What a fetcher of the page shows. */
const stateOf = async (visitor: Visitor, name: string): Promise<Record<string, unknown>> =>
  JSON.parse((await visitor.page.getByLabel(name).locator("output").textContent()) || "{}");

const press = (visitor: Visitor, name: string, button: string) =>
  visitor.page.getByLabel(name).getByRole("button", { name: button, exact: true }).click();

test("a fetcher loads another page's data for all that share it, by one request, and stays", async ({
  visit,
  proxy,
}) => {
  const visitor = await visit("/previews");
  await visitor.isAwake();
  const gate = proxy.when(/orders\/7\/_data/).hold();
  await press(visitor, "one", "Load 7");
  await gate.taken();
  await press(visitor, "two", "Load 7");
  for (const name of ["one", "two"]) await expect.poll(() => stateOf(visitor, name)).toMatchObject({ pending: true });
  gate.release();
  for (const name of ["one", "two"])
    await expect.poll(() => stateOf(visitor, name)).toMatchObject({ pending: false, data: { name: "Lamp" } });
  expect(visitor.requestsFor(/orders\/7\/_data/)).toHaveLength(1);
  expect([visitor.address, visitor.documentsLoaded]).toEqual(["/previews", 1]);
  // What was read is as good as prefetched; asking again is a request.
  await press(visitor, "one", "Load 7");
  await press(visitor, "two", "Reload");
  await expect.poll(() => visitor.requestsFor(/orders\/7\/_data/).length).toBe(2);
  // A newer load replaces the pending one, and the state stays with the component that is left.
  const slow = proxy.when(/orders\/8\/_data/).hold();
  await press(visitor, "one", "Load 8");
  await slow.taken();
  await visitor.pressButton("Hide");
  visitor.expecting(/404/);
  await press(visitor, "two", "Load missing");
  await expect.poll(() => stateOf(visitor, "two")).toMatchObject({ failure: { kind: "not-found", status: 404 } });
  expect(visitor.requestsFor(/orders\/8\/_data/).at(-1)?.end).not.toBe("complete");
});

test("a fetcher has a kind for each failure, with its digest, and a redirect of a guard leads nowhere", async ({
  visit,
}) => {
  const visitor = await visit("/previews");
  await visitor.isAwake();
  await press(visitor, "one", "Load moved");
  await expect.poll(() => stateOf(visitor, "one")).toMatchObject({ failure: { kind: "redirected" } });
  expect((await stateOf(visitor, "one")).failure).toMatchObject({ to: expect.stringMatching(/\/orders\/7$/) });
  visitor.expecting(/401/);
  await press(visitor, "one", "Load private");
  await expect.poll(() => stateOf(visitor, "one")).toMatchObject({ failure: { kind: "refused", status: 401 } });
  await press(visitor, "guarded", "Load guarded");
  await expect.poll(() => stateOf(visitor, "guarded")).toMatchObject({ kind: "redirected" });
  visitor.expecting(/500/);
  await press(visitor, "late", "Load broken");
  await expect
    .poll(() => stateOf(visitor, "late"))
    .toMatchObject({ kind: "failed", status: 500, digest: expect.stringMatching(/^\w{4}-\w{4}-\w{4}$/) });
  await press(visitor, "late", "Load late");
  await visitor.page.getByText("here at last").waitFor();
  expect([visitor.address, visitor.documentsLoaded]).toEqual(["/previews", 1]);
});

test("a fetcher whose connection is lost continues when it is back, and after a deploy the page is renewed", async ({
  visit,
  proxy,
}) => {
  const visitor = await visit("/previews");
  await visitor.isAwake();
  // Its code has loaded.
  await press(visitor, "one", "Load 8");
  await expect.poll(() => stateOf(visitor, "one")).toMatchObject({ data: { name: "Thing 8" } });
  visitor.expecting(/Failed to load resource|ERR_/);
  proxy.offline();
  await press(visitor, "one", "Load 7");
  await expect.poll(() => stateOf(visitor, "one")).toMatchObject({ pending: true, held: true });
  proxy.online();
  await expect.poll(() => stateOf(visitor, "one")).toMatchObject({ held: false, data: { name: "Lamp" } });
  const line = JSON.stringify({ build: "other", route: "/orders/[id]", fresh: 0, expires: 0, tag: "" });
  const type = "application/vnd.holdfast.page-data";
  proxy.when(/orders\/8\/_data|previews\/_data/).answer(200, `${line}\n`, { "content-type": type });
  await press(visitor, "one", "Load 8");
  await expect.poll(() => stateOf(visitor, "one")).toMatchObject({ data: { name: "Thing 8" } });
  await press(visitor, "one", "Reload");
  await expect.poll(() => visitor.documentsLoaded).toBe(2);
  await visitor.sees("Previews");
});

/** Every text that the optimistic value has had since. */
async function followShown(visitor: Visitor): Promise<() => Promise<string[]>> {
  const shown = visitor.page.getByLabel("shown");
  await shown.evaluate((output) => {
    const texts: string[] = [];
    new MutationObserver(() => texts.push(output.textContent ?? "")).observe(output, {
      characterData: true,
      childList: true,
      subtree: true,
    });
    Object.assign(window, { texts });
  });
  return () => visitor.page.evaluate(() => Reflect.get(window, "texts") as string[]);
}

const textOf = (visitor: Visitor, label: string) => visitor.page.getByLabel(label, { exact: true }).textContent();

for (const calls of ["queue", "parallel"])
  test(`an optimistic value shows all calls of a fetcher (${calls}) until the page does, and never flickers`, async ({
    visit,
    proxy,
  }) => {
    const visitor = await visit(`/stars/${calls}?calls=${calls}`);
    await visitor.isAwake();
    const texts = await followShown(visitor);
    const gate = proxy.when(/_action\/give/).hold();
    await visitor.pressButton("Give 1");
    await expect.poll(() => textOf(visitor, "shown")).toBe("1");
    await visitor.pressButton("Give 2");
    await gate.taken();
    await expect.poll(() => textOf(visitor, "shown")).toBe("3");
    expect([await textOf(visitor, "real"), await textOf(visitor, "shared")]).toEqual(["0", "pending"]);
    gate.release();
    await expect.poll(() => textOf(visitor, "real")).toBe("3");
    await expect.poll(() => textOf(visitor, "shared")).toBe("done");
    expect(await texts()).toEqual(["1", "3"]);
  });

test("an optimistic value is taken back with a message when its call fails, and others stay", async ({
  visit,
  proxy,
}) => {
  const visitor = await visit("/stars/failing");
  await visitor.isAwake();
  const texts = await followShown(visitor);
  visitor.expecting(/422/);
  const gate = proxy.when(/_action\/give/).hold();
  await visitor.pressButton("Give 13");
  await expect.poll(() => textOf(visitor, "shown")).toBe("13");
  await visitor.pressButton("Give 2");
  await expect.poll(() => textOf(visitor, "shown")).toBe("15");
  await gate.taken();
  gate.release();
  await expect.poll(() => textOf(visitor, "real")).toBe("2");
  const alert = visitor.page.getByRole("alert");
  expect(await alert.textContent()).toContain("Not thirteen.");
  expect(await visitor.page.locator("#message").textContent()).toBe("Not thirteen.");
  expect(await texts()).toEqual(["13", "15", "2"]);
  visitor.expecting(/500/);
  await visitor.pressButton("Give 14");
  await expect.poll(() => alert.textContent()).toMatch(/server-side exception.*\w{4}-\w{4}-\w{4}/);
  await alert.getByRole("button", { name: "Close" }).click();
  expect(await alert.count()).toBe(0);
  expect(await textOf(visitor, "shown")).toBe("2");
});

test("a page that revalidates itself polls while it is visible, once at a time, and waits for the connection", async ({
  app,
  visit,
  proxy,
}) => {
  const visitor = await visit("/stars/live?live");
  visitor.expecting(/ERR_|Failed to load/);
  const asked = () => visitor.requestsFor(/stars\/live\/_data/).length;
  await expect.poll(asked).toBeGreaterThan(1);
  // A slow answer is not asked for twice.
  const gate = proxy.when(/stars\/live\/_data/).hold();
  await gate.taken();
  const during = asked();
  await visitor.page.waitForFunction(
    (since) => performance.now() > since + 1_500,
    await visitor.page.evaluate(() => performance.now()),
  );
  expect(asked()).toBe(during);
  gate.release();
  await fetch(`${app.url}/stars/live/_action/give`, {
    method: "POST",
    body: new URLSearchParams({ more: "1" }),
    redirect: "manual",
  });
  await expect.poll(() => textOf(visitor, "real")).toBe("1");
  // A request that the page itself aborts shows no lost connection.
  const failed = visitor.page.waitForEvent("requestfailed", (one) => one.failure()?.errorText !== "net::ERR_ABORTED");
  proxy.offline();
  await failed;
  proxy.online();
  const lost = asked();
  await visitor.page.evaluate(() => dispatchEvent(new Event("online")));
  await expect.poll(asked).toBeGreaterThan(lost);
  await setHidden(visitor, true);
  const hidden = asked();
  await visitor.page.waitForFunction(
    (since) => performance.now() > since + 2_500,
    await visitor.page.evaluate(() => performance.now()),
  );
  expect(asked()).toBe(hidden);
  await setHidden(visitor, false);
  await expect.poll(asked).toBeGreaterThan(hidden);
  expect([await textOf(visitor, "real"), visitor.documentsLoaded]).toEqual(["1", 1]);
});

/** Headless Chromium counts every tab as visible, so the page itself says otherwise. */
async function setHidden(visitor: Visitor, isHidden: boolean): Promise<void> {
  await visitor.page.evaluate((value) => {
    Object.defineProperty(document, "hidden", { configurable: true, value });
    document.dispatchEvent(new Event("visibilitychange"));
  }, isHidden);
}

/** Hovers over a link until its page is prefetched. */
async function prefetch(visitor: Visitor, link: string, path: string): Promise<void> {
  await visitor.page.getByRole("link", { name: link }).hover();
  await expect.poll(() => visitor.requestsFor(`${path}/_data`).at(-1)?.end).toBe("complete");
}

test("an action that names what it has changed leaves everything else as it is, in all tabs", async ({ visit }) => {
  const visitor = await visit("/counts/t-a");
  const { page } = visitor;
  const tabs = { b: await page.context().newPage(), c: await page.context().newPage() };
  for (const [name, tab] of Object.entries(tabs)) {
    await tab.goto(new URL(`/counts/t-${name}`, page.url()).href);
    await tab.locator("#holdfast-announcer").waitFor({ state: "attached" });
  }
  await page.bringToFront();
  await visitor.isAwake();
  await prefetch(visitor, "Count b", "/counts/t-b");
  await prefetch(visitor, "Count c", "/counts/t-c");
  // The proxy's list: the browser's own events may come later than the responses.
  const allData = () => visitor.requestsFor(/counts\/t-.\/_data/).filter(({ method }) => method === "GET");
  const prefetched = allData().length;
  const data = () =>
    allData()
      .slice(prefetched)
      .map(({ path }) => path);
  await visitor.pressButton("Raise b");
  await page.getByText("done").waitFor();
  // A headless tab is always visible, so it follows at once.
  await expect.poll(() => tabs.b.locator("output").textContent()).toBe("1");
  expect(data()).toEqual(["/counts/t-b/_data"]);
  // What was prefetched and is not affected needs no request; what is affected does.
  await page.evaluate(() => document.querySelectorAll<HTMLElement>("main > a")[2]?.click());
  await visitor.sees("Count t-c");
  expect(data()).toEqual(["/counts/t-b/_data"]);
  await page.goBack();
  await visitor.sees("Count t-a");
  await page.evaluate(() => document.querySelectorAll<HTMLElement>("main > a")[1]?.click());
  await visitor.sees("Count t-b");
  expect(await page.locator("output").textContent()).toBe("1");
  expect(data()).toEqual(["/counts/t-b/_data", "/counts/t-b/_data"]);
  expect(visitor.documentsLoaded).toBe(1);
  // Without a name everything has changed.
  await visitor.pressButton("Raise b silently");
  await expect.poll(() => tabs.b.locator("output").textContent()).toBe("2");
  await expect.poll(() => data().filter((path) => path === "/counts/t-c/_data")).toHaveLength(1);
});

/** How often a load has run, as the page shows it. */
const loadsOf = async ({ page }: Visitor, label: string): Promise<number> =>
  Number((await page.getByLabel(label, { exact: true }).textContent())?.split(" ").at(-1));

/** Until the code for it is here, which loads when the browser is idle, every load runs. */
async function namesItsData(visitor: Visitor): Promise<void> {
  await visitor.isAwake();
  const next = async (name: string) => {
    await visitor.clickLink(`Page ${name}`);
    await visitor.sees(new RegExp(`^Page ${name} of`));
  };
  await expect
    .poll(async () => {
      for (const name of ["b", "a"]) await next(name);
      return visitor.requestsFor(/_keys/).length;
    })
    .toBeGreaterThan(0);
}

test("a layout's load runs again only when its parameter, its tag or its visitor has changed", async ({ visit }) => {
  const visitor = await visit("/teams/one/a");
  const { page } = visitor;
  const shown = (label: string) => page.getByLabel(label, { exact: true }).textContent();
  await namesItsData(visitor);
  const first = await loadsOf(visitor, "Team");
  for (const name of ["b", "c", "a", "b", "c"]) {
    await visitor.clickLink(`Page ${name}`);
    await visitor.sees(`Page ${name} of one`);
    expect(await shown("Team")).toBe(`one of nobody, loaded ${first}`);
  }
  // An action runs the loads that depend on what it has changed: the page's own, or that of the layout.
  const loadsOfPage = () => loadsOf(visitor, "Page");
  const before = await loadsOfPage();
  await visitor.pressButton("Change notes");
  await expect.poll(loadsOfPage).toBe(before + 1);
  expect(await loadsOf(visitor, "Team")).toBe(first);
  await page.getByRole("button", { name: "Change team", exact: true }).click();
  await expect.poll(() => loadsOf(visitor, "Team")).toBe(first + 1);
  expect(await loadsOfPage()).toBe(before + 1);
  await visitor.clickLink("Page a");
  await visitor.sees("Page a of one");
  expect(await shown("Team")).toBe(`one of nobody, loaded ${first + 1}`);
  await visitor.clickLink("Other team");
  await visitor.sees("Page a of two");
  expect(await shown("Team")).toBe("two of nobody, loaded 1");
  await visitor.clickLink("Sign in");
  await visitor.sees("Sign in");
  await visitor.fillIn("User", "ada");
  await visitor.pressButton("Enter");
  await visitor.sees("Page a of two");
  expect(await shown("Team")).toMatch(/^two of ada, loaded \d$/);
  const asAda = await shown("Team");
  await visitor.clickLink("Page b");
  await visitor.sees("Page b of two");
  expect(await shown("Team")).toBe(asAda);
  // The session has ended elsewhere, and this tab does not know it.
  await page.context().clearCookies();
  await visitor.clickLink("Page c");
  await visitor.sees("Page c of two");
  expect(await shown("Team")).toMatch(/^two of nobody, loaded \d$/);
  expect(visitor.documentsLoaded).toBe(1);
});

test("a page that calls an API route itself loads what the route has changed, in all tabs", async ({ visit }) => {
  const visitor = await visit("/teams/api/a");
  const tab = await visitor.page.context().newPage();
  await tab.goto(new URL("/teams/api/c", visitor.page.url()).href);
  await tab.locator("#holdfast-announcer").waitFor({ state: "attached" });
  await visitor.page.bringToFront();
  await namesItsData(visitor);
  const teamInTab = () => loadsOf({ page: tab } as Visitor, "Team");
  const before = { page: await loadsOf(visitor, "Page"), team: await loadsOf(visitor, "Team"), tab: await teamInTab() };
  await visitor.pressButton("Change team by a fetch");
  await expect.poll(() => loadsOf(visitor, "Team")).toBeGreaterThan(before.team);
  await expect.poll(teamInTab).toBeGreaterThan(before.tab);
  expect(await loadsOf(visitor, "Page")).toBe(before.page);
  const team = await loadsOf(visitor, "Team");
  await visitor.pressButton("Notes have changed");
  await expect.poll(() => loadsOf(visitor, "Page")).toBe(before.page + 1);
  expect(await loadsOf(visitor, "Team")).toBe(team);
  expect(visitor.documentsLoaded).toBe(1);
});

test("a field that saves itself says what was refused and what has failed, and saved only what was", async ({
  visit,
}) => {
  const visitor = (await visit("/text")).expecting(/422/, /500/);
  const { page } = visitor;
  await visitor.isAwake();
  const said = () => page.locator("output").textContent();
  const field = page.getByRole("textbox");
  expect(await said()).toBe("");
  await field.fill("far too long");
  await expect.poll(said).toBe("Nine letters at most.");
  expect(await field.getAttribute("aria-invalid")).toBe("true");
  await field.fill("short");
  await expect.poll(said).toBe("Saved");
  await field.fill("broken");
  await expect.poll(said).toBe("Not saved");
  await page.reload();
  expect(await field.inputValue()).toBe("short");
});
