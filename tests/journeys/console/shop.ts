import { type EnvelopeItem, jsonItem, newEventId, newSpanId, newTraceId } from "#protocol";
import type { RunningApp } from "../../kit/running-app.ts";
import { postForm } from "./forms.ts";
import { anError, report, reportErrors } from "./reports.ts";

const hour = 3_600;
const now = Date.now() / 1_000;
/** Time of the release that most visitors run by now. */
const deployed = now - 7 * hour;

/** Errors of the shop: type, message, function, route, count, hours since the first. */
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
  ["Error", "No stock is left of SKU 88-4410", "pickItem", "/items/[id]", 14, 23],
  ["TimeoutError", "The search index did not answer within 2 s", "searchItems", "/search", 13, 16],
  ["TypeError", "Failed to fetch", "loadReviews", "/items/[id]", 12, 21],
  ["ChunkLoadError", "Loading chunk 41 failed", "openGallery", "/items/[id]", 8, 6],
  ["RangeError", "Maximum call stack size exceeded", "sortCategories", "/categories/[name]", 7, 10],
  ["URIError", "URI malformed", "readSearch", "/search", 5, 19],
  ["NotFoundError", "The object can not be found here", "removeLine", "/cart", 5, 4],
  ["Error", "The voucher SUMMER has ended", "applyVoucher", "/cart", 4, 13],
  ["TypeError", "Cannot destructure property 'street' of 'address' as it is null", "AddressCard", "/account", 3, 8],
  ["SecurityError", "Blocked a frame from accessing a cross-origin frame", "embedMap", "/stores/[id]", 3, 15],
  ["Error", "Hydration failed because the server rendered text did not match", "Price", "/items/[id]", 2, 6],
  ["DatabaseError", "duplicate key value violates unique constraint", "keepWish", "/wishes", 2, 11],
  ["Error", "The mail to the customer was refused by its server", "sendReceipt", "/checkout", 1, 17],
  ["RangeError", "The currency code XYZ is not known", "formatPrice", "/items/[id]", 6, 14],
  ["TypeError", "stores is not iterable", "nearestStore", "/stores/[id]", 4, 9],
  ["Error", "The gift card has been used already", "useGiftCard", "/checkout", 3, 12],
] as const;

const browsers = ["Firefox 144", "Chrome 142", "Safari 19", "Edge 141"];
const seen = ["error-page", "nested-error", "page", "error-page"];

/** What the cache did for pages: route, milliseconds saved, age of the oldest copy, counts by outcome and reason. */
const caches = [
  ["/items/[id]", 51_000, 240_000, { hit: 1_840, stale: 61, miss: 73, "bypass cookies": 12 }],
  ["/categories/[name]", 9_400, 11_000_000, { hit: 310, failing: 44, miss: 8 }],
  ["/", 0, 0, { "bypass locals": 640 }],
] as const;

function cached(): EnvelopeItem {
  const items = caches.flatMap(([route, savedMs, oldestMs, counts]) => {
    const metric = (name: string, type: string, value: number, label = ""): object => {
      const [outcome = "", reason = ""] = label.split(" ");
      return { timestamp: now - hour, name, type, value, attributes: { route, outcome, reason } };
    };
    return [
      ...Object.entries(counts).map(([label, n]) => metric("holdfast.cache", "counter", n, label)),
      metric("holdfast.cache-saved", "counter", savedMs),
      ...(oldestMs > 0 ? [metric("holdfast.cache-age", "distribution", oldestMs)] : []),
    ];
  });
  return jsonItem("trace_metric", { items });
}

/** What the shop writes: every few minutes a line, some of them warnings, few errors. */
function lines(): EnvelopeItem {
  const texts = [
    ["info", "Order 4711 is paid", "/checkout"],
    ["info", "Sent the receipt to the customer", "/checkout"],
    ["debug", "The cache of /categories was renewed in 84 ms", "/categories/[name]"],
    ["info", "Reserved 2 of SKU 88-4410", "/cart"],
    ["warn", "The payment provider took 4,210 ms; retrying once", "/checkout"],
    ["info", "Indexed 312 items", "/search"],
    [
      "error",
      "The payment provider answered 503: no capacity left in the region, and the retry was refused too",
      "/checkout",
    ],
  ] as const;
  return jsonItem("log", {
    items: Array.from({ length: 180 }, (_, n) => {
      const [level, body, route] = texts[n % 23 === 0 ? 6 : n % 11 === 0 ? 4 : (n * 5 + (n % 3)) % 4] ?? texts[0];
      const attributes = { "sentry.environment": "production", "sentry.release": "shop@2.4.1", "http.route": route };
      return {
        timestamp: now - n * 431,
        level,
        body,
        trace_id: newTraceId(),
        attributes: Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, { value }])),
      };
    }),
  });
}

/** Fills a day of a shop: visitors, their errors, a deployment, and the triage so far. */
export async function fillShop(shop: RunningApp): Promise<{ event: string; trace: { id: string; span: string } }> {
  // One of each kind first: their issues are numbered in the order of the list above.
  const [firsts, others] = failures();
  const day = [...firsts, ...[...others, ...views()].sort((a, b) => a.at - b.at)];
  for (let from = 0; from < day.length; from += 50)
    await report(
      shop,
      day.slice(from, from + 50).map(({ item }) => item),
    );
  await report(shop, [...sessions(), cached(), lines()]);
  await ownRequests(shop);
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
    contexts: { trace: { trace_id: trace.id, span_id: trace.span }, holdfast: { visitor_saw: "error-page" } },
  });
  await reportErrors(shop, [last]);
  await triage(shop);
  return { event: last.event_id, trace };
}

interface Timed {
  at: number;
  item: EnvelopeItem;
}

function failures(): [firsts: Timed[], others: Timed[]] {
  const ofEach = mistakes.map(([type, value, name, route, times, hours]) =>
    Array.from({ length: times }, (_, n): Timed => {
      const at = now - ((n * 7919) % (hours * hour)) - 60;
      const error = anError({
        type,
        value,
        function: name,
        transaction: route,
        timestamp: at,
        release: at < deployed || n % 9 === 0 ? "shop@2.4.0" : "shop@2.4.1",
        user: { id: `visitor-${(n * 13) % 29}` },
        tags: { browser: browsers[n % browsers.length], route },
        contexts: { holdfast: { visitor_saw: seen[n % seen.length] } },
        ...(name === "openGallery" && inBuiltFile(type, value)),
      });
      return { at, item: jsonItem("event", error) };
    }),
  );
  return [ofEach.flatMap((all) => all.slice(0, 1)), ofEach.flatMap((all) => all.slice(1))];
}

/** An error of a browser, in a chunk without an uploaded map. */
function inBuiltFile(type: string, value: string) {
  const file = "https://shop.test/_assets/gallery-B1x2c3D4.js";
  const frames = [{ filename: file, abs_path: file, function: "n", lineno: 1, colno: 7_421, in_app: true }];
  return {
    exception: { values: [{ type, value, stacktrace: { frames } }] },
    debug_meta: {
      images: [{ type: "sourcemap", code_file: file, debug_id: "6f1c2a34-9b1e-4c53-8a77-0123456789ab" }],
    },
  };
}

function views(): Timed[] {
  const routes = [...new Set(["/", ...mistakes.map(([, , , route]) => route)])];
  return routes.flatMap((route, index) =>
    Array.from({ length: 12 }, (_, n) => {
      const at = now - 4_700 * n - 97 * index - 30;
      return { at, item: aView(route, index, n, at) };
    }),
  );
}

/** Loads, navigations and prefetches in turn, in the form of the framework's reports. */
function aView(route: string, index: number, n: number, start: number) {
  const took = 0.3 + ((index * 7 + n * 3) % 20) / 10;
  const ms = (value: number) => ({ value, unit: "millisecond" });
  const op = n % 6 === 5 ? "prefetch" : n % 2 ? "pageload" : "navigation";
  const told = {
    prefetch: { "holdfast.prefetch": n % 4 === 1 ? "suppressed-rate" : "stored" },
    navigation: {
      "holdfast.data": n % 4 ? "fetched" : "prefetched-fresh",
      "navigation.kind": n % 3 ? "push" : "traverse",
    },
    pageload: n === 7 ? { "holdfast.full_load_reason": "timeout-data" } : {},
  }[op];
  return jsonItem("transaction", {
    event_id: newEventId(),
    type: "transaction",
    transaction: route,
    release: start < deployed ? "shop@2.4.0" : "shop@2.4.1",
    start_timestamp: start,
    timestamp: start + took,
    user: { id: `visitor-${n}` },
    contexts: { trace: { trace_id: newTraceId(), span_id: newSpanId(), op, status: "ok", data: told } },
    spans: [],
    ...(op !== "prefetch" && {
      measurements: { lcp: ms(took * 1_400), inp: ms(60 + n * 14), cls: { value: (index % 4) * 0.06 } },
    }),
  });
}

function sessions(): EnvelopeItem[] {
  const of = (release: string, hoursAgo: number, exited: number, crashed: number) =>
    jsonItem("sessions", {
      aggregates: [{ started: new Date((now - hoursAgo * hour) * 1_000).toISOString(), exited, crashed }],
      attrs: { release, environment: "production" },
    });
  return [of("shop@2.4.0", 12, 890, 7), of("shop@2.4.0", 2, 140, 1), of("shop@2.4.1", 2, 1_210, 21)];
}

/**
 * Requests pages of the application itself, traced like requests of its own pages, so that they report their budgets.
 */
async function ownRequests(shop: RunningApp): Promise<void> {
  for (let times = 0; times < 3; times++)
    await fetch(shop.url, {
      headers: { "sentry-trace": `${newTraceId()}-${newSpanId()}-1`, "sec-fetch-site": "same-origin" },
    });
}

async function triage(shop: RunningApp): Promise<void> {
  const change = (number: number, does: Record<string, string>) =>
    postForm(shop, `/issues/${number}/_action/change`, does);
  await change(1, { do: "take" });
  await change(1, {
    do: "comment",
    text: "The cart of a visitor whose session has ended has no items. I look into it.",
  });
  await change(2, { do: "assign", to: "max@example.org" });
  await change(5, { do: "mute" });
  await change(6, { do: "resolve" });
  await change(3, { do: "resolve-in", release: "shop@2.4.1" });
}

/** From the click to the queries, with one query per item: the mistake that a waterfall shows best. */
async function aTrace(shop: RunningApp): Promise<{ id: string; span: string }> {
  const id = newTraceId();
  const [click, request, session, load] = [newSpanId(), newSpanId(), newSpanId(), newSpanId()];
  const start = now - 41;
  const part = (parent: string, op: string, description: string, from: number, to: number, span_id = newSpanId()) => ({
    trace_id: id,
    span_id,
    parent_span_id: parent,
    op,
    description,
    start_timestamp: start + from,
    timestamp: start + to,
    status: "ok",
    ...(op === "db.query" && { data: { "db.system": "postgresql" } }),
  });
  const prices = Array.from({ length: 49 }, (_, n) => {
    const from = 0.24 + n * 0.019;
    return part(load, "db.query", `SELECT price FROM items WHERE id = ${n + 1}`, from, from + 0.016 + (n % 5) * 0.0006);
  });
  const segment = (trace: object, from: number, to: number, spans: object[]) =>
    jsonItem("transaction", {
      event_id: newEventId(),
      type: "transaction",
      transaction: "/cart",
      release: "shop@2.4.1",
      environment: "production",
      start_timestamp: start + from,
      timestamp: start + to,
      contexts: { trace: { trace_id: id, ...trace } },
      spans,
    });
  await report(shop, [
    segment({ span_id: click, op: "navigation", status: "ok" }, 0, 1.4, [
      part(click, "ui.action.click", "Click", 0, 0.02),
      part(click, "ui.commit", "Show the page", 1.27, 1.4),
    ]),
    segment({ span_id: request, parent_span_id: click, op: "http.server", status: "internal_error" }, 0.12, 1.25, [
      part(request, "load", "load session", 0.13, 0.18, session),
      part(session, "db.query", "SELECT * FROM sessions WHERE id = $1", 0.135, 0.16),
      { ...part(request, "load", "load /cart", 0.19, 1.22, load), status: "internal_error" },
      part(load, "db.query", "SELECT * FROM cart_lines WHERE cart = $1", 0.2, 0.235),
      ...prices,
      part(load, "http.client", "GET https://warehouse.test/stock", 1.175, 1.215),
      part(request, "render", "error page", 1.222, 1.245),
    ]),
  ]);
  return { id, span: load };
}
