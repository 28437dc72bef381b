import { expect } from "vitest";
import { type EnvelopeItem, jsonItem, newEventId, newSpanId, newTraceId } from "#protocol";
import { journey, type RunningApp, withoutJavaScript } from "../../kit/index.ts";
import { breaksNoRule } from "./accessible.ts";
import { anError, holds, report, reportErrors } from "./reports.ts";

const test = journey({ app: "tests/fixtures/watched" });

interface Line {
  body: string;
  level?: string;
  secondsAgo: number;
  traceId?: string;
  attributes?: Record<string, string>;
}

function logOf(lines: readonly Line[]): EnvelopeItem {
  const now = Date.now() / 1_000;
  return jsonItem("log", {
    items: lines.map(({ body, level = "info", secondsAgo, traceId, attributes = {} }) => ({
      timestamp: now - secondsAgo,
      level,
      body,
      trace_id: traceId ?? newTraceId(),
      attributes: Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, { value }])),
    })),
  });
}

/** A request that asks for the price of each of six items, and then for the stock, slowly. */
function aRequest(route: string, traceId: string): EnvelopeItem {
  const start = Date.now() / 1_000 - 60;
  const span_id = newSpanId();
  const query = (description: string, from: number, to: number) => ({
    trace_id: traceId,
    span_id: newSpanId(),
    parent_span_id: span_id,
    op: "db.query",
    description,
    start_timestamp: start + from,
    timestamp: start + to,
  });
  return jsonItem("transaction", {
    event_id: newEventId(),
    type: "transaction",
    transaction: route,
    release: "shop@1",
    environment: "production",
    start_timestamp: start,
    timestamp: start + 0.6,
    contexts: { trace: { trace_id: traceId, span_id, op: "http.server", status: "ok" } },
    spans: [
      ...Array.from({ length: 6 }, (_, n) => query(`SELECT price WHERE id = ${n}`, n / 100, (n + 1) / 100)),
      query("SELECT stock FROM shelves", 0.1, 0.5),
    ],
  });
}

function shows(app: RunningApp, path: string, text: string): Promise<void> {
  const isShown = async (): Promise<boolean> => (await (await fetch(`${app.url}${path}`)).text()).includes(text);
  return holds(isShown, `${path} shows ${text}`);
}

test("logs are found by words, level and attribute, lead to their trace, grow while scrolling, and are exported", async ({
  app,
  visit,
}) => {
  const traceId = newTraceId();
  const many = Array.from({ length: 250 }, (_, n) => ({ body: `packed parcel ${n}`, secondsAgo: 400 + n }));
  await report(app, [
    logOf(many),
    logOf([
      { body: "payment refused", level: "error", secondsAgo: 30, traceId, attributes: { "order.id": "A-42" } },
      { body: "payment taken", secondsAgo: 20, attributes: { "order.id": "A-43" } },
    ]),
    aRequest("/pay", traceId),
  ]);
  await shows(app, "/_holdfast/1/logs?q=payment", "payment refused");
  await shows(app, "/_holdfast/1/logs?q=parcel", "packed parcel 0");

  const visitor = await visit("/_holdfast/1/logs?q=payment");
  const { page } = visitor;
  const lines = page.locator(".log-lines article");
  await expect.poll(() => lines.locator(".breaks").allTextContents()).toEqual(["payment taken", "payment refused"]);
  await page.getByRole("searchbox", { name: "Filter" }).fill("payment level:error");
  await page.getByRole("searchbox", { name: "Filter" }).press("Enter");
  await expect.poll(() => lines.locator(".breaks").allTextContents()).toEqual(["payment refused"]);
  await page.getByText("payment refused").click();
  await page.getByRole("link", { name: "A-42" }).waitFor();
  await breaksNoRule(visitor, "logs");
  await page.getByRole("link", { name: "Trace" }).click();
  await page.waitForURL(`**/traces/${traceId}*`);

  await visitor.goTo("/_holdfast/1/logs?q=parcel");
  await visitor.isAwake();
  await expect.poll(() => lines.count()).toBeGreaterThanOrEqual(100);
  await expect
    .poll(async () => {
      await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
      return lines.count();
    })
    .toBe(250);

  const exported = await (await fetch(`${app.url}/_holdfast/1/logs/lines.ndjson?q=parcel`)).text();
  const read = exported
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { body: string });
  expect(read).toHaveLength(250);
  expect(read[0]?.body).toBe("packed parcel 0");

  const plain = await visit("/_holdfast/1/logs?q=order.id%3AA-43", withoutJavaScript);
  await expect.poll(() => plain.page.locator(".log-lines .breaks").allTextContents()).toEqual(["payment taken"]);
});

test("spans are searched and grouped, and repeated and slow queries are found by themselves", async ({
  app,
  visit,
}) => {
  const traces = [newTraceId(), newTraceId()];
  await report(
    app,
    traces.map((traceId) => aRequest("/shelf", traceId)),
  );
  await shows(app, "/_holdfast/1/spans?q=route%3A%2Fshelf", "SELECT stock");
  const visitor = await visit("/_holdfast/1/spans?q=route%3A%2Fshelf+op%3Adb*");
  const { page } = visitor;
  const findings = page.locator("section", { has: page.getByRole("heading", { name: "Repeated and slow queries" }) });
  await findings.getByRole("row", { name: /SELECT price WHERE id = \? N\+1 \/shelf 6 × in/ }).waitFor();
  await findings.getByRole("row", { name: /SELECT stock FROM shelves Slow query \/shelf 400 ms 2 of 2/ }).waitFor();
  const groups = page.locator("section", { has: page.getByRole("heading", { name: "All spans by what they do" }) });
  await groups.getByRole("row", { name: /SELECT price WHERE id = \? db\.query 12 10 ms/ }).waitFor();
  await breaksNoRule(visitor, "spans");
  await findings.getByRole("link", { name: "SELECT stock FROM shelves" }).click();
  await page.waitForURL(/\/traces\/[0-9a-f]{32}/);
  await visitor.goTo("/_holdfast/1/pages");
  await page.getByRole("row", { name: /^\/shelf Slow query: 400 ms/ }).waitFor();
});

test("an environment is chosen once for all screens, an address with one wins, and searches are saved under a name", async ({
  app,
  visit,
}) => {
  const about = (environment: string) => ({ "sentry.environment": environment });
  await reportErrors(app, [
    anError({ function: "staged", value: "broken in staging", environment: "staging" }),
    anError({ function: "sold", value: "broken in production", environment: "production" }),
  ]);
  await report(app, [
    logOf([
      { body: "harvest in staging", secondsAgo: 9, attributes: about("staging") },
      { body: "harvest in production", secondsAgo: 5, attributes: about("production") },
    ]),
  ]);
  await shows(app, "/_holdfast/1/logs?q=harvest", "harvest in production");
  // The list of environments is remembered for some seconds.
  await shows(app, "/_holdfast/1/logs?q=harvest", "Environment: all");
  const visitor = await visit("/_holdfast/1/logs?q=harvest");
  const { page } = visitor;
  const bodies = () => page.locator(".log-lines .breaks").allTextContents();
  await expect.poll(bodies).toEqual(["harvest in production", "harvest in staging"]);
  await visitor.isAwake();
  await page.getByLabel("Environment: all").click();
  await page.getByRole("button", { name: "staging" }).click();
  await expect.poll(bodies).toEqual(["harvest in staging"]);
  await page
    .getByRole("link", { name: /^Issues/ })
    .first()
    .click();
  await page.getByRole("link", { name: "TypeError: broken in staging" }).waitFor();
  expect(await page.getByText("broken in production").count()).toBe(0);
  await visitor.goTo("/_holdfast/1/live?q=broken");
  await page.locator(".live").getByText("broken in staging").waitFor();
  expect(await page.locator(".live").getByText("broken in production").count()).toBe(0);
  await visitor.goTo("/_holdfast/1/logs?q=harvest&environment=production");
  await expect.poll(bodies).toEqual(["harvest in production"]);

  await page.getByText("Saved", { exact: true }).click();
  await page.getByRole("link", { name: "Save this search …" }).click();
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("The harvest");
  await page.getByRole("checkbox", { name: "For everyone in the project" }).check();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved as The harvest.").waitFor();
  await breaksNoRule(visitor, "saved searches");
  const other = await visit("/_holdfast/1/logs", withoutJavaScript);
  await other.page.getByText("Saved", { exact: true }).click();
  await other.page.getByRole("link", { name: "The harvest" }).click();
  await expect
    .poll(() => other.page.locator(".log-lines .breaks").allTextContents())
    .toEqual(["harvest in production"]);
  await visitor.goTo("/_holdfast/1/searches");
  await page.getByLabel("Change The harvest").click();
  await page.getByRole("button", { name: "Remove" }).click();
  await page.getByText("Nothing is saved yet").waitFor();
  const audit = await (await fetch(`${app.url}/_holdfast/1/settings`)).text();
  expect(audit).toContain("shared the search The harvest of logs");
});
