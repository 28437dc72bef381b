import { expect } from "vitest";
import { type EnvelopeItem, jsonItem, newEventId, newSpanId, newTraceId } from "#protocol";
import { journey, type RunningApp, withoutJavaScript } from "../../kit/index.ts";
import { readPng } from "../../kit/small-png.ts";
import { breaksNoRule } from "./accessible.ts";
import { anError, report, reportErrors } from "./reports.ts";

const test = journey({ app: "tests/fixtures/watched" });

const [quarter, hour, day] = [900, 3_600, 86_400];

function errorAt(timestamp: number, fields: object = {}): EnvelopeItem {
  return jsonItem("event", anError({ timestamp, ...fields }));
}

/** A load of the cart. */
function aLoad(start: number, took: number): EnvelopeItem {
  const trace = { trace_id: newTraceId(), span_id: newSpanId(), op: "pageload", status: "ok" };
  return jsonItem("transaction", {
    event_id: newEventId(),
    type: "transaction",
    transaction: "/cart",
    release: "1.0.0",
    start_timestamp: start,
    timestamp: start + took,
    user: { id: "7" },
    contexts: { trace },
    spans: [],
    measurements: { lcp: { value: took * 1_000, unit: "millisecond" } },
  });
}

async function send(app: RunningApp, items: readonly EnvelopeItem[], project = 1): Promise<void> {
  for (let from = 0; from < items.length; from += 50) await report(app, items.slice(from, from + 50), project);
  await reportErrors(app, [anError({ timestamp: Date.now() / 1_000 - 9 * day, function: "last" })], project);
}

/** Two weeks with an error an hour, then 40 in the last full quarter of an hour, of 20 visitors. */
async function fillDay(app: RunningApp): Promise<number> {
  const now = Date.now() / 1_000;
  const bad = (Math.floor(now / quarter) - 1) * quarter;
  const usual = Array.from({ length: 14 * 24 }, (_, n) => errorAt(bad - day - n * hour, { function: "usual" }));
  const many = Array.from({ length: 40 }, (_, n) =>
    errorAt(bad + n, { function: "worse", value: "much worse", user: { id: `visitor-${n % 20}` } }),
  );
  const loads = Array.from({ length: 200 }, (_, n) => [
    aLoad(now - 7 * day - hour - n, 0.3),
    aLoad(now - hour - n, 1.2),
  ]).flat();
  await send(app, [...usual, ...many, ...loads]);
  return bad * 1_000;
}

let filled: Promise<number> | undefined;

/** Once: the tests share an application. */
function fillBadDay(app: RunningApp): Promise<number> {
  filled ??= fillDay(app);
  return filled;
}

test("the overview counts visitors first, and each of its bars opens the issues of its hour, without JavaScript", async ({
  app,
  visit,
}) => {
  const bad = await fillBadDay(app);
  const visitor = await visit("/_holdfast/1", withoutJavaScript);
  const { page } = visitor;
  await page.getByRole("heading", { level: 1, name: /^(?:There are errors|Errors are \d)/ }).waitFor();
  const figures = page.locator(".figures > li");
  expect(await figures.first().textContent()).toMatch(/^Visitors affected20 /);
  expect(await page.locator(".tiles > li").count()).toBeLessThanOrEqual(6);
  expect(await figures.first().locator("svg").isVisible()).toBe(true);
  const widest = page.getByRole("region", { name: "Hits most people" }).getByRole("listitem");
  expect(await widest.first().textContent()).toMatch(/much worse20 visitors, 40 events/);

  const clock = new Date(bad).toISOString().slice(11, 16);
  const bar = page.getByRole("link", { name: new RegExp(`^${clock}, 40 errors, usually \\d+; opens the hour$`) });
  const words = bar.locator("span");
  expect(await words.evaluate((element) => getComputedStyle(element).opacity)).toBe("0");
  await bar.focus();
  // Focus by script is shown only after a key.
  await page.keyboard.press("Shift");
  await expect.poll(() => words.evaluate((element) => getComputedStyle(element).opacity)).toBe("1");
  await bar.press("Enter");
  await page.getByRole("row", { name: /much worse/ }).waitFor();
  expect(visitor.address).toBe(
    `/_holdfast/1/issues?tab=all&hour=${new Date(bad).toISOString().slice(0, 13).replace(":", "%3A")}`,
  );
  await page
    .getByText(`In the hour from ${new Date(bad).toISOString().slice(0, 10)} ${clock.slice(0, 2)}:00:00`)
    .waitFor();
  const cells = await page
    .getByRole("row", { name: /much worse/ })
    .getByRole("cell")
    .allInnerTexts();
  expect(cells).toContain("40");
  await visitor.clickLink("Any time");
  expect(visitor.address).toBe("/_holdfast/1/issues?tab=all");
});

// Eight checks of accessibility, each of which takes seconds on a loaded machine.
test("the overview names slower routes, links them, counts new issues in the navigation, and breaks no rule", {
  timeout: 180_000,
}, async ({ app, visit }) => {
  await fillBadDay(app);
  const visitor = await visit("/_holdfast/1");
  const { page } = visitor;
  await page.getByRole("link", { name: /^Issues \d+ new$/ }).waitFor();
  expect(redPixels(await page.screenshot({ fullPage: true }))).toBeGreaterThan(100);
  await breaksNoRule(visitor, "the overview of a bad day");
  const slower = page.getByRole("region", { name: "Slower than last week" });
  expect(await slower.getByRole("listitem").textContent()).toMatch(/^↑ (?:3\.9|4\.0|4\.1)×\/cart1\.\d+ s$/);
  await slower.getByRole("link", { name: "/cart" }).click();
  await page.getByRole("heading", { level: 1, name: /^\/cart/ }).waitFor();
});

test("a quiet day has no red pixel, light or dark, and no count in the navigation", async ({ app, visit }) => {
  const visitor = await visit("/_holdfast/1/settings");
  // On a loaded machine, the application reports a blocked event loop to the first project.
  await visitor.page.getByLabel("Name of a new project").fill("Quiet");
  await visitor.pressButton("Make it");
  await visitor.sees("Settings of Quiet");
  const project = Number(/^\/_holdfast\/(\d+)/.exec(visitor.address)?.[1]);
  const now = Date.now() / 1_000;
  const older = Array.from({ length: 30 }, (_, n) => errorAt(now - 2 * day - n * hour));
  // In the hour that began 24 hours ago, but before its quarter: no figure may count it.
  const shortlyBefore = errorAt(now - day - 1, { contexts: { holdfast: { visitor_saw: "error-page" } } });
  await send(app, [...older, shortlyBefore], project);
  await visitor.goTo(`/_holdfast/${project}`);
  await visitor.page.getByRole("heading", { level: 1, name: "All quiet: no error in the last 24 hours" }).waitFor();
  const figures = await visitor.page.locator(".figures > li").allTextContents();
  expect(figures.slice(0, 3).map((text) => /^\D+0/.exec(text)?.[0])).toEqual([
    "Visitors affected0",
    "Errors0",
    "Error pages shown0",
  ]);
  await visitor.page.getByText("No visitor saw an error page.").waitFor();
  expect(await visitor.page.getByText(/\d new$/).count()).toBe(0);
  for (const colorScheme of ["light", "dark"] as const) {
    await visitor.page.emulateMedia({ colorScheme });
    expect(redPixels(await visitor.page.screenshot({ fullPage: true })), colorScheme).toBe(0);
  }
});

/** Pixels in which red is far above green and blue, like those of every token of trouble. */
function redPixels(png: Buffer): number {
  const { pixels, channels } = readPng(png);
  let red = 0;
  for (let at = 0; at < pixels.length; at += channels) {
    const [r = 0, g = 0, b = 0] = pixels.subarray(at, at + 3);
    if (r - Math.max(g, b) > 60) red += 1;
  }
  return red;
}
