import { expect } from "vitest";
import { journey, keptDigests, type Visitor, withoutJavaScript } from "../kit/index.ts";

const test = journey({ app: "tests/fixtures/forms" }).extend("board", async ({ visit }) => {
  return async (name: string): Promise<Visitor> => visit(`/b/${name}`, withoutJavaScript);
});

/** Texts on the board, from its list. */
async function listed(visitor: Visitor): Promise<string[]> {
  return visitor.page.locator("li > span").allTextContents();
}

const times = (texts: readonly string[], text: string): number => texts.filter((one) => one.includes(text)).length;

test("a refusal shows only in the row that was sent, with its input", async ({ board }) => {
  const visitor = (await board("rows")).expecting(/422/);
  const { page } = visitor;
  await visitor.fillIn("Name 1", "Item 3");
  await visitor.fillIn("Name 2", "Item 3");
  await visitor.pressButton("Rename 2");
  const second = page.getByRole("form", { name: "Rename 2" });
  await second.getByText("There is one of this name.").first().waitFor();
  const inSecond = await second.getByText("There is one of this name.").count();
  expect(await page.getByText("There is one of this name.").count()).toBe(inSecond);
  expect(await page.getByLabel("Name 2", { exact: true }).inputValue()).toBe("Item 3");
  expect(await page.getByLabel("Name 1", { exact: true }).inputValue()).toBe("");

  await visitor.pressButton("Rename 1");
  await page.getByRole("alert").waitFor();
  expect(await page.getByRole("form", { name: "Rename 1" }).textContent()).toContain("A name is needed.");
  expect(await page.getByText("There is one of this name.").count()).toBe(0);
  const ids = await page.locator("[id]").evaluateAll((all) => all.map(({ id }) => id));
  expect(new Set(ids).size).toBe(ids.length);
});

test("a result shows only in the form that was sent, and the form is emptied", async ({ board }) => {
  const visitor = await board("done");
  await visitor.fillIn("New", "One");
  await visitor.pressButton("Add");
  await visitor.page.getByRole("form", { name: "Add", exact: true }).getByText("done").waitFor();
  expect(await visitor.page.getByText("done").count()).toBe(1);
  expect(await visitor.page.getByLabel("New", { exact: true }).inputValue()).toBe("");
  expect(await listed(visitor)).toContain("One (0)");
});

test("a double click is one item, and a reload is none", async ({ board }) => {
  const visitor = await board("double");
  await visitor.fillIn("New", "One");
  await visitor.page.getByRole("button", { name: "Add", exact: true }).dblclick();
  await visitor.page.getByText("One (0)").waitFor();
  await visitor.page.reload();
  expect(times(await listed(visitor), "One (0)")).toBe(1);
});

test("pressed twice before the response, a form is submitted once", async ({ board, proxy }) => {
  const visitor = await board("twice");
  await visitor.fillIn("Slow", "Only once");
  await visitor.fillIn("Milliseconds", "700");
  // Chromium itself drops the second press of a double click. A later second press is another request.
  const press = () => visitor.page.getByRole("button", { name: "Add slowly" }).click({ noWaitAfter: true });
  await press();
  await expect.poll(() => proxy.requestsFor(/_action\/addSlowly/).length).toBe(1);
  await press();
  await expect.poll(() => proxy.requestsFor(/_action\/addSlowly/).length).toBe(2);
  await expect.poll(async () => times(await listed(visitor), "Only once")).toBe(1);
  await visitor.goTo("/b/twice");
  expect(times(await listed(visitor), "Only once")).toBe(1);
});

test("sent again after Back, a form is submitted once; with other text it is another submission", async ({
  board,
  proxy,
}) => {
  const visitor = await board("back");
  // The document from the browser's cache, with its key.
  const { page } = visitor;
  const key = await page.locator("input[name=_key]").first().inputValue();
  const sendFromOldDocument = async (text: string): Promise<void> => {
    await visitor.fillIn("New", text);
    await page.locator("form[aria-label=Add] input[name=_key]").evaluate((input, old) => {
      (input as HTMLInputElement).value = old;
    }, key);
    await visitor.pressButton("Add");
    await page.getByText("done").waitFor();
  };
  await sendFromOldDocument("First");
  await sendFromOldDocument("First");
  expect(times(await listed(visitor), "First")).toBe(1);
  await sendFromOldDocument("Second");
  await sendFromOldDocument("Second");
  expect([times(await listed(visitor), "First"), times(await listed(visitor), "Second")]).toEqual([1, 1]);
  expect(proxy.requestsFor(/_action\/add\b/)).toHaveLength(4);
});

test("each document has its own key, so that the same text on the next page is another submission", async ({
  board,
}) => {
  const visitor = await board("keys");
  for (const _ of [1, 2]) {
    await visitor.fillIn("New", "Same");
    await visitor.pressButton("Add");
    await visitor.page.getByText("done").waitFor();
  }
  expect(times(await listed(visitor), "Same")).toBe(2);
});

test("reloading the answer to a form that was refused sends nothing twice", async ({ board, proxy }) => {
  const visitor = (await board("reload")).expecting(/500/, /500/);
  await visitor.fillIn("Hopeless", "Typed");
  await visitor.pressButton("Try");
  await visitor.page.getByText("A server-side exception has occurred.").waitFor();
  const digest = await visitor.digestShown();
  await visitor.page.reload();
  expect(await visitor.digestShown()).toBe(digest);
  expect(proxy.requestsFor(/_action\/refuse/)).toHaveLength(2);
});

test("an action that throws leaves the page, its input, and the digest of its event in its form", async ({
  board,
  app,
}) => {
  const visitor = (await board("throws")).expecting(/500/);
  await visitor.fillIn("Hopeless", "Typed with care");
  await visitor.pressButton("Try");
  await visitor.sees("Board");
  const form = visitor.page.getByRole("form", { name: "Try" });
  expect(await form.textContent()).toContain("A server-side exception has occurred.");
  expect(await visitor.page.getByLabel("Hopeless").inputValue()).toBe("Typed with care");
  const digest = await visitor.digestShown();
  await expect.poll(() => keptDigests(app.dataFolder)).toContain(digest);
});

test("an action that succeeded and whose page cannot be loaded is reported as received", async ({ board }) => {
  const visitor = (await board("broken")).expecting(/500/);
  await visitor.fillIn("Last", "Kept all the same");
  await visitor.fillIn("Loads", "1");
  await visitor.pressButton("Add and break");
  const notice = visitor.page.locator("noscript [role=status]");
  await notice.waitFor();
  expect(await notice.textContent()).toContain("What you sent was received.");
  await visitor.clickLink("Reload");
  await visitor.sees("Board");
  expect(times(await listed(visitor), "Kept all the same")).toBe(1);
});
