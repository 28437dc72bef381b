import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonExcess, readJson } from "../json.ts";
import { readCheckIn } from "./check-in.ts";
import { readClientReport } from "./client-report.ts";
import { type ReportedEvent, readEvent } from "./event.ts";
import { readFeedback, readUserReport } from "./feedback.ts";
import { readLogs } from "./log.ts";
import { readMetrics } from "./metric.ts";
import { readReplay } from "./replay.ts";
import { readSession, readSessionCounts } from "./session.ts";
import { readSpans } from "./span.ts";
import { readTransaction, readTransactionRoot } from "./transaction.ts";

describe("an event", () => {
  it("is read alike from the forms of different clients", () => {
    const exception = { type: "TypeError", value: "boom" };
    for (const form of [{ values: [exception] }, [exception], exception])
      expect(eventOf({ exception: form }).exceptions).toEqual([{ ...exception, frames: [] }]);
    for (const form of [[{ category: "x" }], { values: [{ category: "x" }] }])
      expect(eventOf({ breadcrumbs: form }).breadcrumbs).toEqual([{ category: "x" }]);
    for (const form of [{ a: "1" }, [["a", 1]], [{ key: "a", value: "1" }]])
      expect(eventOf({ tags: form }).tags).toEqual({ a: "1" });
    for (const form of [
      1_700_000_000.5,
      "1700000000.5",
      "2023-11-14T22:13:20.500Z",
      "2023-11-14T22:13:20.500",
      "2023-11-14T23:13:20.5+01:00",
    ]) {
      expect(eventOf({ timestamp: form }).timestampMs).toBe(1_700_000_000_500);
    }
  });

  it("is read from the long field names of the first clients", () => {
    const event = eventOf({
      "sentry.interfaces.Message": { message: "Hello %s", params: ["Ada"] },
      "sentry.interfaces.Exception": { type: "ValueError", value: "boom" },
      "sentry.interfaces.Stacktrace": { frames: [{ function: "run" }] },
      "sentry.interfaces.Http": { url: "http://x.org/", method: "GET" },
      "sentry.interfaces.User": { id: 7 },
    });
    expect(event).toMatchObject({
      message: { text: "Hello Ada" },
      exceptions: [{ type: "ValueError", frames: [{ function: "run" }] }],
      request: { url: "http://x.org/" },
      user: { id: "7" },
    });
  });

  it("has its message with its template", () => {
    expect(eventOf({ message: "plain" }).message).toEqual({ text: "plain" });
    expect(eventOf({ logentry: { message: "Hello %s", params: ["Ada"], formatted: "Hello Ada" } }).message).toEqual({
      text: "Hello Ada",
      template: "Hello %s",
      params: ["Ada"],
    });
  });

  it("fills the values into the template if the client leaves that to the service", () => {
    const textOf = (logentry: object): string | undefined => eventOf({ logentry }).message?.text;
    expect(textOf({ message: "%s of %d failed", params: ["Order", 7] })).toBe("Order of 7 failed");
    expect(textOf({ message: "%s of %s failed", params: ["Order"] })).toBe("Order of %s failed");
    expect(textOf({ message: "100 % sure", params: ["Order"] })).toBe("100 % sure");
    expect(textOf({ message: "{} of {} failed", params: ["Order", null] })).toBe("Order of  failed");
    expect(textOf({ message: "{1} before {0}, {2}", params: ["b", "a"] })).toBe("a before b, {2}");
    expect(textOf({ message: "%(who)s asks {what} {__proto__}", params: { who: "Ada", what: 7 } })).toBe(
      "Ada asks 7 {__proto__}",
    );
    expect(textOf({ message: "%s", params: ["x".repeat(100_000)] })?.length).toBeLessThan(10_000);
  });

  it("has the frames of the crashed thread if no exception has any", () => {
    const threads = {
      values: [
        { stacktrace: { frames: [{ function: "idle" }] } },
        { crashed: true, stacktrace: { frames: [{ function: "crash" }] } },
      ],
    };
    expect(eventOf({ threads }).frames).toEqual([{ function: "crash" }]);
  });

  it("gives the thrown error the stack that native clients send with its thread", () => {
    const threads = { values: [{ crashed: true, stacktrace: { frames: [{ function: "crash" }] } }] };
    const exception = (stacktrace?: object) => ({
      values: [{ type: "Cause" }, { type: "EXC_BAD_ACCESS", ...(stacktrace ? { stacktrace } : {}) }],
    });
    const crashed = eventOf({ threads, exception: exception() });
    expect(crashed.exceptions.map(({ frames }) => frames)).toEqual([[], [{ function: "crash" }]]);
    expect(crashed.frames).toBeUndefined();
    const own = eventOf({ threads, exception: exception({ frames: [{ function: "thrower" }] }) });
    expect(own.exceptions.map(({ frames }) => frames)).toEqual([[], [{ function: "thrower" }]]);
    expect(own.frames).toBeUndefined();
  });

  it("names the library of native code, and the address of a function without a name", () => {
    const frames = [
      { package: "/private/var/containers/Shop.app/Shop", function: "-[Cart pay:]", instruction_addr: "0x10b" },
      { package: "C:\\app\\shop.dll", instruction_addr: "0x102a8" },
      { package: "Shop, Version=1.0.0.0, Culture=neutral", function: "Main" },
      { package: "shop", filename: "cart.dart", function: "build" },
    ];
    expect(eventOf({ exception: { stacktrace: { frames } } }).exceptions[0]?.frames).toEqual([
      { module: "Shop", function: "-[Cart pay:]" },
      { module: "shop.dll", function: "0x102a8" },
      { module: "Shop", function: "Main" },
      { filename: "cart.dart", function: "build" },
    ]);
  });

  it("reads headers and queries in the forms of all languages", () => {
    const requestOf = (request: object) => eventOf({ request }).request;
    expect(requestOf({ headers: { Accept: ["text/html", "*/*"], Host: ["x.org"] } })?.headers).toEqual({
      Accept: "text/html, */*",
      Host: "x.org",
    });
    expect(requestOf({ headers: [["Accept", "text/html"]] })?.headers).toEqual({ Accept: "text/html" });
    expect(
      requestOf({
        query_string: [
          ["a", "1 2"],
          ["b", ""],
        ],
      })?.queryString,
    ).toBe("a=1+2&b=");
    expect(requestOf({ query_string: "a=1" })?.queryString).toBe("a=1");
    expect(requestOf({ query_string: { a: "1", b: 2 } })?.queryString).toBe("a=1&b=2");
    expect(requestOf({ query_string: {} })?.queryString).toBeUndefined();
  });

  it("understands the levels of other languages", () => {
    const levels = ["warn", "WARNING", "notice", "Information", "critical", "emergency", "alert", "panic", "verbose"];
    expect(levels.map((level) => eventOf({ level }).level)).toEqual([
      ...["warning", "warning", "info", "info", "fatal", "fatal", "fatal", "fatal", "debug"],
    ]);
  });

  it("keeps the outermost and the innermost frames of an endless recursion", () => {
    const frames = Array.from({ length: 10_000 }, (_, index) => ({ lineno: index }));
    const kept = eventOf({ exception: { stacktrace: { frames } } }).exceptions[0]?.frames ?? [];
    expect(kept).toHaveLength(250);
    expect([kept[0]?.line, kept[124]?.line, kept[125]?.line, kept[249]?.line]).toEqual([0, 124, 9_875, 9_999]);
  });

  it("keeps most of an event that is too large, and notes what was left out", () => {
    const many = (n: number): object => Object.fromEntries(Array.from({ length: n }, (_, at) => [`k${at}`, at]));
    const frames = Array.from({ length: 3_000 }, (_, lineno) => ({ lineno, vars: { a: 1, b: { c: [1, 2] } } }));
    const event = eventOf({
      exception: { values: [{ type: "E", stacktrace: { frames } }] },
      contexts: { state: many(20_000), trace: { trace_id: "a".repeat(32) } },
      extra: many(5_000),
      tags: many(101),
      breadcrumbs: Array.from({ length: 150 }, () => ({ message: "x" })),
    });
    expect(event.remarks).toEqual([
      "Too many frames: 2,750 left out.",
      "Too many tags: 1 left out.",
      "Too many entries of context state: 12,250 left out.",
      "Too many entries of extra: 4,500 left out.",
      "Too many breadcrumbs: 50 left out.",
    ]);
    expect(event.exceptions[0]?.frames).toHaveLength(250);
    expect(event.exceptions[0]?.frames[0]?.vars).toEqual({ a: 1, b: { c: [1, 2] } });
    expect(Object.keys(event.contexts.state ?? {})).toHaveLength(7_750);
    expect(event.trace?.traceId).toBe("a".repeat(32));
  });

  it("keeps all of an event within the limits, without a remark", () => {
    const extra = Object.fromEntries(Array.from({ length: 8_999 }, (_, at) => [`k${at}`, at]));
    const event = eventOf({ extra, contexts: { a: { b: 1 } } });
    expect(event.remarks).toBeUndefined();
    expect(event.extra).toBe(extra);
  });

  it("keeps the variables next to the error if there are too many", () => {
    const vars = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`v${at}`, at]));
    const [thrown] = eventOf({ exception: { stacktrace: { frames: Array(50).fill({ vars }) } } }).exceptions;
    const sizes = thrown?.frames.map((frame) => Object.keys(frame.vars ?? {}).length);
    expect(sizes?.slice(-9)).toEqual(Array(9).fill(1_000));
    expect(sizes?.[0]).toBeLessThan(10);
  });

  it("does not follow values that are nested too deeply", () => {
    let deep: object = {};
    for (let level = 0; level < 20_000; level += 1) deep = { deep };
    const event = eventOf({ extra: { deep } });
    expect(JSON.stringify(event.extra).length).toBeLessThan(1_000);
    expect(event.remarks).toEqual(["Too many entries of extra: 1 left out."]);
  });

  it("reads hostile values as text", () => {
    const event = eventOf(
      JSON.parse(
        '{"message":"\\u0000\\ud800\\u202e","tags":{"__proto__":"x","big":1e400},"timestamp":"9999-01-01","level":{}}',
      ),
    );
    expect(event.message?.text).toBe("\uFFFD\uFFFD\u202e");
    expect(Object.entries(event.tags)).toEqual([
      ["__proto__", "x"],
      ["big", "Infinity"],
    ]);
    expect(event.timestampMs).toBeUndefined();
    expect(event.level).toBe("error");
    expect(eventOf({ timestamp: -1 }).timestampMs).toBeUndefined();
  });
});

describe("every reader", () => {
  it.each(
    Object.entries({
      readEvent,
      readTransaction,
      readSpans,
      readSession,
      readSessionCounts,
      readLogs,
      readMetrics,
      readFeedback,
      readUserReport,
      readCheckIn,
      readClientReport,
      readReplay,
    }),
  )("%s makes something of any JSON or says why not, and never throws", (_name, read) => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.dictionary(fc.constantFrom(...fieldNames), fc.jsonValue())), (value) => {
        expect(["read", "unreadable"]).toContain(read(value).kind);
      }),
    );
  });
});

describe("the root of a transaction", () => {
  const trace = { trace_id: "a".repeat(32), span_id: "c".repeat(16), op: "pageload", data: { "http.route": "/x" } };
  const whole = {
    event_id: "d".repeat(32),
    transaction: "/x",
    start_timestamp: 1,
    timestamp: 2,
    release: "shop@1",
    environment: "production",
    user: { id: 7 },
    contexts: { trace, session: { id: "s" }, browser: { name: "Chrome" } },
    measurements: { lcp: { value: 3, unit: "second" } },
    spans: [{ span_id: "b".repeat(16), start_timestamp: 1, description: "db" }],
  };

  it("is read alone as with its children", () => {
    const [root, transaction] = [readTransactionRoot(whole), readTransaction(whole)];
    if (root.kind !== "read" || transaction.kind !== "read") throw new Error("unreadable");
    const { event, name, segment, measurements } = transaction.value;
    expect(root.value).toMatchObject({ name, segment, measurements });
    const { release, environment, user, contexts } = event;
    expect(root.value.event).toMatchObject({ release, environment, user });
    expect(root.value.event.contexts.session).toEqual(contexts.session);
  });

  it.each([
    [null],
    [[]],
    [{ ...whole, timestamp: "never" }],
    [{ ...whole, start_timestamp: undefined }],
    [{ ...whole, contexts: { trace: { trace_id: trace.trace_id } } }],
    [{ ...whole, contexts: { trace: [] } }],
  ])("is unreadable for the same reason: %j", (value) => {
    expect(readTransactionRoot(value)).toEqual(readTransaction(value));
    expect(readTransactionRoot(value).kind).toBe("unreadable");
  });
});

describe("a span", () => {
  it("is equal from a container, a transaction and an old client", () => {
    const ids = { trace_id: "a".repeat(32), span_id: "b".repeat(16) };
    const times = { start_timestamp: 1, timestamp: 2 };
    const asItem = readSpans({
      version: 2,
      items: [
        {
          ...ids,
          start_timestamp: 1,
          end_timestamp: 2,
          name: "db",
          attributes: { "sentry.op": { value: "db.query", type: "string" } },
        },
      ],
    });
    const asChild = readTransaction({
      ...times,
      transaction: "/x",
      contexts: { trace: { trace_id: ids.trace_id, span_id: "c".repeat(16) } },
      spans: [{ span_id: ids.span_id, ...times, description: "db", op: "db.query" }],
    });
    const expected = {
      traceId: ids.trace_id,
      spanId: ids.span_id,
      name: "db",
      op: "db.query",
      startMs: 1_000,
      endMs: 2_000,
      status: "ok",
    };
    expect(asItem).toMatchObject({ value: [expected] });
    expect(asChild).toMatchObject({ value: { spans: [expected], segment: { name: "/x", isSegment: true } } });
  });

  it("never ends before it begins", () => {
    const span = { trace_id: "a".repeat(32), span_id: "b".repeat(16), start_timestamp: 5, end_timestamp: 4 };
    expect(readSpans({ items: [span] })).toMatchObject({ value: [{ startMs: 5_000, endMs: 5_000 }] });
  });
});

describe("the scan of a payload's shape", () => {
  const bounds = { jsonDepth: 4, jsonKeys: 3 };
  it("counts depth and keys, and nothing inside texts", () => {
    expect(jsonExcess(Buffer.from('{"a":[[[1]]],"b":":{[","c":"\\":\\\\"}'), bounds)).toBeUndefined();
    expect(jsonExcess(Buffer.from("[[[[[1]]]]]"), bounds)).toContain("4 levels");
    expect(jsonExcess(Buffer.from('{"a":1,"b":2,"c":3,"d":4}'), bounds)).toContain("3 keys");
  });

  it("agrees with the parser on every JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
        const text = JSON.stringify(value);
        const keys = countKeys(JSON.parse(text));
        expect(jsonExcess(Buffer.from(text), { jsonDepth: 64, jsonKeys: keys })).toBeUndefined();
        if (keys > 0) expect(jsonExcess(Buffer.from(text), { jsonDepth: 64, jsonKeys: keys - 1 })).toBeDefined();
        expect(readJson(Buffer.from(text), { jsonDepth: 64, jsonKeys: keys })).toEqual({
          kind: "read",
          value: JSON.parse(text),
        });
      }),
    );
  });
});

const fieldNames = [
  "exception",
  "message",
  "logentry",
  "tags",
  "breadcrumbs",
  "timestamp",
  "contexts",
  "spans",
  "items",
  "sid",
  "started",
  "aggregates",
  "user",
  "request",
  "threads",
  "debug_meta",
  "trace_id",
  "span_id",
  "start_timestamp",
  "comments",
  "replay_id",
  "monitor_slug",
  "status",
  "discarded_events",
  "fingerprint",
  "stacktrace",
];

function eventOf(value: unknown): ReportedEvent {
  const reading = readEvent(value);
  if (reading.kind === "unreadable") throw new Error(reading.why);
  return reading.value;
}

function countKeys(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, entry) => sum + countKeys(entry), 0);
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce((sum: number, entry) => sum + 1 + countKeys(entry), 0);
}
