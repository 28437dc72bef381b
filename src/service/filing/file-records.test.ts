import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { digestOf, type EnvelopeHeader, type EnvelopeItem, jsonItem, readDigest, writeEnvelope } from "#protocol";
import type { JournalRecord } from "../journal/record.ts";
import { hex, noon } from "../stores/filed-examples.ts";
import { everyIssue, readFilter } from "../stores/filter-language.ts";
import { openSqliteStore } from "../stores/sqlite/open-sqlite-store.ts";
import { type Store, StoreUnavailable } from "../stores/store.ts";
import { fileRecords } from "./file-records.ts";
import { Scrubber } from "./scrub.ts";

describe("filing of accepted envelopes", () => {
  let folder: string;
  let store: Store;
  let faults: string[];
  let position: number;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "holdfast-filing-"));
    store = openSqliteStore({ folder });
    faults = [];
    position = 0;
  });

  afterEach(() => {
    store.close();
    rmSync(folder, { recursive: true });
  });

  const record = (header: EnvelopeHeader, ...items: EnvelopeItem[]): JournalRecord => {
    const bytes = writeEnvelope(header, items);
    const next = position + 21 + bytes.length;
    const made = { project: 1, receivedMs: noon, bytes, position, next };
    position = next;
    return made;
  };
  const file = (...records: JournalRecord[]) => fileRecords(filingInto(store), records, records.at(-1)?.next ?? 0);
  const filingInto = (target: Pick<Store, "commit">) => ({
    store: target,
    scrubber: new Scrubber(),
    symbolicate: (_project: number, event: Parameters<Scrubber["event"]>[0]) => {
      if (event.message?.text === "poison") throw new Error("a fault of our own");
      return { event, chunks: [] };
    },
    onFault: (error: unknown) => faults.push(String(error)),
  });
  const issues = async () =>
    (await store.issues({ project: 1, filter: everyIssue, sort: "first-seen", limit: 50 })).issues;

  it("follows a visit by its session if the visitor is unknown, and counts no visitor for it", async () => {
    const eventId = hex("of a visit");
    const session = { id: hex("session") };
    const trace = { trace_id: hex("trace"), span_id: hex("span").slice(0, 16), op: "pageload" };
    const at = noon / 1_000;
    const view = {
      type: "transaction",
      transaction: "/cart",
      start_timestamp: at - 2,
      timestamp: at - 1,
      contexts: { trace, session },
      spans: [],
    };
    const error = thrown("TypeError", "x is undefined", {
      event_id: eventId,
      timestamp: at,
      transaction: "/cart",
      contexts: { session },
    });
    await file(record({}, jsonItem("transaction", view)), record({ eventId }, jsonItem("event", error)));
    expect(await issues()).toMatchObject([{ events: 1, visitors: 0 }]);
    expect(await store.recentVisitors(1, 10)).toMatchObject([
      { views: 1, errors: 1, route: "/cart", lastEventId: eventId },
    ]);
  });

  it("turns an error's envelope into an issue, whose event opens by the digest that the visitor was shown", async () => {
    const eventId = hex("an event");
    await file(
      record(
        { eventId },
        jsonItem(
          "event",
          thrown("TypeError", "x is undefined", { event_id: eventId, transaction: "GET /cart", user: { id: "u1" } }),
        ),
      ),
    );
    expect(await issues()).toMatchObject([
      { type: "TypeError", title: "x is undefined", route: "/cart", events: 1, visitors: 1 },
    ]);
    const prefix = readDigest(digestOf(eventId).toLowerCase()) ?? "";
    expect(await store.event(1, prefix)).toMatchObject({
      eventId,
      body: { kind: "whole", event: { exceptions: [{ type: "TypeError" }] } },
    });
  });

  it.each([
    ["http.server", "request"],
    ["grpc.server", "request"],
    ["rails.request", "request"],
    ["http.client", "task"],
    ["queue.process", "task"],
  ])("takes a transaction of %s for a %s", async (op, kind) => {
    const trace = { trace_id: hex("trace"), span_id: hex("span").slice(0, 16), op };
    const at = noon / 1_000;
    const transaction = {
      type: "transaction",
      transaction: "work",
      start_timestamp: at,
      timestamp: at + 1,
      contexts: { trace },
    };
    await file(record({}, jsonItem("transaction", transaction)));
    expect(await store.segments({ project: 1, route: "work", from: 0, to: noon + 9_999, limit: 9 })).toMatchObject([
      { kind },
    ]);
  });

  it("finds an issue by the cause of its error and by its module", async () => {
    const exception = (type: string, value: string, module: string) => ({
      type,
      value,
      stacktrace: { frames: [{ filename: "Orders.java", module, function: "load", in_app: true }] },
    });
    const values = [
      exception("SQLException", "connection refused", "com.shop.Db"),
      exception("LoadError", "no order", "com.shop.Orders"),
    ];
    await file(record({ eventId: hex("e") }, jsonItem("event", { platform: "java", exception: { values } })));
    const found = async (text: string) =>
      (await store.issues({ project: 1, filter: readFilter(text), sort: "events", limit: 9 })).issues.length;
    for (const text of ["no order", "connection refused", "SQLException", "com.shop.Orders", "Orders.java:12"])
      expect(await found(text), text).toBe(1);
    expect(await found("nothing of it")).toBe(0);
  });

  it("finds an event by the acknowledged id of its envelope's header, and by the payload's", async () => {
    const [told, written] = [hex("told"), hex("written")];
    const note = { message: "it broke", associated_event_id: written };
    await file(
      record({ eventId: told }, jsonItem("event", thrown("Error", "alone", { event_id: written }))),
      record({}, jsonItem("feedback", { contexts: { feedback: note } })),
    );
    for (const text of [told, written, digestOf(told), digestOf(written)])
      expect(await store.event(1, readDigest(text) ?? text), text).toMatchObject({ eventId: told });
    expect(await store.event(2, written)).toBeUndefined();
    expect(await store.feedback(1, { eventIds: [told] })).toMatchObject([{ message: "it broke" }]);
    // A second delivery is the same event.
    await file(record({ eventId: told }, jsonItem("event", thrown("Error", "alone", { event_id: written }))));
    expect(await issues()).toMatchObject([{ events: 1 }]);
    // An id stays with its event, even if another event claims it.
    await file(record({ eventId: hex("thief") }, jsonItem("event", thrown("Error", "alone", { event_id: told }))));
    expect(await store.event(1, told)).toMatchObject({ eventId: told });
  });

  it("finds the events of one envelope by their own ids, and the first also by the acknowledged id", async () => {
    const [one, two, told] = [hex("one"), hex("two"), hex("of the header")];
    await file(
      record(
        { eventId: told },
        jsonItem("event", thrown("Error", "first", { event_id: one })),
        jsonItem("event", thrown("Error", "second", { event_id: two })),
      ),
    );
    const found = await Promise.all([one, two, told].map((id) => store.event(1, id)));
    expect(found.map((event) => event?.eventId)).toEqual([one, two, one]);
  });

  it("finds a visitor by id, e-mail address and username, each only in its project", async () => {
    const user = { id: "u1", email: "jo@shop.test", username: "jo" };
    const of = (project: number, who: object) => ({
      ...record({ eventId: hex(JSON.stringify(who)) }, jsonItem("event", thrown("Error", "boom", { user: who }))),
      project,
    });
    await file(of(1, user), of(2, { id: "u1", email: "other@shop.test" }));
    const found = async (project: number, name: string) =>
      (await store.issues({ project, filter: readFilter(`user:${name}`), sort: "events", limit: 9 })).issues.length;
    for (const name of ["u1", "jo@shop.test", "jo"]) expect(await found(1, name), name).toBe(1);
    expect(await found(1, "other@shop.test")).toBe(0);
    expect(await found(2, "other@shop.test")).toBe(1);
  });

  it("builds no message from values under a secret name", async () => {
    const logentry = {
      message: "login of %(user)s with %(password)s",
      params: { user: "jo", password: "topsecret123" },
    };
    await file(record({ eventId: hex("e") }, jsonItem("event", { platform: "python", logentry })));
    expect(await issues()).toMatchObject([{ title: "login of jo with [scrubbed]" }]);
    expect(JSON.stringify(await store.event(1, hex("e")))).not.toContain("topsecret123");
  });

  it("stores no secret: neither in the event nor in spans nor in logs", async () => {
    await file(
      record(
        { eventId: hex("e") },
        jsonItem(
          "event",
          thrown("Error", "boom", {
            request: { headers: { authorization: "Bearer topsecret123" } },
            extra: { password: "topsecret123" },
          }),
        ),
        jsonItem("span", { items: [span({ name: "GET https://a.test/?token=topsecret123" })] }),
        jsonItem("log", {
          items: [
            { timestamp: noon / 1000, level: "info", body: "x", attributes: { api_key: { value: "topsecret123" } } },
          ],
        }),
      ),
    );
    const everything = [
      await store.event(1, hex("e")),
      await store.trace(1, hex("trace")),
      await store.logs({ project: 1, from: 0, to: noon * 2, filter: everyIssue, limit: 9, mostLines: 99 }),
    ];
    expect(JSON.stringify(everything)).not.toContain("topsecret123");
    expect(JSON.stringify(everything).match(/\[scrubbed\]/g)).toHaveLength(5);
  });

  it("shows an event that was stored unchanged like one that was rewritten", async () => {
    const reported = thrown("TypeError", "x is undefined", {
      transaction: "/cart",
      breadcrumbs: { values: [{ message: "clicked", timestamp: noon / 1000, data: { n: 1 } }] },
      request: { url: "https://shop.test/cart", headers: [["Accept", "text/html"]] },
      contexts: { browser: { name: "Chrome" } },
      extra: { order: { id: 7 } },
      tags: { plan: "free" },
    });
    const asItCame = { ...reported, request: { url: "https://shop.test/cart", headers: { Accept: "text/html" } } };
    await file(
      record({ eventId: hex("anew") }, jsonItem("event", reported)),
      record({ eventId: hex("as it came") }, jsonItem("event", asItCame)),
    );
    const bodyOf = async (id: string) => {
      const body = (await store.event(1, hex(id)))?.body;
      return body?.kind === "whole" ? body.event : undefined;
    };
    expect(await bodyOf("as it came")).toMatchObject({ eventId: hex("as it came"), extra: { order: { id: 7 } } });
    expect({ ...(await bodyOf("as it came")), eventId: "" }).toEqual({ ...(await bodyOf("anew")), eventId: "" });
  });

  it("shows one trace from a transaction and from spans that arrived one by one", async () => {
    const trace = { trace_id: hex("trace"), span_id: "aaaaaaaaaaaaaaaa", op: "pageload" };
    await file(
      record(
        {},
        jsonItem("span", {
          version: 2,
          items: [
            span({
              name: "GET /cart",
              span_id: "bbbbbbbbbbbbbbbb",
              parent_span_id: "aaaaaaaaaaaaaaaa",
              is_segment: true,
              attributes: { "sentry.op": { value: "http.server" }, "http.route": { value: "/cart" } },
            }),
          ],
        }),
      ),
      record(
        { eventId: hex("t") },
        jsonItem("transaction", {
          type: "transaction",
          transaction: "/cart",
          contexts: { trace },
          start_timestamp: noon / 1000,
          timestamp: noon / 1000 + 0.25,
          measurements: { lcp: { value: 1200, unit: "millisecond" } },
        }),
      ),
    );
    const found = await store.trace(1, hex("trace"));
    expect(found.segments.map(({ kind, route }) => [kind, route]).sort()).toEqual([
      ["pageload", "/cart"],
      ["request", "/cart"],
    ]);
    const measured = (await store.measures({ project: 1, step: "hour", from: noon, to: noon })).find(
      ({ route }) => route === "/cart",
    );
    expect([...(measured?.sketches.keys() ?? [])].sort()).toEqual(["lcp", "pageload", "request"]);
  });

  it("reads the same spans from a transaction that was stored unchanged and from one that was rewritten", async () => {
    const inTrace = (name: string, more: { header?: EnvelopeHeader; data?: object; sentLateMs?: number } = {}) => {
      const at = (noon - (more.sentLateMs ?? 0)) / 1000;
      return record(
        { eventId: hex(name), ...more.header },
        jsonItem("transaction", {
          type: "transaction",
          transaction: "GET /cart",
          transaction_info: { source: "route" },
          contexts: { trace: { trace_id: hex(name), span_id: "aaaaaaaaaaaaaaaa", op: "http.server" } },
          request: { method: "GET", url: "/cart" },
          start_timestamp: at,
          timestamp: at + 0.25,
          spans: [
            {
              trace_id: hex(name),
              span_id: "bbbbbbbbbbbbbbbb",
              parent_span_id: "aaaaaaaaaaaaaaaa",
              description: "SELECT * FROM cart",
              op: "db.query",
              start_timestamp: at + 0.1,
              timestamp: at + 0.2,
              data: { "db.system": "sqlite", ...more.data },
            },
          ],
        }),
      );
    };
    const hourMs = 3_600_000;
    const records = [
      inTrace("as it came"),
      inTrace("with a secret", { data: { "db.password": "hunter2" } }),
      inTrace("an hour behind", { header: { sentAtMs: noon - hourMs }, sentLateMs: hourMs }),
      inTrace("with a report", { data: { "http.url": "https://errors.example/api/7/envelope/" } }),
    ];
    const forms: string[] = [];
    const watched: Pick<Store, "commit"> = {
      commit({ upTo, items }) {
        const all = [...items];
        forms.push(...all.flatMap((item) => (item.kind === "spans" ? [item.body.form] : [])));
        return store.commit({ upTo, items: all });
      },
    };
    await fileRecords(filingInto(watched), records, position);
    expect(forms).toEqual(["reported", "filed", "filed", "filed"]);
    const spansOf = async (name: string) =>
      (await store.trace(1, hex(name))).spans.map(({ traceId: _one, ...span }) => ({ ...span, traceId: "" }));
    const whole = await spansOf("as it came");
    expect(whole.map(({ name, startMs, endMs }) => [name, startMs - noon, endMs - noon])).toEqual([
      ["GET /cart", 0, 250],
      ["SELECT * FROM cart", 100, 200],
    ]);
    expect(await spansOf("an hour behind")).toEqual(whole);
    expect((await spansOf("with a secret"))[1]?.attributes).toEqual({
      "db.system": "sqlite",
      "db.password": "[scrubbed]",
    });
    expect(await spansOf("with a report")).toEqual(whole.slice(0, 1));
    expect(
      (await store.measures({ project: 1, step: "hour", from: noon, to: noon })).map(({ route }) => route),
    ).toEqual(["/cart"]);
  });

  it("counts late vitals for the page they belong to", async () => {
    const root = span({
      name: "Pageload",
      span_id: "aaaaaaaaaaaaaaaa",
      is_segment: true,
      attributes: { "sentry.op": { value: "pageload" }, "url.template": { value: "/cart" } },
    });
    const late = span({
      name: "Layout shift",
      parent_span_id: "aaaaaaaaaaaaaaaa",
      attributes: {
        "browser.web_vital.cls.value": { value: 0.2 },
        "sentry.segment.name": { value: "Pageload" },
        "sentry.segment.id": { value: "aaaaaaaaaaaaaaaa" },
      },
    });
    await file(record({}, jsonItem("span", { version: 2, items: [root] })));
    await file(record({}, jsonItem("span", { version: 2, items: [late] })));
    const [measured, ...others] = await store.measures({ project: 1, step: "hour", from: noon, to: noon });
    expect(others).toEqual([]);
    expect([measured?.route, [...(measured?.sketches.keys() ?? [])].sort()]).toEqual(["/cart", ["cls", "pageload"]]);
  });

  it("counts navigations, prefetches and full loads from the framework's traces", async () => {
    const trace = (op: string, transaction: string, data: object) =>
      record(
        { eventId: hex(`${op} ${transaction}`) },
        jsonItem("transaction", {
          type: "transaction",
          transaction,
          contexts: { trace: { trace_id: hex(op), span_id: "aaaaaaaaaaaaaaaa", op, data } },
          start_timestamp: noon / 1000,
          timestamp: noon / 1000 + 1,
        }),
      );
    await file(
      trace("prefetch", "/cart", { "holdfast.prefetch": "stored" }),
      trace("navigation", "/cart", { "holdfast.data": "prefetched-fresh", "navigation.kind": "push" }),
      trace("pageload", "/cart", { "holdfast.full_load_reason": "timeout-data" }),
    );
    const counted = (await store.counts({ project: 1, step: "hour", from: noon, to: noon })).map(
      ({ name, label, n }) => `${name} ${label} ${n}`,
    );
    expect(counted.sort()).toEqual([
      "holdfast.full-load timeout-data 1",
      "holdfast.navigation committed push 1",
      "holdfast.navigation handed-over 1",
      "holdfast.prefetch fresh 1",
      "holdfast.prefetch stored 1",
    ]);
  });

  it("counts sessions, navigations, and client reports of dropped items", async () => {
    await file(
      record(
        {},
        jsonItem("session", {
          sid: "s1",
          init: true,
          started: noon / 1000,
          status: "ok",
          errors: 0,
          attrs: { release: "1.0" },
        }),
      ),
      record(
        {},
        jsonItem("session", {
          sid: "s1",
          started: noon / 1000,
          status: "crashed",
          errors: 1,
          attrs: { release: "1.0" },
        }),
      ),
      record(
        {},
        jsonItem("sessions", {
          aggregates: [{ started: noon / 1000, exited: 8, crashed: 2 }],
          attrs: { release: "1.0" },
        }),
      ),
      record(
        {},
        jsonItem("trace_metric", {
          items: [
            {
              name: "holdfast.navigation",
              type: "counter",
              value: 2,
              timestamp: noon / 1000,
              attributes: {
                route: { value: "/cart" },
                outcome: { value: "handed-over" },
                reason: { value: "timeout-data" },
              },
            },
          ],
        }),
      ),
      record(
        {},
        jsonItem("client_report", {
          timestamp: noon / 1000,
          discarded_events: [{ reason: "noisy-error", category: "error", quantity: 5 }],
        }),
      ),
      record({}, jsonItem("replay_event", { replay_id: hex("r") })),
    );
    expect(await store.sessions(1, noon, noon)).toMatchObject([{ started: 11, crashed: 3 }]);
    expect(await store.counts({ project: 1, step: "hour", from: noon, to: noon })).toMatchObject([
      { name: "holdfast.navigation", route: "/cart", label: "handed-over timeout-data", n: 2 },
    ]);
    expect((await store.discards(1, noon, noon)).map(({ reason, n }) => [reason, n]).sort()).toEqual([
      ["noisy-error", 5],
      ["not-kept", 1],
    ]);
  });

  it("files the rest if one record fails, and reports the fault", async () => {
    await file(
      record({ eventId: hex("1") }, jsonItem("event", thrown("Error", "one"))),
      record({ eventId: hex("2") }, jsonItem("event", { message: "poison" })),
      record({ eventId: hex("3") }, raw("transaction", "{ no json"), raw("span", "{ no json")),
      record({ eventId: hex("4") }, jsonItem("event", thrown("Error", "four"))),
    );
    expect((await issues()).map(({ title }) => title).sort()).toEqual(["A report could not be read.", "four", "one"]);
    expect(faults).toEqual(["Error: a fault of our own"]);
    expect((await store.discards(1, noon, noon)).map(({ reason }) => reason).sort()).toEqual([
      "filing-fault",
      "unreadable",
    ]);
    expect(await store.appliedUpTo()).toBe(position);
  });

  it("skips the one record that the store cannot write", async () => {
    const refusing: Pick<Store, "commit"> = {
      commit({ upTo, items }) {
        const all = [...items];
        if (all.some((item) => item.kind === "event" && item.title.text === "bad")) throw new Error("cannot take it");
        return store.commit({ upTo, items: all });
      },
    };
    const records = ["a", "b", "bad", "c", "d"].map((text) =>
      record({ eventId: hex(text) }, jsonItem("event", thrown("Error", text))),
    );
    const summary = await fileRecords(filingInto(refusing), records, position);
    expect(summary.events).toBe(4);
    expect((await issues()).map(({ title }) => title).sort()).toEqual(["a", "b", "c", "d"]);
    expect(faults).toEqual(["Error: cannot take it"]);
  });

  it("repeats all records if the disk is full", async () => {
    const full: Pick<Store, "commit"> = {
      commit() {
        throw new StoreUnavailable(new Error("database or disk is full"));
      },
    };
    const records = [record({ eventId: hex("a") }, jsonItem("event", thrown("Error", "a")))];
    await expect(fileRecords(filingInto(full), records, position)).rejects.toThrow(StoreUnavailable);
    expect((await fileRecords(filingInto(store), records, position)).events).toBe(1);
  });

  it("creates no issue for feedback without an event, and files it once with its author, page and steps", async () => {
    const eventId = hex("feedback");
    const feedback = { message: "The cart is\nslow", name: "Jo", contact_email: "jo@shop.test", source: "page" };
    const crumbs = Array.from({ length: 30 }, (_, n) => ({ category: "page", message: `step ${n} token=hunter2` }));
    const reported = {
      event_id: eventId,
      release: "1.0",
      transaction: "/cart",
      request: { url: "https://shop.test/cart?token=hunter2" },
      breadcrumbs: crumbs,
      contexts: { feedback, trace: { trace_id: hex("trace"), span_id: hex("span").slice(0, 16) } },
    };
    await file(record({ eventId }, jsonItem("feedback", reported)));
    await file(record({ eventId }, jsonItem("feedback", reported)));
    expect(await issues()).toEqual([]);
    const list = await store.feedbackList({ project: 1, archived: false, limit: 9 });
    expect(list).toMatchObject([
      {
        ownId: eventId,
        eventId: undefined,
        message: "The cart is\nslow",
        name: "Jo",
        email: "jo@shop.test",
        facts: { source: "page", route: "/cart", release: "1.0", traceId: hex("trace") },
      },
    ]);
    expect(list[0]?.facts.steps).toHaveLength(20);
    expect(JSON.stringify(list)).not.toContain("hunter2");
    expect(await store.feedback(1, { ownId: eventId.slice(0, 15) })).toEqual(list);
    expect(await store.feedback(2, { ownId: eventId })).toEqual([]);
  });

  it("finds an issue by every frame of the application, also of causes and of later events", async () => {
    const frame = (name: string) => ({ filename: `src/${name}.ts`, function: name, in_app: true });
    const names = Array.from({ length: 40 }, (_, at) => `step${at}`);
    const library = { filename: "node_modules/pg/index.js", function: "hidden", in_app: false };
    const failed = (text: string, ...frames: object[]) => ({
      fingerprint: ["one issue"],
      exception: {
        values: [
          { type: "CauseError", stacktrace: { frames: [frame("deepCause"), library] } },
          { type: "Error", value: text, stacktrace: { frames } },
        ],
      },
    });
    await file(record({ eventId: hex("1") }, jsonItem("event", failed("a", ...names.map(frame)))));
    await file(record({ eventId: hex("2") }, jsonItem("event", failed("b", frame("elsewhere")))));
    const found = async (text: string) =>
      (await store.issues({ project: 1, filter: readFilter(text), sort: "last-seen", limit: 9 })).issues.length;
    for (const name of ["step0", "step12", "step39", "deepCause", "elsewhere", "src/elsewhere.ts"])
      expect({ name, found: await found(name) }).toEqual({ name, found: 1 });
    expect(await found("hidden")).toBe(0);
  });

  const raw = (type: string, text: string): EnvelopeItem => ({ header: { type }, payload: Buffer.from(text) });
  const bodyOf = async (eventId: string) => {
    const found = await store.event(1, eventId);
    if (found?.body.kind !== "whole") throw new Error(`The event ${eventId} was not kept whole.`);
    return found.body.event;
  };

  it.each([
    ["is cut off", (text: string) => text.slice(0, -40), "cut off"],
    ["has a control character", (text: string) => text.replace("boom", "boom\u0007"), "characters that JSON forbids"],
    ["has something else in the middle", (text: string) => text.replace('"tags"', "tags"), "from character"],
  ])("files an event whose text %s as far as it can be read, and says so", async (_, breakIt, why) => {
    const eventId = hex("broken");
    const whole = thrown("TypeError", "boom", { extra: { password: "hunter2" }, tags: { a: "b" }, user: { id: "u1" } });
    await file(record({ eventId }, raw("event", breakIt(JSON.stringify(whole))), jsonItem("session", session)));
    expect(await issues()).toMatchObject([{ type: "TypeError", title: expect.stringContaining("boom"), events: 1 }]);
    const event = await bodyOf(eventId);
    expect(event.remarks).toEqual([expect.stringContaining(why)]);
    expect(JSON.stringify(event)).not.toContain("hunter2");
    expect(await store.sessions(1, 0, noon * 2)).toMatchObject([{ started: 1 }]);
  });

  it.each(["", "hello", '[1,{"password":"hunter2"', "null", "7", '"text"', '{"tags":{"a":'])(
    "makes an event of a report that is none (%s), which is found by the id that was acknowledged",
    async (text) => {
      const eventId = hex("none");
      await file(
        record({ eventId }, raw("event", text)),
        record({ eventId: hex("next") }, raw("event", "something else")),
      );
      expect(await issues()).toMatchObject([{ type: undefined, title: "A report could not be read.", events: 2 }]);
      const event = await bodyOf(eventId);
      expect(event.remarks).toHaveLength(1);
      expect(JSON.stringify(event)).not.toContain("hunter2");
    },
  );

  const transaction = {
    type: "transaction",
    transaction: "/cart",
    start_timestamp: noon / 1_000 - 1,
    timestamp: noon / 1_000,
    contexts: { trace: { trace_id: hex("broken trace"), span_id: "aaaaaaaaaaaaaaaa", op: "pageload" } },
    tags: { password: "hunter2" },
  };

  it("files a broken transaction as far as it is readable, and an event that is found by its id and explains the flaw", async () => {
    const eventId = hex("broken transaction");
    await file(record({ eventId }, raw("transaction", `${JSON.stringify(transaction).slice(0, -1)},"spans":[{"op":`)));
    expect(await issues()).toMatchObject([{ title: "A report could not be read.", events: 1 }]);
    expect(await bodyOf(eventId)).toMatchObject({
      remarks: [expect.stringContaining("cut off")],
      trace: { traceId: hex("broken trace") },
    });
    expect(JSON.stringify(await bodyOf(eventId))).not.toContain("hunter2");
    const { spans, events } = await store.trace(1, hex("broken trace"));
    expect([spans.length, events.length]).toEqual([1, 1]);
  });

  it.each([
    ["transaction", '{"contexts":{}}', "A transaction must have contexts.trace with trace_id and span_id."],
    ["transaction", "hello", "no valid JSON"],
    ["feedback", '{"contexts":{}}', "Feedback must have contexts.feedback.message."],
  ])("makes an event of a %s that is none (%s), which is found by its id", async (type, text, why) => {
    const eventId = hex("none");
    await file(record({ eventId }, raw(type, text)));
    expect(await issues()).toMatchObject([{ title: "A report could not be read.", events: 1 }]);
    expect((await bodyOf(eventId)).remarks).toEqual([expect.stringContaining(why)]);
  });

  it("files the most useful parts of an event of 3,000 frames and 30,000 context entries, and notes what was dropped", async () => {
    const eventId = hex("large");
    const frames = Array.from({ length: 3_000 }, (_, lineno) => ({ filename: "a.ts", function: "again", lineno }));
    const state = Object.fromEntries(Array.from({ length: 30_000 }, (_, at) => [`key${at}`, at]));
    const values = [{ type: "RangeError", value: "too deep", stacktrace: { frames } }];
    await file(record({ eventId }, jsonItem("event", { exception: { values }, contexts: { state } })));
    expect(await issues()).toMatchObject([{ type: "RangeError", events: 1 }]);
    expect((await bodyOf(eventId)).remarks).toEqual([
      "Too many frames: 2,750 left out.",
      "Too many entries of context state: 21,000 left out.",
    ]);
  });

  it("keeps a visitor's text, even if it is cut off", async () => {
    const eventId = hex("feedback");
    await file(record({ eventId }, raw("feedback", '{"contexts":{"feedback":{"message":"The cart is slow"')));
    expect(await store.feedback(1)).toMatchObject([{ message: "The cart is slow", ownId: eventId }]);
  });

  it("links a note that names only a digest to its event, whichever arrives first", async () => {
    const note = (eventId: string, message: string) =>
      record(
        {},
        jsonItem("feedback", { contexts: { feedback: { message, digest: digestOf(eventId).toLowerCase() } } }),
      );
    const [first, second] = [hex("first"), hex("second")];
    await file(note(second, "before it"), record({ eventId: first }, jsonItem("event", thrown("Error", "boom"))));
    await file(record({ eventId: second }, jsonItem("event", thrown("Error", "boom"))), note(first, "after it"));
    expect(await store.feedback(1, { eventIds: [first] })).toMatchObject([{ message: "after it" }]);
    expect(await store.feedback(1, { eventIds: [second] })).toMatchObject([{ message: "before it" }]);
    expect(await issues()).toMatchObject([{ title: "boom", events: 2 }]);
  });

  it("links feedback and attachments to their event", async () => {
    const eventId = hex("e");
    await file(
      record({ eventId }, jsonItem("event", thrown("Error", "boom")), {
        header: { type: "attachment", filename: "log.txt", length: 2 },
        payload: Buffer.from("hi"),
      }),
      record(
        {},
        jsonItem("feedback", { contexts: { feedback: { message: "it broke", associated_event_id: eventId } } }),
      ),
      record({}, jsonItem("user_report", { event_id: eventId, comments: "really", name: "Jo" })),
    );
    expect((await store.feedback(1, { eventIds: [eventId] })).map(({ message }) => message).sort()).toEqual([
      "it broke",
      "really",
    ]);
    expect((await store.attachmentsOf(1, eventId)).map(({ filename }) => filename)).toEqual(["log.txt"]);
    expect(await issues()).toHaveLength(1);
  });
});

function thrown(type: string, value: string, fields: object = {}): object {
  return { timestamp: noon / 1000, platform: "javascript", exception: { values: [{ type, value }] }, ...fields };
}

const session = { sid: hex("session"), init: true, started: noon / 1_000, status: "ok", attrs: { release: "1" } };

function span(fields: object): object {
  return {
    trace_id: hex("trace"),
    span_id: "cccccccccccccccc",
    start_timestamp: noon / 1000,
    end_timestamp: noon / 1000 + 0.1,
    ...fields,
  };
}
