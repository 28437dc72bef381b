import { expect } from "vitest";
import { journey } from "../../kit/index.ts";
import { overlappingRows } from "./overlapping-rows.ts";
import { anError, reportErrors } from "./reports.ts";
import { fillShop } from "./shop.ts";

const test = journey({ app: "tests/fixtures/watched" });

/** The narrowest window of each layout, where its content has the least room. */
const narrowest = [1101, 1001, 801, 761, 360];
/** Both sides of every breakpoint, a tablet between them, and a phone. */
const every = [...narrowest, 1100, 1000, 800, 768, 760, 390];
const widths = process.env.HOLDFAST_TEST_LONG === undefined ? narrowest : every;

test("no screen of the console is wider than its window, and on a phone no row covers the next", async ({
  app,
  visit,
}) => {
  const { event, trace } = await fillShop(app);
  const screens = [
    "/_holdfast/1",
    "/_holdfast/1/issues",
    "/_holdfast/1/issues?q=nothing+is%3Anonsense",
    "/_holdfast/1/issues/1",
    "/_holdfast/1/issues/1/visitors",
    "/_holdfast/1/issues/merge?number=1",
    "/_holdfast/1/find?q=visitor-5",
    "/_holdfast/1/find?q=visitor",
    `/_holdfast/1/events/${event}`,
    `/_holdfast/1/traces/${trace.id}`,
    `/_holdfast/1/traces/${trace.id}?span=${trace.span}`,
    "/_holdfast/1/pages",
    "/_holdfast/1/pages/route?route=%2Fcart",
    "/_holdfast/1/logs",
    "/_holdfast/1/spans",
    "/_holdfast/1/feedback",
    "/_holdfast/1/releases",
    "/_holdfast/1/releases/named?name=shop%402.4.1",
    "/_holdfast/1/releases/compared?from=shop%402.4.0&to=shop%402.4.1",
    "/_holdfast/1/schedules",
    "/_holdfast/1/live",
    "/_holdfast/1/settings",
    "/_holdfast/1/settings/keys",
    "/_holdfast/1/settings/filters",
    "/_holdfast/1/settings/ownership",
    "/_holdfast/1/settings/tickets",
    "/_holdfast/1/nowhere",
  ];
  const visitor = await visit("/_holdfast/1");
  visitor.expecting(/404/);
  const wider: string[] = [];
  for (const screen of screens) {
    await visitor.goTo(screen);
    await visitor.page.getByRole("heading", { level: 1 }).waitFor();
    for (const width of widths) {
      await visitor.page.setViewportSize({ width, height: 800 });
      const by = await visitor.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      if (by > 0) wider.push(`${screen} at ${width} px: ${by} px wider`);
    }
    expect(await overlappingRows(visitor.page), screen).toEqual([]);
  }
  expect(wider).toEqual([]);
});

test("a phone marks the lines that are errors by a sign and a word, not by colour alone", async ({ app, visit }) => {
  const { trace } = await fillShop(app);
  const error = anError({ function: "marked", value: "marked on phones" });
  await reportErrors(app, [error]);
  const visitor = await visit("/_holdfast/1/live?q=marked", { viewport: { width: 390, height: 844 } });
  const line = visitor.page.locator(".live .fails", { hasText: "marked on phones" });
  const mark = line.locator(".kind");
  expect(await mark.isVisible()).toBe(true);
  expect(await mark.evaluate((kind) => getComputedStyle(kind, "::before").content)).toContain("▲");
  await visitor.goTo(`/_holdfast/1/traces/${trace.id}`);
  const trouble = visitor.page.locator(".waterfall .trouble").first();
  const { inSight, text } = await trouble.evaluate((element) => ({
    inSight: element.getBoundingClientRect().right <= (element.closest("th")?.getBoundingClientRect().right ?? 0),
    text: element.textContent,
  }));
  expect({ inSight, text }).toEqual({ inSight: true, text: expect.stringMatching(/^▲ /) });
});

test("a phone shows Undo above its tabs", async ({ app, visit }) => {
  await reportErrors(app, [anError({ function: "undone", value: "undone on a phone" })]);
  const visitor = await visit("/_holdfast/1/issues?q=undone", { viewport: { width: 390, height: 844 } });
  await visitor.isAlive();
  await visitor.clickLink("TypeError: undone on a phone");
  await visitor.sees("TypeError: undone on a phone");
  await visitor.pressButton(/^Mute/);
  await visitor.pressButton(/^Undo/);
  await visitor.page.getByText("1 issue restored.").waitFor();
});

test("the panel of a short screen fills the window of a phone, and nothing scrolls", async ({ visit }) => {
  const visitor = await visit("/_holdfast/1/find?q=nothing-at-all-has-this-name", {
    viewport: { width: 390, height: 844 },
  });
  await visitor.page.getByRole("heading", { level: 1 }).waitFor();
  const { bottom, scrolls } = await visitor.page.evaluate(() => ({
    bottom: document.querySelector(".window")?.getBoundingClientRect().bottom,
    scrolls: document.documentElement.scrollHeight - window.innerHeight,
  }));
  expect({ bottom, scrolls }).toEqual({ bottom: 844, scrolls: 0 });
});

test("a narrow window shows the chosen span, beside any number of rows, and lets it be closed", async ({
  app,
  visit,
}) => {
  const { trace } = await fillShop(app);
  const visitor = await visit(`/_holdfast/1/traces/${trace.id}`, { viewport: { width: 390, height: 844 } });
  await visitor.isAlive();
  await visitor.page.locator(".waterfall th a:first-child", { hasText: "load /cart" }).click();
  const span = visitor.page.getByRole("complementary", { name: "load /cart" });
  await span.waitFor();
  const { top, bottom, rail } = await span.evaluate((element) => ({
    ...element.getBoundingClientRect().toJSON(),
    rail: document.querySelector(".rail")?.getBoundingClientRect().top,
  }));
  expect(top).toBeGreaterThan(400);
  expect(bottom).toBeLessThanOrEqual(rail);
  expect(bottom).toBeGreaterThan(rail - 4);
  await span.getByRole("link", { name: "Close" }).click();
  await span.waitFor({ state: "detached" });
});
