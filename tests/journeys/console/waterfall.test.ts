import { expect } from "vitest";
import { jsonItem, newEventId, newSpanId, newTraceId } from "#protocol";
import { journey, type RunningApp, type Visitor, withoutJavaScript } from "../../kit/index.ts";
import { breaksNoRule } from "./accessible.ts";
import { anError, report, reportErrors } from "./reports.ts";
import { fillShop } from "./shop.ts";

const test = journey({ app: "tests/fixtures/watched" });

/** A screen is checked in four ways. */
const withinMs = 180_000;

/** Clients send at most a thousand spans with one transaction. */
const spansOfTransaction = 1_000;

/** A request with equal queries, one after another. Returns the ids of trace and request. */
async function manyQueries(app: RunningApp, count: number): Promise<{ trace: string; request: string }> {
  const [trace, request] = [newTraceId(), newSpanId()];
  const at = Date.now() / 1_000 - 5;
  const queries = Array.from({ length: count }, (_, n) => ({
    trace_id: trace,
    span_id: newSpanId(),
    parent_span_id: request,
    op: "db",
    description: `SELECT ${n}`,
    start_timestamp: at + n / count,
    timestamp: at + (n + 1) / count,
  }));
  for (let from = 0; from < count; from += spansOfTransaction)
    await report(app, [
      jsonItem("transaction", {
        event_id: newEventId(),
        type: "transaction",
        transaction: "/long",
        start_timestamp: at,
        timestamp: at + 1,
        contexts: {
          trace:
            from === 0
              ? { trace_id: trace, span_id: request, op: "http.server", status: "ok" }
              : { trace_id: trace, span_id: newSpanId(), parent_span_id: request, op: "task", status: "ok" },
        },
        spans: queries.slice(from, from + spansOfTransaction),
      }),
    ]);
  await reportErrors(app, [anError({ function: "afterManyQueries" })]);
  return { trace, request };
}

/** Titles of the rows, as they read. */
async function titles({ page }: Visitor): Promise<string[]> {
  return page.locator("[data-row] th a:first-child").allInnerTexts();
}

/** Keys and pointer work: their code is loaded after hydration. */
async function hasHands({ page }: Visitor): Promise<void> {
  await page.locator(".fall[data-hands]").waitFor();
}

async function focused({ page }: Visitor): Promise<string> {
  const text = await page.evaluate(() => document.activeElement?.textContent ?? "");
  return text.replace(/\s+/g, " ").trim();
}

test("a trace shows its spans on one axis, keeps parents when it is filtered, and zooms into a span", async ({
  app,
  visit,
}) => {
  const [trace, root, child, leaf] = [newTraceId(), newSpanId(), newSpanId(), newSpanId()];
  const at = Date.now() / 1_000 - 5;
  const span = (span_id: string, parent: string, [op, description]: [string, string], from: number, to: number) => ({
    ...{ trace_id: trace, span_id, parent_span_id: parent, op, description },
    ...{ start_timestamp: at + from, timestamp: at + to },
  });
  await report(app, [
    jsonItem("transaction", {
      event_id: newEventId(),
      type: "transaction",
      transaction: "/cart",
      start_timestamp: at,
      timestamp: at + 1,
      contexts: { trace: { trace_id: trace, span_id: root, op: "http.server", status: "ok" } },
      spans: [
        span(child, root, ["load", "load cart"], 0.1, 0.9),
        span(leaf, child, ["db", "SELECT items"], 0.2, 0.4),
        span(newSpanId(), root, ["render", "render page"], 0.9, 1),
      ],
    }),
  ]);
  await reportErrors(app, [anError({ function: "afterTrace" })]);
  const visitor = await visit(`/_holdfast/1/traces/${trace}`);
  await visitor.sees("/cart took 1.00 s");
  expect(await titles(visitor)).toEqual(["/cart http.server", "load cart", "SELECT items db", "render page"]);
  const key = visitor.page.getByRole("list", { name: "Colours" });
  const kinds = await key.getByRole("listitem").allInnerTexts();
  expect(kinds.toSorted()).toEqual([
    "Code 600 ms",
    "Critical path 1.00 s",
    "Database 200 ms",
    "Render 100 ms",
    "Request 100 ms",
  ]);
  await visitor.goTo(`/_holdfast/1/traces/${trace}?filter=select`);
  expect(await titles(visitor)).toEqual(["/cart http.server", "load cart", "SELECT items db"]);
  await visitor.goTo(`/_holdfast/1/traces/${trace}?span=${leaf}`);
  await hasHands(visitor);
  await visitor.sees("SELECT items");
  await visitor.page.keyboard.press("+");
  await visitor.page.getByText("The axis shows 200 ms to 400 ms, and only spans of that time.").waitFor();
  expect(await titles(visitor)).toEqual(["/cart http.server", "load cart", "SELECT items db"]);
  await visitor.page.keyboard.press("-");
  await expect.poll(() => titles(visitor)).toHaveLength(4);
});

test("equal queries are one row that is called N+1; keys unfold it, walk it and fold it again", {
  timeout: withinMs,
}, async ({ app, visit }) => {
  const { trace } = await manyQueries(app, 49);
  const visitor = await visit(`/_holdfast/1/traces/${trace}`);
  await visitor.sees("/long took 1.00 s, 1.00 s of it in 49 equal queries");
  await visitor.page.getByText("49 equal queries, one after another (N+1).").waitFor();
  await hasHands(visitor);
  expect(await titles(visitor)).toEqual(["/long http.server", "49 × SELECT ? db"]);
  const press = (key: string) => visitor.page.keyboard.press(key);
  await visitor.page.getByRole("link", { name: "/long http.server" }).focus();
  await press("ArrowDown");
  expect(await focused(visitor)).toBe("49 × SELECT ? db");
  await press("ArrowRight");
  await visitor.page.getByRole("row", { name: /SELECT 0/ }).waitFor();
  expect(await focused(visitor)).toBe("49 × SELECT ? db");
  await press("ArrowRight");
  expect(await focused(visitor)).toBe("SELECT 0 db");
  await press("End");
  await expect.poll(() => focused(visitor)).toBe("SELECT 48 db");
  await press("ArrowLeft");
  await expect.poll(() => focused(visitor)).toBe("49 × SELECT ? db");
  await press("ArrowLeft");
  await visitor.page.getByRole("row", { name: /SELECT 0/ }).waitFor({ state: "detached" });
  expect(await focused(visitor)).toBe("49 × SELECT ? db");
  await press("Enter");
  const panel = visitor.page.getByRole("complementary", { name: "49 × SELECT ?" });
  await panel.getByText("one after another").waitFor();
  expect(await focused(visitor)).toBe("49 × SELECT ? db");
  await press("Tab");
  expect(await visitor.page.evaluate(() => document.activeElement?.closest(".waterfall") === null)).toBe(true);
  await breaksNoRule(visitor, "a trace with a chosen repeat");
});

test("a long trace is two rows at first; unfolded, few of its rows exist at once, and it says what it leaves out", async ({
  app,
  visit,
}) => {
  const { trace } = await manyQueries(app, 2_500);
  const visitor = await visit(`/_holdfast/1/traces/${trace}`);
  await visitor.page.getByText("2,503 spans").waitFor();
  await hasHands(visitor);
  expect((await titles(visitor)).filter((title) => title.includes("SELECT"))).toEqual(["2,500 × SELECT ? db"]);
  await visitor.clickLink(/^All/);
  await visitor.page.getByText("2,000 of 2,503 rows are shown: more would make the screen slow.").waitFor();
  const rows = visitor.page.locator("[data-row]");
  expect(await rows.count()).toBeLessThan(200);
  await rows.first().getByRole("link").first().focus();
  await visitor.page.keyboard.press("End");
  await expect.poll(() => focused(visitor)).toMatch(/^SELECT 199\d db$/);
  expect(await rows.count()).toBeLessThan(200);
  await visitor.page.keyboard.press("Home");
  await expect.poll(() => focused(visitor)).toBe("/long http.server");
});

test("without scripts a repeat is unfolded by its link, and further rows are on further pages", async ({
  app,
  visit,
}) => {
  const { trace } = await manyQueries(app, 150);
  const visitor = await visit(`/_holdfast/1/traces/${trace}`, withoutJavaScript);
  await visitor.clickLink("Unfold SELECT ?");
  await visitor.page.getByRole("link", { name: "Spans after" }).waitFor();
  expect(await titles(visitor)).toHaveLength(100);
  await visitor.clickLink("Spans after");
  await visitor.page.getByRole("link", { name: "Spans before" }).waitFor();
  expect((await titles(visitor)).at(-1)).toBe("SELECT 149 db");
  await visitor.clickLink("Spans before");
  await visitor.clickLink("Fold SELECT ?");
  await visitor.page.getByRole("link", { name: "Unfold SELECT ?" }).waitFor();
  expect(await titles(visitor)).toEqual(["/long http.server", "150 × SELECT ? db"]);
  await visitor.clickLink("150 × SELECT ? db");
  await visitor.page.getByRole("complementary", { name: "150 × SELECT ?" }).getByText("one after another").waitFor();
});

test("an error stands at the span in which it was thrown, in the colour of failures, and leads to its event", async ({
  app,
  visit,
}) => {
  const { event, trace } = await fillShop(app);
  const visitor = await visit(`/_holdfast/1/traces/${trace.id}`);
  await visitor.sees(/^\/cart took 1\.40 s, \d+ ms of it in 49 equal queries$/);
  const row = visitor.page.locator("[data-row]", { hasText: "load /cart" });
  expect(await row.getAttribute("class")).toContain("k-failed");
  await row.getByRole("link", { name: "▲ TypeError: Cannot read properties of undefined" }).click();
  await visitor.sees(/^TypeError: Cannot read properties/);
  expect(visitor.address).toBe(`/_holdfast/1/events/${event}`);
  await visitor.page.locator(".mini .fails", { hasText: "load /cart" }).waitFor();
  await visitor.page.locator(".mini", { hasText: "49 × SELECT price FROM items WHERE id = ?" }).waitFor();
});

test("a pointer reads the time, and draws the part of the axis on the small picture", async ({ app, visit }) => {
  const { trace } = await manyQueries(app, 49);
  const visitor = await visit(`/_holdfast/1/traces/${trace}`);
  await hasHands(visitor);
  const { mouse } = visitor.page;
  const axis = await visitor.page.locator(".axis").boundingBox();
  if (!axis) throw new Error("The waterfall has no axis.");
  const guide = visitor.page.locator(".time-guide");
  await mouse.move(axis.x + axis.width / 4, axis.y + 60);
  await guide.waitFor({ state: "attached" });
  await mouse.move(axis.x + axis.width / 2, axis.y + 60);
  await expect.poll(() => guide.textContent()).toMatch(/^(?:499|500|501) ms$/);
  const at = async (share: number) => {
    // It moves when a line appears above it.
    const box = await visitor.page.locator(".map").boundingBox();
    if (!box) throw new Error("The waterfall has no small picture.");
    return [box.x + box.width * share, box.y + box.height / 2] as const;
  };
  await mouse.move(...(await at(0.25)));
  await mouse.down();
  await mouse.move(...(await at(0.5)));
  await mouse.up();
  await visitor.page.getByText(/^The axis shows 2(?:49|50|51) ms to (?:499|500|501) ms/).waitFor();
  expect(visitor.address).toMatch(/\?range=2\d\d\.\d{3}-(?:499|50\d)\.\d{3}$/);
  // A click shows the whole trace again.
  await mouse.click(...(await at(0.8)));
  await visitor.page.getByText("The axis shows").waitFor({ state: "detached" });
});
