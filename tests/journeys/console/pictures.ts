/**
 * Renews the pictures of the console in `docs/console`, from a shop that has had a bad day:
 *
 *   node --conditions=holdfast-source tests/journeys/console/pictures.ts
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { jsonItem, newEventId, newSpanId, newTraceId } from "#protocol";
import { buildPackage } from "../../../scripts/build.js";
import { root } from "../../../scripts/root.js";
import { openBrowser } from "../../kit/browser.ts";
import { type RunningApp, startApp } from "../../kit/running-app.ts";
import { smallPng } from "../../kit/small-png.ts";
import { anError, report, reportErrors } from "./reports.ts";

const folder = join(root, "docs/console");
const hour = 3_600;
const now = Date.now() / 1_000;

/** What went wrong in the shop: what it says, where, how often, since how many hours. */
const mistakes = [
  ["TypeError", "Cannot read properties of undefined (reading 'items')", "totalOf", "/cart", 38, 5],
  ["FetchError", "The payment provider answered 503", "payOrder", "/checkout", 24, 9],
  ["RangeError", "Invalid time value", "formatDelivery", "/orders/[id]", 17, 22],
  ["DatabaseError", "canceling statement due to lock timeout", "reserveStock", "/checkout", 11, 3],
  ["TypeError", "event.target.closest is not a function", "openMenu", "/", 9, 18],
  ["ValidationError", "postcode does not match country", "readAddress", "/account/address", 6, 12],
  ["AbortError", "The invoice was not ready within 10 s", "renderInvoice", "/orders/[id]/invoice", 4, 20],
  ["SyntaxError", "Unexpected token '<' in JSON at position 0", "readRates", "/cart/shipping", 3, 2],
  ["TypeError", "Failed to execute 'setItem' on 'Storage': quota exceeded", "keepDraft", "/notes", 2, 7],
] as const;

await buildPackage();
const app = await startApp({ app: "tests/fixtures/watched" });
const browser = await openBrowser();
try {
  const { event, trace } = await fillShop(app);
  mkdirSync(folder, { recursive: true });
  const screens: readonly (readonly [name: string, address: string, look?: { dark?: boolean; phone?: boolean }])[] = [
    ["overview", ""],
    ["issues", "/issues"],
    ["issue", "/issues/1"],
    ["event", `/events/${event}`],
    ["event-phone", `/events/${event}`, { phone: true, dark: true }],
    ["trace", `/traces/${trace.id}?span=${trace.span}`],
    ["pages", "/pages"],
    ["releases", "/releases"],
    ["live", "/live"],
    ["settings", "/settings"],
  ];
  for (const [name, address, look = {}] of screens) {
    const viewport = look.phone ? { width: 390, height: 844 } : { width: 1280, height: 760 };
    const page = await browser.newPage({ viewport, colorScheme: look.dark ? "dark" : "light" });
    await page.goto(`${app.url}/_holdfast/1${address}`);
    await page.locator("html[data-holdfast=alive]").waitFor();
    writeFileSync(join(folder, `${name}.png`), smallPng(await page.screenshot()));
    await page.close();
    console.log(`docs/console/${name}.png`);
  }
} finally {
  await browser.close();
  await app.stop();
}

async function fillShop(shop: RunningApp): Promise<{ event: string; trace: { id: string; span: string } }> {
  const browsers = ["Firefox 144", "Chrome 142", "Safari 19", "Edge 141"];
  for (const [type, value, name, route, times, hours] of mistakes) {
    for (let n = 0; n < times; n++) {
      const error = anError({
        type,
        value,
        function: name,
        transaction: route,
        timestamp: now - ((n * 7919) % (hours * hour)) - 60,
        release: n % 3 === 0 ? "shop@2.4.0" : "shop@2.4.1",
        user: { id: `visitor-${(n * 13) % 29}` },
        tags: { browser: browsers[n % browsers.length], route },
      });
      await report(shop, [jsonItem("event", error)]);
    }
  }
  for (const [index, [, , , route]] of mistakes.entries())
    for (let n = 0; n < 12; n++) await report(shop, [aView(route, index, n)]);
  const trace = await aTrace(shop);
  const last = anError({
    value: mistakes[0][1],
    release: "shop@2.4.1",
    timestamp: now - 40,
    breadcrumbs: [
      { timestamp: now - 62, category: "navigation", data: { from: "/", to: "/items/31" } },
      { timestamp: now - 55, category: "ui.click", message: "button.add-to-cart" },
      { timestamp: now - 41.2, category: "navigation", data: { from: "/items/31", to: "/cart" } },
    ],
    contexts: { trace: { trace_id: trace.id, span_id: trace.span }, holdfast: { visitor_saw: "the whole error page" } },
  });
  await reportErrors(shop, [last]);
  return { event: last.event_id, trace };
}

function aView(route: string, index: number, n: number) {
  const took = 0.3 + ((index * 7 + n * 3) % 20) / 10;
  const start = now - 120 * n - 30;
  const ms = (value: number) => ({ value, unit: "millisecond" });
  return jsonItem("transaction", {
    event_id: newEventId(),
    type: "transaction",
    transaction: route,
    release: n % 2 ? "shop@2.4.1" : "shop@2.4.0",
    start_timestamp: start,
    timestamp: start + took,
    user: { id: `visitor-${n}` },
    contexts: {
      trace: { trace_id: newTraceId(), span_id: newSpanId(), op: n % 2 ? "pageload" : "navigation", status: "ok" },
    },
    spans: [],
    measurements: { lcp: ms(took * 1_400), inp: ms(60 + n * 14), cls: { value: (index % 4) * 0.06 } },
  });
}

/** From the click to the queries, with one query for each of very many items: the mistake that a waterfall shows best. */
async function aTrace(shop: RunningApp): Promise<{ id: string; span: string }> {
  const id = newTraceId();
  const [click, request, load] = [newSpanId(), newSpanId(), newSpanId()];
  const start = now - 41;
  const span = (fields: Record<string, unknown>) => ({ trace_id: id, ...fields });
  const queries = Array.from({ length: 5_000 }, (_, n) =>
    span({
      span_id: newSpanId(),
      parent_span_id: load,
      op: "db.query",
      description: `SELECT price FROM items WHERE id = ${n + 1}`,
      start_timestamp: start + 0.16 + n * 0.0002,
      timestamp: start + 0.16 + (n + 1) * 0.0002,
      data: { "db.system": "postgresql" },
    }),
  );
  const inner = [
    span({
      span_id: load,
      parent_span_id: request,
      op: "load",
      description: "load /cart",
      start_timestamp: start + 0.15,
      timestamp: start + 1.2,
    }),
  ];
  for (let part = 0; part < 6; part++) {
    const isFirst = part === 0;
    await report(shop, [
      jsonItem("transaction", {
        event_id: newEventId(),
        type: "transaction",
        transaction: "/cart",
        start_timestamp: isFirst ? start : start + 0.12,
        timestamp: isFirst ? start + 1.4 : start + 1.25,
        contexts: {
          trace: isFirst
            ? { trace_id: id, span_id: click, op: "navigation", status: "ok" }
            : part === 1
              ? { trace_id: id, span_id: request, parent_span_id: click, op: "http.server", status: "internal_error" }
              : { trace_id: id, span_id: newSpanId(), parent_span_id: request, op: "function", status: "ok" },
        },
        spans: isFirst ? inner : queries.slice((part - 1) * 1_000, part * 1_000),
      }),
    ]);
  }
  return { id, span: load };
}
