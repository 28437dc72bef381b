import type { Page } from "playwright-core";
import { expect } from "vitest";
import { journey, withoutJavaScript } from "../kit/index.ts";

const test = journey({ app: "tests/fixtures/pages" });

test("quick typing is one request for the last value, in the address at once, with focus and scroll where they were", async ({
  visit,
  proxy,
}) => {
  const visitor = await visit("/catalogue?page=2&utm_source=mail");
  await visitor.isAwake();
  const { page } = visitor;
  const words = page.getByLabel("Words");
  await words.click();
  const scrolled = await page.evaluate(() => scrollY);
  expect(scrolled).toBeGreaterThan(0);
  // The first answer arrives after the last key, whatever the pauses between them.
  const gate = proxy.when(/catalogue\/_data/).hold();
  await words.pressSequentially("boo");
  await expect.poll(() => visitor.address).toBe("/catalogue?utm_source=mail&q=boo");
  await gate.taken();
  await words.pressSequentially("k 2");
  expect(await words.inputValue()).toBe("book 2");
  gate.release();
  await page.getByText("5 found").waitFor();
  expect(visitor.address).toBe("/catalogue?utm_source=mail&q=book+2");
  expect(await words.inputValue()).toBe("book 2");
  expect(await words.evaluate((field) => field === document.activeElement)).toBe(true);
  expect(await page.evaluate(() => scrollY)).toBe(scrolled);
  expect(visitor.documentsLoaded).toBe(1);
  expect(proxy.requestsFor(/_data\?.*q=book\+2$/)).toHaveLength(1);
  // One entry of the history has them all.
  await page.reload();
  await page.getByText("5 found").waitFor();
  expect(await words.inputValue()).toBe("book 2");
});

test("a change with an entry of its own is undone by Back, and a click right after typing loses nothing", async ({
  visit,
}) => {
  const visitor = await visit("/catalogue");
  await visitor.isAwake();
  const { page } = visitor;
  await visitor.pressButton("Open only");
  await page.getByRole("button", { name: "All" }).waitFor();
  await expect.poll(() => visitor.address).toBe("/catalogue?open=false");
  await page.goBack();
  await page.getByRole("button", { name: "Open only" }).waitFor();
  expect(visitor.address).toBe("/catalogue");
  await page.getByLabel("Words").fill("lamp");
  await page.evaluate(() => document.querySelector<HTMLElement>("main > a")?.click());
  await page.getByText('"page":2').waitFor();
  expect(visitor.address).toBe("/catalogue?q=lamp&page=2");
  await page.goBack();
  await page.getByText('"page":1').waitFor();
  expect(visitor.address).toBe("/catalogue?q=lamp");
  await page.getByText("20 found").waitFor();
  expect(await page.getByLabel("Words").inputValue()).toBe("lamp");
  expect(visitor.documentsLoaded).toBe(1);
});

test("without JavaScript the same form and the same links lead to the same addresses", async ({ visit }) => {
  const visitor = await visit("/catalogue", withoutJavaScript);
  const { page } = visitor;
  await visitor.fillIn("Words", "boot");
  await visitor.fillIn("Since", "2026-01-01");
  await page.getByLabel("Red").check();
  await visitor.pressButton("Find");
  await page.getByText("20 found").waitFor();
  expect(await page.locator("#read").textContent()).toBe('{"page":1,"tag":["red"],"from":"2026-01-01T00:00:00.000Z"}');
  await visitor.clickLink("Next");
  await page.getByText('"page":2').waitFor();
  expect(visitor.address).toBe("/catalogue?q=boot&page=2&tag=red&from=2026-01-01");
  await visitor.clickLink("First");
  await page.getByText('"page":1').waitFor();
  expect(visitor.address).toBe("/catalogue?q=boot&tag=red&from=2026-01-01");
});

for (const [scripts, options] of [
  ["with", {}],
  ["without", withoutJavaScript],
] as const) {
  test(`a page ${scripts} JavaScript has the numbers that its schema reads in the address`, async ({ visit }) => {
    const visitor = await visit("/items/7", options);
    if (scripts === "with") await visitor.isAwake();
    const { page } = visitor;
    const read = page.locator("#read");
    expect(await read.textContent()).toBe('[{"item":7},8,14,{"item":"7"}]');
    await visitor.clickLink("Next");
    await visitor.sees("Item 8");
    await expect.poll(() => read.textContent()).toBe('[{"item":8},9,16,{"item":"8"}]');
    await visitor.pressButton("Half");
    await page.getByText("The half is 4").waitFor();
    expect(await page.title()).toBe("Item 8");
    // The same for a parameter that an address need not have.
    await visitor.clickLink("News");
    await visitor.sees("News, page 1");
    expect(visitor.address).toBe("/news");
    await visitor.clickLink("Older");
    await visitor.sees("News, page 2");
    expect(visitor.address).toBe("/news/2");
    await visitor.clickLink("Newest");
    await visitor.sees("News, page 1");
    expect(visitor.address).toBe("/news");
    // Two pages that differ by a matcher.
    await visitor.clickLink("Part");
    await visitor.sees("Part 7");
    await visitor.clickLink("Bolt");
    await visitor.sees("The part called bolt");
    expect(visitor.address).toBe("/parts/bolt");
    await visitor.clickLink("Part 8");
    await visitor.sees("Part 8");
    if (scripts === "with") expect(visitor.documentsLoaded).toBe(1);
  });
}

test.for([
  ["with", {}],
  ["without", withoutJavaScript],
] as const)(
  "%s JavaScript the pages of a list and its order are links of the search",
  async ([scripts, options], { visit }) => {
    const visitor = await visit("/catalogue?q=boot", options);
    if (scripts === "with") await visitor.isAwake();
    const { page } = visitor;
    const pages = page.getByRole("navigation", { name: "Pages" });
    await visitor.clickLink("Forward");
    await pages.getByText("11 to 20").waitFor();
    expect(visitor.address).toBe("/catalogue?q=boot&page=2");
    expect(await pages.locator("[aria-current=page]").getAttribute("title")).toBe("Page 2");
    expect(await pages.getByText("Forward").count()).toBe(0);
    await visitor.clickLink("Name");
    await page.locator("th[aria-sort=descending]").waitFor();
    expect(visitor.address).toBe("/catalogue?q=boot&sort=-name");
    expect(await page.getByRole("listitem").first().textContent()).toBe("boot 57");
    await page.goBack();
    await pages.getByText("11 to 20").waitFor();
    expect(visitor.documentsLoaded).toBe(scripts === "with" ? 1 : 4);
  },
);

const rows = (page: Page): Promise<number[]> =>
  page.locator("article").evaluateAll((all) => all.map((one) => Number(one.getAttribute("aria-label")?.slice(4))));

/** Scrolls down until the list has so many rows and loads nothing. */
async function scrollTo(page: Page, count: number): Promise<void> {
  await expect
    .poll(async () => {
      await page.mouse.wheel(0, 400);
      return (await rows(page)).length;
    })
    .toBeGreaterThanOrEqual(count);
  await expect.poll(() => page.getByRole("feed").getAttribute("aria-busy")).toBe("false");
}

test("a list grows while it is scrolled, and Back shows the same rows at the same position, after a reload too", async ({
  visit,
  proxy,
}) => {
  const visitor = await visit("/feed?of=back");
  await visitor.isAwake();
  const { page } = visitor;
  // The list is full, so nothing is loaded while the test looks at it.
  await scrollTo(page, 60);
  const link = page.getByRole("link", { name: "Open 33", exact: true });
  await link.scrollIntoViewIfNeeded();
  const seen = { y: await page.evaluate(() => scrollY), rows: await rows(page) };
  const asked = proxy.requestsFor(/feed\/_data/).length;
  await link.click();
  await visitor.sees("Item 33");
  await page.goBack();
  await visitor.sees("Feed");
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(seen.y);
  expect(await rows(page)).toEqual(seen.rows);
  expect(proxy.requestsFor(/feed\/_data/)).toHaveLength(asked);
  expect(visitor.documentsLoaded).toBe(1);
  // Back again, but in a document that has nothing in its memory.
  await link.click();
  await visitor.sees("Item 33");
  await page.reload();
  await visitor.isAwake();
  await page.goBack();
  await visitor.sees("Feed");
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(seen.y);
  await page.reload();
  await visitor.isAwake();
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(seen.y);
  await expect.poll(() => rows(page)).toEqual(seen.rows);
});

test("a page of a list that is cut on its way is an attempt for the visitor, not an endless wait", async ({
  visit,
  proxy,
}) => {
  const visitor = await visit("/feed?of=cut");
  await visitor.isAwake();
  const { page } = visitor;
  visitor.expecting(/ERR_/);
  proxy
    .when(/feed\/_data.*page=4/)
    .times(2)
    .cutAfter(20);
  await scrollTo(page, 30);
  await page.mouse.wheel(0, 4_000);
  const again = page.getByRole("button", { name: "Try again" });
  await again.waitFor();
  expect(await rows(page)).toHaveLength(30);
  await again.click();
  await expect.poll(async () => (await rows(page)).length).toBeGreaterThanOrEqual(40);
});

test("a change refreshes all pages of a list, a row that has moved is shown once, and a full list leads on", async ({
  visit,
}) => {
  const visitor = await visit("/feed?of=change");
  await visitor.isAwake();
  const { page } = visitor;
  await scrollTo(page, 60);
  const upTo = (last: number) => Array.from({ length: last }, (_, at) => at + 1);
  expect(await rows(page)).toEqual(upTo(60));
  await visitor.pressButton("Add");
  await expect.poll(() => rows(page)).toEqual([1095, ...upTo(59)]);
  expect(await page.locator("#state").textContent()).toBe("full");
  await visitor.clickLink("More");
  await expect.poll(() => visitor.address).toBe("/feed?of=change&page=7");
  await expect.poll(async () => (await rows(page)).slice(0, 3)).toEqual([60, 61, 62]);
  await scrollTo(page, 36);
  await expect.poll(() => page.locator("#state").textContent()).toBe("ended");
  expect(await page.locator("article").last().getAttribute("aria-setsize")).toBe("36");
});

test("without JavaScript the next page of a list is a link", async ({ visit }) => {
  const visitor = await visit("/feed?of=plain", withoutJavaScript);
  await visitor.clickLink("More");
  await visitor.page.getByRole("article", { name: "Row 11" }).waitFor();
  expect(visitor.address).toBe("/feed?of=plain&page=2");
});
