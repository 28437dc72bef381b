import { expect } from "vitest";
import { digestOf, jsonItem, newEventId, newSpanId, newTraceId } from "#protocol";
import { journey, onAPhone, type RunningApp, withoutJavaScript } from "../../kit/index.ts";
import { breaksNoRule } from "./accessible.ts";
import { anError, report, reportErrors } from "./reports.ts";

const test = journey({ app: "tests/fixtures/watched" });

const minute = 60;
const now = Date.now() / 1_000;
const paula = { id: "u-777", email: "paula.paying@mail.test", name: "Paula Paying" };

/** Two visits of Paula: a week ago all was well, today the checkout failed twice and she wrote about it. */
async function visitsOfPaula(app: RunningApp): Promise<{ event: string; digest: string }> {
  const first = anError({
    function: "payOrder",
    value: "Address 4417 did not answer",
    transaction: "/checkout",
    timestamp: now - 5 * minute,
    release: "shop@1.4.2",
    user: paula,
    contexts: { browser: { name: "Safari", version: "26.0" }, os: { name: "iOS", version: "26.1" } },
    breadcrumbs: [{ timestamp: now - 6 * minute, category: "ui.click", message: "button.pay" }],
  });
  const again = anError({ ...first, event_id: newEventId(), timestamp: now - 4 * minute, function: "payOrder" });
  await report(app, [
    view("/", now - 7 * 24 * 60 * minute, "shop@1.3.9"),
    view("/orders/[id]", now - 7 * 24 * 60 * minute + 90, "shop@1.3.9", "navigation"),
    view("/", now - 10 * minute),
    view("/items/[id]", now - 9 * minute, "shop@1.4.2", "navigation"),
    view("/checkout", now - 7 * minute, "shop@1.4.2", "navigation"),
  ]);
  await reportErrors(app, [first, { ...again, exception: first.exception }]);
  const words = { event_id: first.event_id, name: "Paula", comments: "I could not pay.", email: paula.email };
  await report(app, [jsonItem("user_report", words)]);
  return { event: first.event_id, digest: digestOf(first.event_id) };
}

function view(route: string, at: number, release = "shop@1.4.2", op = "pageload") {
  return jsonItem("transaction", {
    event_id: newEventId(),
    type: "transaction",
    transaction: route,
    release,
    start_timestamp: at,
    timestamp: at + 0.4,
    user: paula,
    contexts: { trace: { trace_id: newTraceId(), span_id: newSpanId(), op, status: "ok" } },
    spans: [],
  });
}

test("a visit that begins with a failure says that nothing was recorded before it", async ({ app, visit }) => {
  const [sudden, later] = [{ email: "sudden@mail.test" }, { email: "later@mail.test" }];
  const click = { timestamp: now - 3 * minute, category: "ui.click", message: "button.try" };
  const timestamp = now - 2 * minute;
  await reportErrors(app, [
    anError({ function: "sudden", value: "at once", user: sudden, timestamp, breadcrumbs: [] }),
    anError({ function: "later", value: "after a click", user: later, timestamp, breadcrumbs: [click] }),
  ]);
  const visitor = await visit(`/_holdfast/1/find?q=${sudden.email}`, withoutJavaScript);
  await visitor.sees(sudden.email);
  await visitor.page.getByText("Nothing was recorded before the failure.").waitFor();
  await visitor.goTo(`/_holdfast/1/find?q=${later.email}`);
  await visitor.sees(later.email);
  await visitor.page.getByText("click button.try").waitFor();
  expect(await visitor.page.getByText("Nothing was recorded before").count()).toBe(0);
});

/** Of other products, the best answers "what happened to this person?" in two steps: a search, then a list. */
test("who a visitor is and what happened to them: the search key, a pasted address and Enter", async ({
  app,
  visit,
}) => {
  const { digest } = await visitsOfPaula(app);
  const visitor = await visit("/_holdfast/1/issues");
  await visitor.isAlive();
  let keys = 0;
  const press = async (key: string): Promise<void> => {
    keys += 1;
    await visitor.page.keyboard.press(key);
  };
  await press("/");
  await visitor.page.keyboard.insertText(paula.email);
  await press("Enter");
  await visitor.sees(paula.email);
  expect(keys).toBe(2);
  await visitor.page.getByText("2 failures in 1 of 2 visits.").waitFor();
  const today = visitor.page.locator(".visit").first();
  await today.getByRole("img", { name: /^Pages by time: \/ 1 min, \/items\/\[id\] 2 min, \/checkout/ }).waitFor();
  await today.getByText("click button.pay").waitFor();
  await today.getByText(digest).waitFor();
  await today.getByText("“I could not pay.”").waitFor();
  await today.getByText("Safari 26 on iOS 26").waitFor();
  await today.getByRole("link", { name: "shop@1.4.2" }).waitFor();
  expect(await visitor.page.locator(".visit").count()).toBe(2);
  await breaksNoRule(visitor, "a visitor");
  await visitor.clickLink("With failures 1");
  await expect.poll(() => visitor.page.locator(".visit").count()).toBe(1);
});

test("a visitor is found by id, e-mail address and name, and linked wherever the visitor is named", async ({
  app,
  visit,
}) => {
  const { event } = await visitsOfPaula(app);
  const visitor = await visit(`/_holdfast/1/find?q=${paula.id}`, withoutJavaScript);
  const page = visitor.address;
  expect(page).toMatch(/^\/_holdfast\/1\/visitors\/[0-9a-z]+$/);
  for (const text of [paula.email.toUpperCase(), paula.name]) {
    await visitor.goTo(`/_holdfast/1/find?q=${encodeURIComponent(text)}`);
    expect(visitor.address, text).toBe(page);
  }
  await visitor.goTo(`/_holdfast/1/events/${event}`);
  await visitor.clickLink(paula.email);
  expect(visitor.address).toBe(page);
  await visitor.clickLink("This visitor in Live");
  await visitor.clickLink(paula.email);
  expect(visitor.address).toBe(page);
  await visitor.goTo("/_holdfast/1/feedback");
  await visitor.clickLink(`Paula, ${paula.email}`);
  expect(visitor.address).toBe(page);
  visitor.expecting(/404/);
  await visitor.goTo("/_holdfast/1/visitors/zzz");
  await visitor.page.getByRole("heading", { level: 1 }).waitFor();
});

test("the number of visitors of an issue leads to a table of them", async ({ app, visit }) => {
  await visitsOfPaula(app);
  const met = (user: object) =>
    anError({ function: "listed", value: "met by two", user, release: "shop@1.4.2", tags: { browser: "Firefox 144" } });
  await reportErrors(app, [met({ id: "max" }), met(paula), met(paula)]);
  const visitor = await visit("/_holdfast/1/find?q=met+by+two");
  await visitor.isAlive();
  await visitor.clickLink(/met by two/);
  await visitor.page.locator(".numbers").getByRole("link", { name: "2", exact: true }).click();
  await visitor.sees("2 visitors met “TypeError: met by two”");
  const rows = visitor.page.locator("tbody tr");
  expect(await rows.count()).toBe(2);
  expect(await rows.first().locator("th, td").allTextContents()).toEqual([
    paula.email,
    "2",
    "just now",
    "just now",
    "shop@1.4.2",
    "Firefox 144",
  ]);
  await breaksNoRule(visitor, "visitors of an issue");
  await visitor.clickLink("max");
  await visitor.sees("max");
});

test("a phone shows visits and tables without cutting them", async ({ app, visit }) => {
  await visitsOfPaula(app);
  const visitor = await visit(`/_holdfast/1/find?q=${paula.id}`, onAPhone);
  await visitor.sees(paula.email);
  await breaksNoRule(visitor, "a visitor on a phone");
  for (const address of [visitor.address, "/_holdfast/1/issues/1/visitors"]) {
    await visitor.goTo(address);
    await visitor.page.getByRole("heading", { level: 1 }).waitFor();
    expect(await visitor.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBe(0);
  }
});
