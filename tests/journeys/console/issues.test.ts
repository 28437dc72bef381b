import { gzipSync } from "node:zlib";
import { expect } from "vitest";
import { digestOf, jsonItem } from "#protocol";
import { journey, withoutJavaScript } from "../../kit/index.ts";
import { anError, report, reportErrors } from "./reports.ts";

const test = journey({ app: "tests/fixtures/watched" });

test("without any event the list says so and what to do", async ({ visit }) => {
  const visitor = await visit("/_holdfast");
  expect(visitor.address).toBe("/_holdfast/1");
  // On a loaded machine, the application reports a blocked event loop to the first project. A new project stays empty.
  await visitor.clickLink("Settings");
  await visitor.page.getByLabel("Name of a new project").fill("Empty");
  await visitor.pressButton("Make it");
  await visitor.sees("Settings of Empty");
  await visitor.clickLink("Issues");
  await visitor.sees("Nothing is broken");
});

test("an error that a client sends is on the list, leads to its issue and to its event", async ({ app, visit }) => {
  const errors = [anError(), anError(), anError({ type: "RangeError", value: "too long", function: "cut" })];
  await reportErrors(app, errors);
  const visitor = await visit("/_holdfast/1/issues");
  const row = visitor.page.getByRole("row", { name: /TypeError: cart is undefined/ });
  expect(await row.getByRole("cell").allInnerTexts()).toEqual(expect.arrayContaining(["2", "1", "1.0.0"]));
  await visitor.isAwake();
  await row.getByRole("link").first().click();
  await visitor.sees("TypeError: cart is undefined");
  await visitor.sees("Latest event");
  await visitor.clickLink("Open it");
  const [, second] = errors;
  await expect.poll(() => visitor.digestShown()).toBe(digestOf(second?.event_id ?? ""));
  expect(visitor.documentsLoaded).toBe(1);
});

test("an event shows the line that failed, its source, and folds the libraries", async ({ app, visit }) => {
  const error = anError({ value: "folded", function: "fold" });
  await reportErrors(app, [error]);
  const visitor = await visit(`/_holdfast/1/events/${error.event_id}`);
  const source = visitor.page.getByRole("region", { name: "Source of src/server/fold.ts" });
  expect(await source.textContent()).toContain("▸12");
  expect(await source.textContent()).toContain("return cart.items.reduce");
  await visitor.page.getByText("2 frames of libraries").waitFor();
  expect(await visitor.page.getByText("renderPage").isVisible()).toBe(false);
  await visitor.page.getByText("/ → /cart").waitFor();
});

test("a digest opens its own event, in any spelling", async ({ app, visit }) => {
  const error = anError({ function: "digested" });
  await reportErrors(app, [error]);
  const digest = digestOf(error.event_id);
  for (const typed of [digest, digest.toLowerCase(), digest.replaceAll("-", ""), digest.replaceAll("0", "O")]) {
    const visitor = await visit(`/_holdfast/1/events/${encodeURIComponent(typed)}`);
    expect(await visitor.digestShown()).toBe(digest);
  }
});

test("lists and events are complete without JavaScript", async ({ app, visit }) => {
  await reportErrors(app, [anError({ value: "no script", function: "unscripted" })]);
  const visitor = await visit("/_holdfast/1/issues", withoutJavaScript);
  await visitor.clickLink("TypeError: no script");
  await visitor.clickLink("Open it");
  await visitor.sees("Stack");
  expect(await visitor.digestShown()).toBeDefined();
});

test("items that clients dropped are shown by rule, and scheduled tasks by their last result", async ({
  app,
  visit,
}) => {
  const discarded_events = [
    { reason: "filter:resize-observer", category: "error", quantity: 3 },
    { reason: "sample_rate", category: "transaction", quantity: 90 },
  ];
  const checkIn = { monitor_slug: "nightly-import", environment: "production", status: "error", duration: 12.5 };
  await report(app, [
    jsonItem("client_report", { timestamp: Date.now() / 1_000, discarded_events }),
    jsonItem("check_in", checkIn),
  ]);
  // Sent later, so that the other is filed when this one is.
  await reportErrors(app, [anError({ value: "after what was left out" })]);
  const visitor = await visit("/_holdfast/1", withoutJavaScript);
  const rows = visitor.page.getByRole("region", { name: "Left out of reports" }).getByRole("row");
  expect(await rows.allInnerTexts()).toEqual(
    expect.arrayContaining(["resize-observer\terror\t3", "sample_rate\ttransaction\t90"]),
  );
  const tasks = visitor.page.getByRole("region", { name: "Scheduled tasks" }).getByRole("row");
  expect((await tasks.allInnerTexts()).at(-1)).toMatch(/^nightly-import production\t▲ failed .*\t12\.50? s\t0\t1$/);
});

test("tabs, sorting and paging are in the address", async ({ visit }) => {
  const visitor = await visit("/_holdfast/1/issues");
  await visitor.clickLink(/^Resolved/);
  await visitor.sees("No matching issues");
  expect(visitor.address).toBe("/_holdfast/1/issues?tab=resolved");
  await visitor.clickLink(/^All/);
  await visitor.clickLink("Events");
  await visitor.page.getByRole("columnheader", { name: "Events" }).and(visitor.page.locator("[aria-sort]")).waitFor();
  expect(visitor.address).toBe("/_holdfast/1/issues?tab=all&sort=events");
});

test("a list of fifty issues is at most 12 kB to load", async ({ app }) => {
  const errors = Array.from({ length: 50 }, (_, n) =>
    anError({
      value: `order ${n * 7919} of ${n} customers was lost`,
      function: `lose${n}`,
      transaction: `/orders/${n}`,
    }),
  );
  await reportErrors(app, errors);
  const page = await (await fetch(`${app.url}/_holdfast/1/issues?q=customers`)).text();
  expect(page.match(/data-row/g)).toHaveLength(50);
  expect(gzipSync(page).length).toBeLessThanOrEqual(12_000);
});

test("a laptop shows a dozen issues and more at once", async ({ app, visit }) => {
  const names = Array.from({ length: 25 }, (_, n) => `${String.fromCharCode(97 + n)}dense`);
  await reportErrors(
    app,
    names.map((name) => anError({ value: `crowded by ${name}`, function: name })),
  );
  const visitor = await visit("/_holdfast/1/issues?q=crowded");
  const inSight = () =>
    visitor.page
      .locator("[data-row]")
      .evaluateAll((rows) => rows.filter((row) => row.getBoundingClientRect().bottom <= window.innerHeight).length);
  await visitor.page.setViewportSize({ width: 1440, height: 900 });
  expect(await inSight()).toBeGreaterThanOrEqual(14);
  await visitor.page.setViewportSize({ width: 1280, height: 800 });
  expect(await inSight()).toBeGreaterThanOrEqual(12);
});
