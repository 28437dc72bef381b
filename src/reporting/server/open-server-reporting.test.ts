import { EventEmitter } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { digestOf, isObject, type JsonObject, readCheckIn, readEnvelope, readJson, readMetrics } from "#protocol";
import type { CacheDecision, ErrorPlace, RequestFacts } from "#signals";
import type { Deliver } from "../delivery.ts";
import { reportingLimits } from "../limits.ts";
import { addStep, captureError, captureMessage, log, setUser, span } from "../report-api.ts";
import type { ReportSettings } from "../settings.ts";
import { openServerReporting, type ServerReporting } from "./open-server-reporting.ts";
import { readOutbox } from "./outbox/read-outbox.ts";
import { createStallWatcher } from "./watch/stall-watcher.ts";

describe("a scheduled task", () => {
  const facts = { name: "nightly-report", crontab: "0 3 * * *", timeZone: "Europe/Berlin", maxMinutes: 5 };

  test("a task checks in at its start and end, with its schedule, and is traced", async () => {
    const { reporting, delivered } = reportingWith({ settings: { sampleRate: 1 }, deliver: "taken" });
    const end = await reporting.runTask(facts, async () => span("write", async () => wait(1)));
    expect(end).toEqual({ kind: "ended" });
    await expect.poll(() => delivered.length).toBe(3);
    const items = itemsOf(delivered);
    const checkIns = items.filter(({ type }) => type === "check_in").map(({ value }) => value);
    expect(checkIns).toMatchObject([
      {
        monitor_slug: "nightly-report",
        status: "in_progress",
        release: "r1",
        monitor_config: {
          schedule: { type: "crontab", value: "0 3 * * *" },
          timezone: "Europe/Berlin",
          max_runtime: 5,
        },
      },
      { monitor_slug: "nightly-report", status: "ok", check_in_id: checkIns[0]?.check_in_id },
    ]);
    const ended = readCheckIn(checkIns[1]);
    const trace_id = ended.kind === "read" ? ended.value.traceId : undefined;
    expect(items.find(({ type }) => type === "transaction")?.value).toMatchObject({
      transaction: "nightly-report",
      contexts: { trace: { trace_id, op: "task.schedule", status: "ok" } },
      spans: [{ description: "write" }],
    });
  });

  test("a failed task is reported with a digest, without a request, and checks in as failed", async () => {
    const { reporting, delivered } = reportingWith({ settings: { sampleRate: 1 }, deliver: "taken" });
    const end = await reporting.runTask(facts, async () => {
      addStep("asked the warehouse");
      throw new Error("no answer");
    });
    expect(end).toMatchObject({ kind: "failed", receipt: { kind: "recorded" } });
    await expect.poll(() => delivered.length).toBe(4);
    const items = itemsOf(delivered);
    const event = items.find(({ type }) => type === "event")?.value;
    expect(event).toMatchObject({ tags: { during: "schedule" }, exception: { values: [{ value: "no answer" }] } });
    expect(event?.request).toBeUndefined();
    expect(items.filter(({ type }) => type === "check_in").at(-1)?.value).toMatchObject({ status: "error" });
  });
});

describe("an error on the server", () => {
  test("is on disk before its digest is shown, also without any service", async () => {
    const { reporting, folder } = reportingWith({});
    const receipt = reporting.signals.errorCaught(new TypeError("no id"), { ...place, keptAction: "order" });
    if (receipt.kind !== "recorded") throw new Error("not recorded");
    await receipt.durable;
    const [item] = itemsOf(readOutbox(folder));
    expect(item).toMatchObject({
      type: "event",
      value: {
        event_id: receipt.eventId,
        level: "error",
        platform: "node",
        transaction: "/orders/[id]",
        exception: { values: [{ type: "TypeError", value: "no id", mechanism: { handled: false } }] },
        tags: { side: "server", during: "load", variant: "document" },
        contexts: {
          holdfast: { route: "/orders/[id]", params: { id: "7" }, visitor_saw: "error-page" },
          submission: { kept: true, route: "/orders/[id]", action: "order" },
        },
      },
    });
    expect(receipt.digest).toBe(digestOf(receipt.eventId));
  });

  test("is delivered once and then removed from disk", async () => {
    const { reporting, folder, delivered } = reportingWith({});
    reporting.signals.errorCaught(new Error("a"), place);
    const silent = reportingWith({ deliver: "taken" });
    silent.reporting.signals.errorCaught(new Error("b"), place);
    await expect.poll(() => silent.delivered.length).toBe(1);
    await silent.reporting.close();
    expect(readOutbox(silent.folder)).toEqual([]);
    await reporting.close();
    expect(delivered).toEqual([]);
    expect(readOutbox(folder)).toHaveLength(1);
  });

  test("an error that was reported by hand and rethrown within a request is one event", async () => {
    const { reporting, delivered } = reportingWith({ deliver: "taken" });
    const error = new Error("twice");
    await inRequest(reporting, async () => {
      const digest = captureError(error);
      const receipt = reporting.signals.errorCaught(error, place);
      expect(receipt).toMatchObject({ kind: "recorded", digest });
    });
    await inRequest(reporting, async () => reporting.signals.errorCaught(error, place));
    await expect.poll(() => delivered.length).toBe(2);
  });

  test("has the trace, the breadcrumbs and the user of its request", async () => {
    const { reporting, delivered } = reportingWith({ deliver: "taken" });
    await inRequest(reporting, async () => {
      setUser({ id: "u7" });
      addStep("asked the warehouse", { password: "hunter2", item: 3 });
      await wait(1);
      captureError(new Error("late"), { tags: { shop: "north" }, extra: { basket: [1, 2] } });
    });
    await expect.poll(() => delivered.length).toBeGreaterThan(0);
    const [event] = itemsOf(delivered).filter(({ type }) => type === "event");
    expect(event?.value).toMatchObject({
      user: { id: "u7" },
      tags: { shop: "north" },
      extra: { basket: [1, 2] },
      breadcrumbs: [{ message: "asked the warehouse", data: { password: "[left-out]", item: 3 } }],
      contexts: { trace: { trace_id: "a".repeat(32), parent_span_id: "b".repeat(16) } },
      request: { method: "GET", headers: { "user-agent": "test" } },
    });
  });

  test.each([
    null,
    undefined,
    "text",
    Object.freeze({}),
    new Proxy(
      {},
      {
        get: () => {
          throw new Error("no");
        },
      },
    ),
  ])("may be anything: %#", async (thrown) => {
    const { reporting } = reportingWith({});
    expect(reporting.signals.errorCaught(thrown, place).kind).toBe("recorded");
  });

  test("an error that is only a planned end is left out and counted", async () => {
    const { reporting, delivered } = reportingWith({ deliver: "taken" });
    const unseen = { ...place, visitorSaw: "nothing" } as const;
    const aborted = (): DOMException => new DOMException("This operation was aborted", "AbortError");
    expect(reporting.signals.errorCaught(aborted(), unseen)).toEqual({ kind: "unrecorded" });
    await reporting.close();
    expect(itemsOf(delivered)).toMatchObject([
      {
        type: "client_report",
        value: { discarded_events: [{ reason: "filter:abort", category: "error", quantity: 1 }] },
      },
    ]);
  });
});

describe("an error that a visitor is shown", () => {
  test("is recorded whatever its message: a load that exceeds its time has failed", async () => {
    const { reporting, delivered } = reportingWith({ deliver: "taken" });
    const receipt = reporting.signals.errorCaught(new DOMException("This operation was aborted", "AbortError"), place);
    await reporting.close();
    expect(itemsOf(delivered)).toMatchObject([
      { type: "event", value: { event_id: receipt.kind === "recorded" && receipt.eventId, level: "error" } },
      { type: "client_report", value: { balance: { pages: [{ route: place.route, side: "server" }] } } },
    ]);
  });

  test("is sent even if the application has added more than a service accepts", async () => {
    const { reporting, delivered } = reportingWith({ deliver: "taken" });
    const row = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`column${at}`, "x".repeat(8_000)]));
    captureError(new Error("with a whole table"), { extra: { rows: Array(40).fill(row) } });
    await reporting.close();
    const [event] = itemsOf(delivered);
    expect(JSON.stringify(event?.value).length).toBeLessThan(10_000);
    expect(event?.value).toMatchObject({ exception: { values: [{ value: "with a whole table" }] } });
  });

  test("is fatal if it was uncaught and ends the process", async () => {
    const { reporting, delivered } = reportingWith({ deliver: "taken" });
    reporting.signals.errorCaught(new Error("from a timer"), { side: "server", during: "uncaught" });
    reporting.signals.errorCaught(new Error("from a promise"), { side: "server", during: "rejection" });
    await reporting.close();
    expect(itemsOf(delivered).map(({ value }) => value.level)).toEqual(["fatal", "error"]);
  });
});

describe("a request that is traced", () => {
  test("is sent as one transaction with its steps and the application's own spans", async () => {
    const { reporting, delivered } = reportingWith({ deliver: "taken" });
    await inRequest(reporting, async (signals) => {
      signals.matched("/orders/[id]", { id: "7" }, "data", { lcpMs: 2_500, cls: 0.1 });
      await signals.step("load", "/orders/[id]", async () => {
        await wait(1);
        await span("price", () => wait(1), { token: "secret", count: 2 });
      });
      signals.step("render", "/orders/[id]", () => "html");
      signals.ended({ status: 200, kind: "answered" });
    });
    await expect.poll(() => delivered.length).toBeGreaterThan(0);
    const [trace] = itemsOf(delivered);
    expect(trace).toMatchObject({
      type: "transaction",
      value: {
        transaction: "GET /orders/[id]",
        transaction_info: { source: "route" },
        platform: "node",
        release: "r1",
        sdk: { name: expect.stringContaining("holdfast") },
        contexts: {
          runtime: { name: "node" },
          trace: {
            trace_id: "a".repeat(32),
            parent_span_id: "b".repeat(16),
            op: "http.server",
            status: "ok",
            data: { "holdfast.budget": "lcpMs=2500 cls=0.1" },
          },
        },
        spans: [
          { op: "function.match", description: "/orders/[id]" },
          { op: "function.load", description: "/orders/[id]", status: "ok" },
          { op: "function", description: "price", data: { token: "[left-out]", count: 2 } },
          { op: "ui.render" },
        ],
      },
    });
    const { contexts, spans } = (trace?.value ?? {}) as unknown as TransactionShape;
    const [match, load, own, render] = spans;
    for (const step of [match, load, render]) expect(step?.parent_span_id).toBe(contexts.trace.span_id);
    expect(own?.parent_span_id).toBe(load?.span_id);
  });

  test("of another build in this process names the release of that build, in its trace, events and logs", async () => {
    const { reporting, delivered } = reportingWith({ deliver: "taken" });
    await inRequest({ signals: reporting.signalsOf("r0") }, async (signals) => {
      signals.matched("/cart", {}, "document");
      expect(decodeURIComponent(signals.handOver)).toContain("sentry-release=r0");
      captureError(new Error("caught in the cart"));
      log("info", "the cart is shown");
      signals.ended({ status: 200, kind: "answered" });
    });
    await reporting.close();
    const named = itemsOf(delivered).map(({ type, value }) => `${type} ${/"r\d"/g.exec(JSON.stringify(value))}`);
    expect(named.sort()).toEqual(['event "r0"', 'log "r0"', 'transaction "r0"']);
  });

  test("a trace of a page that does not exist is left out", async () => {
    const { reporting, delivered } = reportingWith({ deliver: "taken" });
    await inRequest(reporting, async (signals) => {
      signals.matched("not-found", {}, "document");
      signals.ended({ status: 404, kind: "answered" });
    });
    await reporting.close();
    expect(itemsOf(delivered).map(({ type }) => type)).toEqual(["client_report"]);
  });

  test("accepts any value from the application, neither failing nor losing it", async () => {
    const { reporting, delivered } = reportingWith({ deliver: "taken" });
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    await inRequest(reporting, async (signals) => {
      signals.matched("/", {}, "document");
      // As from untyped code.
      const odd = { big: 7n, cycle } as never;
      expect(span(42 as never, () => 1, odd)).toBe(1);
      setUser(odd);
      addStep(odd, odd);
      log("loud" as never, odd, odd);
      captureError(new Error("among odd things"), { tags: odd, extra: odd });
      captureError(new Error("beside nothing"), null as never);
      captureMessage({ no: "text" } as never, "loud" as never);
      signals.ended({ status: 200, kind: "answered" });
    });
    await reporting.close();
    const items = itemsOf(delivered);
    expect(items.map(({ type }) => type).sort()).toEqual(["event", "event", "event", "log", "transaction"]);
    expect(
      items.filter(({ type }) => type === "event").map(({ value }) => isObject(value.user) && value.user.big),
    ).toEqual(Array(3).fill("[bigint 7]"));
  });

  test("passes its trace to the browser", async () => {
    const { reporting } = reportingWith({});
    await inRequest(reporting, async ({ handOver }) => {
      expect(handOver).toMatch(/^sentry-trace;desc="a{32}-[0-9a-f]{16}-1", baggage;desc="sentry-trace_id=a{32},/);
      expect(handOver).not.toMatch(/[\r\n]/);
    });
  });

  test("decides itself if an unknown client requests tracing", async () => {
    const { reporting } = reportingWith({ settings: { sampleRate: 0 } });
    const facts = {
      ...ownFacts,
      header: (name: string) => (name === "sec-fetch-site" ? "cross-site" : ownFacts.header(name)),
    };
    await reporting.signals.request(facts, async ({ handOver }) => expect(handOver).toMatch(/-0"/));
    await reporting.signals.request(ownFacts, async ({ handOver }) => expect(handOver).toMatch(/-1"/));
  });
});

describe("work after a response", () => {
  test("is a part of the request's trace, with spans of its own", async () => {
    const { reporting, delivered } = reportingWith({ settings: { sampleRate: 1 }, deliver: "taken" });
    await inRequest(reporting, async (signals) => {
      signals.matched("/orders/[id]", { id: "7" }, "api");
      signals.ended({ status: 200, kind: "answered" });
      await signals.after(async () => span("mail", async () => wait(1)));
      await signals.after(() => Promise.reject(new Error("no mail server"))).catch(() => undefined);
    });
    await expect.poll(() => delivered.length).toBe(3);
    const [answer, ...work] = itemsOf(delivered).map(({ value }) => value);
    const trace = answer?.contexts as { trace: { trace_id: string; span_id: string } };
    const { trace_id, span_id: parent_span_id } = trace.trace;
    expect(work).toMatchObject([
      {
        transaction: expect.stringMatching(/^after \w+ \/orders\/\[id\]$/),
        contexts: { trace: { trace_id, parent_span_id, op: "task.after", status: "ok" } },
        spans: [{ description: "mail" }],
      },
      { contexts: { trace: { trace_id, parent_span_id, op: "task.after", status: "internal_error" } }, spans: [] },
    ]);
  });
});

describe("other reports", () => {
  const ofRoute = { route: "/items/[id]", "sentry.release": "r1" };

  test("messages and logs are sent", async () => {
    const { reporting, delivered } = reportingWith({ deliver: "taken" });
    captureMessage("stock is low", "warning");
    log("info", "sold password=hunter2", { count: 3, apiKey: "x" });
    await reporting.close();
    expect(itemsOf(delivered)).toMatchObject([
      { type: "event", value: { message: "stock is low", level: "warning" } },
      {
        type: "log",
        value: {
          items: [
            {
              body: "sold password=[left-out]",
              level: "info",
              attributes: { count: { value: 3, type: "integer" }, apiKey: { value: "[left-out]", type: "string" } },
            },
          ],
        },
      },
    ]);
  });

  test("what the cache of pages did is counted for every request, and sent as sums of each route", async () => {
    const { reporting, delivered } = reportingWith({ settings: { sampleRate: 0 }, deliver: "taken" });
    const request = (decision: CacheDecision): unknown =>
      inRequest(reporting, async (signals) => {
        signals.matched("/items/[id]", {}, "document");
        signals.cached(decision);
        signals.ended({ status: 200, kind: "answered" });
      });
    for (const ageMs of [10, 4_000]) await request({ kind: "hit", ageMs, savedMs: 30.4 });
    await request({ kind: "stale", ageMs: 90_000, savedMs: 30, isFailing: true });
    await request({ kind: "bypass", reason: { kind: "read", what: "cookies", name: "session" } });
    await reporting.close();
    const [sums] = itemsOf(delivered).filter(({ type }) => type === "trace_metric");
    const read = readMetrics(sums?.value);
    const metrics = read.kind === "read" ? read.value : [];
    expect(metrics.map(({ name, type, value, attributes }) => [name, type, value, attributes])).toEqual([
      ["holdfast.cache", "counter", 2, { ...ofRoute, outcome: "hit" }],
      ["holdfast.cache", "counter", 1, { ...ofRoute, outcome: "failing" }],
      ["holdfast.cache", "counter", 1, { ...ofRoute, outcome: "bypass", reason: "cookies" }],
      ["holdfast.cache-saved", "counter", 91, ofRoute],
      ["holdfast.cache-age", "distribution", 90_000, ofRoute],
    ]);
  });

  test("the trace of a hit is sent when its response has ended, with what became of it", async () => {
    const { reporting, delivered } = reportingWith({ settings: { sampleRate: 1 }, deliver: "taken" });
    const decision = { kind: "hit", ageMs: 10, savedMs: 30 } as const;
    const hit = { route: "/items/[id]", params: {}, variant: "document", decision, status: 200 } as const;
    const endings = {
      sent: { writableFinished: true },
      left: {},
      refused: { writableFinished: true, statusCode: 503 },
    };
    for (const [id, ending] of Object.entries(endings)) {
      const response = Object.assign(new EventEmitter(), {
        statusCode: 200,
        destroyed: false,
        writableFinished: false,
      });
      reporting.signals.hit?.({ ...ownFacts, target: `/items/${id}` }, { ...hit, response });
      Object.assign(response, ending).emit("close");
    }
    const gone = Object.assign(new EventEmitter(), { statusCode: 200, destroyed: true, writableFinished: false });
    reporting.signals.hit?.({ ...ownFacts, target: "/items/gone" }, { ...hit, response: gone });
    await reporting.close();
    const traces = itemsOf(delivered).filter(({ type }) => type === "transaction");
    const ended = (id: string, status: string, code: number): object => ({
      request: { url: `/items/${id}` },
      contexts: { trace: { status, data: { "http.response.status_code": code } } },
    });
    expect(traces.map(({ value }) => value)).toMatchObject([
      ended("sent", "ok", 200),
      ended("left", "cancelled", 200),
      ended("refused", "internal_error", 503),
      ended("gone", "cancelled", 200),
    ]);
  });

  test("a hit is counted, and hands its trace over, whether it is traced or not", async () => {
    const settings = { sampleRate: 0, release: 'r"1\r\n\u010a' };
    const { reporting, delivered } = reportingWith({ settings, deliver: "taken" });
    const decision = { kind: "hit", ageMs: 10, savedMs: 30 } as const;
    const hit = { route: "/items/[id]", params: {}, variant: "document", decision, status: 200 } as const;
    const { signals } = reporting;
    const unknown = { ...ownFacts, header: () => undefined };
    const texts = [signals.hit?.(unknown, hit), signals.hit?.(unknown, hit), signals.hit?.(ownFacts, hit)];
    for (const text of texts) expect(text).toMatch(/^[ -~]+$/);
    expect(texts.map((text) => /-([01])", baggage;desc="sentry-trace_id=[0-9a-f]{32},/.exec(text ?? "")?.[1])).toEqual([
      "0",
      "0",
      "1",
    ]);
    expect(new Set(texts.map((text) => text?.slice(20, 70))).size).toBe(3);
    expect(signals.hit?.(unknown, { ...hit, variant: "data" })).toBe("");
    await reporting.close();
    const items = itemsOf(delivered);
    expect(items.filter(({ type }) => type === "transaction")).toMatchObject([
      { value: { transaction: "GET /items/[id]", contexts: { trace: { data: { "holdfast.cache": "hit" } } } } },
    ]);
    const read = readMetrics(items.find(({ type }) => type === "trace_metric")?.value);
    const [count] = read.kind === "read" ? read.value : [];
    expect([count?.name, count?.value]).toEqual(["holdfast.cache", 4]);
  });

  test("pages from the cache, however often they are asked for, leave the traces of other requests alone", async () => {
    const nowMs = 1_780_000_000_000;
    const { reporting } = reportingWith({ now: () => nowMs });
    const decision = { kind: "hit", ageMs: 10, savedMs: 30 } as const;
    const hit = { route: "/items", params: {}, variant: "document", decision, status: 200 } as const;
    const rateOf = (text = "") => Number(/sentry-sample_rate=([\d.e-]+)/.exec(text)?.[1]);
    const unknown = { ...ownFacts, header: () => undefined };
    for (const { signals } of [reporting, { signals: reporting.signalsOf("older") }]) {
      let last: string | undefined;
      for (let request = 0; request < 1_000; request++) last = signals.hit?.(unknown, hit);
      expect(rateOf(last)).toBeLessThanOrEqual(reportingLimits.hitTracesPerSecond / 1_000);
      await signals.request(unknown, async ({ handOver }) => expect(rateOf(handOver)).toBe(0.1));
    }
  });

  test("a visitor's note is stored with its digest", async () => {
    const { reporting, folder } = reportingWith({});
    expect(await reporting.keepNote("7k2m 9qxd 4tba", "I pressed save")).toBe("kept");
    expect(await reporting.keepNote("nonsense", "x")).toBe("no-digest");
    expect(itemsOf(readOutbox(folder))).toMatchObject([
      {
        type: "feedback",
        value: { contexts: { feedback: { message: "I pressed save" } }, tags: { digest: "7K2M-9QXD-4TBA" } },
      },
    ]);
  });
});

describe("feedback of a page that is not broken", () => {
  const words = { message: "I miss a search.", name: "", email: "", url: undefined, trap: "", facts: "" };

  test("feedback is stored with page, route, trace, steps and author, and without secrets", async () => {
    const { reporting, folder } = reportingWith({ settings: { release: "1.2.3" } });
    const steps = Array.from({ length: 30 }, (_, n) => ({ category: "page", message: `step ${n} password=hunter2` }));
    const facts = { route: "/cart", trace: "a".repeat(32), span: "b".repeat(16), steps, user: { id: "7" } };
    const posted = {
      message: " My password=hunter2 does not work. Write to jo@shop.test ",
      name: "Jo",
      email: "jo@shop.test",
      url: "https://shop.test/cart?token=hunter2",
      trap: "",
      facts: JSON.stringify(facts),
    };
    expect(await reporting.keepFeedback(posted)).toBe("kept");
    const [item] = itemsOf(readOutbox(folder));
    expect(item).toMatchObject({
      type: "feedback",
      value: {
        release: "1.2.3",
        transaction: "/cart",
        user: { id: "7" },
        contexts: {
          trace: { trace_id: facts.trace, span_id: facts.span },
          feedback: { name: "Jo", contact_email: "jo@shop.test", source: "page" },
        },
      },
    });
    const text = JSON.stringify(item);
    expect(text).not.toContain("hunter2");
    expect(text).toContain("Write to jo@shop.test");
    expect(text.match(/step \d+/g)).toHaveLength(20);
  });

  test("feedback is cut where it is too long, and needs nothing but a text", async () => {
    const { reporting, folder } = reportingWith({});
    expect(await reporting.keepFeedback({ ...words, message: "  " })).toBe("no-text");
    expect(await reporting.keepFeedback({ ...words, facts: "{broken" })).toBe("kept");
    const wrong = JSON.stringify({ route: 7, trace: "x", steps: ["a", 1, null], user: "me" });
    expect(await reporting.keepFeedback({ ...words, message: "x".repeat(9_000), facts: wrong })).toBe("kept");
    const values = itemsOf(readOutbox(folder)).map(({ value }) => JSON.stringify(value));
    expect(values).toHaveLength(2);
    expect(values[1]).toContain(`"${"x".repeat(4_000)}"`);
  });

  test("feedback of a program that fills in the hidden field is dropped and counted", async () => {
    const { reporting, folder } = reportingWith({});
    expect(await reporting.keepFeedback({ ...words, trap: "https://spam.test" })).toBe("kept");
    expect(readOutbox(folder)).toEqual([]);
    await reporting.close();
    expect(JSON.stringify(itemsOf(readOutbox(folder)))).toContain("filter:spam-trap");
  });
});

describe("a DSN", () => {
  test.each([
    ["nonsense", '"nonsense"'],
    ["", '""'],
    ["https://host.example/1", '"https://host.example/1"'],
    [42, "42"],
    [null, "null"],
  ])("a DSN that is wrong is one clear warning and nothing more: %j", (dsn, named) => {
    const { reporting, warnings } = reportingWith({ settings: { dsn: dsn as string } });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(named);
    expect(reporting.signals.errorCaught(new Error("x"), place).kind).toBe("recorded");
  });

  test("names the service that receives the envelopes, whatever it answers at first", async () => {
    const answers = [500, 429, 403];
    const seen: { url: string | undefined; auth: unknown; body: string }[] = [];
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const status = answers.shift() ?? 200;
      if (status === 200)
        seen.push({ url: request.url, auth: request.headers["x-sentry-auth"], body: Buffer.concat(chunks).toString() });
      response.writeHead(status, status === 429 ? { "Retry-After": "0" } : {}).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const address = server.address();
    const port = typeof address === "object" && address ? address.port : 0;
    const { reporting } = reportingWith({ settings: { dsn: `http://${"c".repeat(32)}@127.0.0.1:${port}/7` } });
    reporting.signals.errorCaught(new Error("over the wire"), place);
    await expect.poll(() => seen.length).toBeGreaterThan(0);
    expect(seen).toHaveLength(1);
    expect(seen[0]?.url).toBe("/api/7/envelope/");
    expect(seen[0]?.auth).toContain(`sentry_key=${"c".repeat(32)}`);
    expect(seen[0]?.body).toContain("over the wire");
  });
});

interface TransactionShape {
  contexts: { trace: { span_id: string } };
  spans: { span_id: string; parent_span_id: string }[];
}

const place: ErrorPlace = {
  side: "server",
  during: "load",
  route: "/orders/[id]",
  params: { id: "7" },
  url: "/orders/7",
  variant: "document",
  visitorSaw: "error-page",
};

const headers: Readonly<Record<string, string>> = {
  "sentry-trace": `${"a".repeat(32)}-${"b".repeat(16)}-1`,
  "sec-fetch-site": "same-origin",
  "user-agent": "test",
  cookie: "session=secret",
};

const ownFacts: RequestFacts = { method: "GET", target: "/orders/7", header: (name) => headers[name] };

type RunRequest = Parameters<ServerReporting["signals"]["request"]>[1];

function inRequest(
  reporting: Pick<ServerReporting, "signals">,
  run: (...args: Parameters<RunRequest>) => Promise<unknown>,
): Promise<unknown> {
  return reporting.signals.request(ownFacts, run);
}

interface ReportingWith {
  settings?: ReportSettings;
  deliver?: "taken";
  now?: () => number;
}

function reportingWith({ settings = {}, deliver, now = Date.now }: ReportingWith) {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-reporting-"));
  const delivered: Uint8Array[] = [];
  const warnings: string[] = [];
  const take: Deliver = async (envelope) => {
    delivered.push(envelope);
    return { kind: "taken" };
  };
  const reporting = openServerReporting({
    stallWatcher: createStallWatcher(reportingLimits),
    settings: { release: "r1", ...settings },
    folder,
    root: folder,
    build: "b1",
    deliver: deliver && take,
    limits: { ...reportingLimits, retryMs: [5] },
    now,
    warn: (text) => warnings.push(text),
  });
  onTestFinished(async () => {
    await reporting.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { reporting, folder, delivered, warnings };
}

function itemsOf(envelopes: readonly Uint8Array[]): { type: string; value: JsonObject }[] {
  return envelopes.flatMap((bytes) => {
    const reading = readEnvelope(bytes);
    if (reading.kind !== "read") throw new Error(reading.why);
    return reading.envelope.items.map(({ header, payload }) => {
      const json = readJson(payload, { jsonDepth: 64, jsonKeys: 10_000 });
      if (json.kind !== "read" || !isObject(json.value)) throw new Error(`${header.type} is no object`);
      return { type: header.type, value: json.value };
    });
  });
}
