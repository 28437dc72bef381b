import { describe, expect, test } from "vitest";
import { reportingLimits } from "../limits.ts";
import { describeThrown } from "./describe-thrown.ts";

describe("what was thrown", () => {
  test("is described with its causes, the thrown error last", () => {
    const root = new RangeError("disk full");
    const { exceptions } = describeThrown(new TypeError("cannot save", { cause: root }), mechanism, reportingLimits);
    expect(exceptions.map(({ type, value }) => [type, value])).toEqual([
      ["RangeError", "disk full"],
      ["TypeError", "cannot save"],
    ]);
    expect(exceptions.map((one) => one.mechanism)).toEqual([
      { type: "chained", handled: false, source: "cause", parent_id: 0, exception_id: 1 },
      { type: "test", handled: false, exception_id: 0 },
    ]);
    expect(exceptions[1]?.stacktrace?.frames.at(-1)?.filename).toContain("describe-thrown.test.ts");
  });

  test("may be several errors at once", () => {
    const { exceptions } = describeThrown(
      new AggregateError([new Error("a"), new Error("b")], "both"),
      mechanism,
      reportingLimits,
    );
    expect(exceptions.map(({ value, mechanism: { source } }) => [value, source])).toEqual([
      ["b", "errors[1]"],
      ["a", "errors[0]"],
      ["both", undefined],
    ]);
    expect(exceptions.at(-1)?.mechanism.is_exception_group).toBe(true);
  });

  test("may name itself as its cause", () => {
    const error = new Error("round");
    error.cause = error;
    expect(describeThrown(error, mechanism, reportingLimits).exceptions).toHaveLength(1);
  });

  test.each([
    ["null", null, "null"],
    ["undefined", undefined, "undefined"],
    ["a text", "boom", "boom"],
    ["a number", 7, "7"],
    ["a symbol", Symbol("s"), "Symbol(s)"],
    ["an object", { code: 7, why: "x" }, "Object captured as exception with keys: code, why"],
    ["an object with keys in no order", { why: "x", code: 7 }, "Object captured as exception with keys: code, why"],
    ["an empty object", {}, "Object captured as exception with keys: [object has no keys]"],
    ["a list", ["a", 2], "a,2"],
    ["a frozen object", Object.freeze({ a: 1 }), "Object captured as exception with keys: a"],
    [
      "an object without prototype",
      Object.assign(Object.create(null), { a: 1 }),
      "Object captured as exception with keys: a",
    ],
  ])("may be %s", (_, thrown, value) => {
    const { exceptions } = describeThrown(thrown, mechanism, reportingLimits);
    expect(exceptions).toEqual([{ type: "Error", value, mechanism: { ...mechanism, synthetic: true } }]);
  });

  test("may be an error whose properties throw", () => {
    const error = new Error("hidden");
    for (const name of ["message", "stack", "name", "cause"])
      Object.defineProperty(error, name, {
        get: () => {
          throw new Error("no");
        },
      });
    expect(describeThrown(error, mechanism, reportingLimits).exceptions).toMatchObject([{ type: "Error", value: "" }]);
  });

  test("may be a proxy that throws at every access", () => {
    const refuse = (): never => {
      throw new Error("no");
    };
    const proxy = new Proxy({}, { get: refuse, getPrototypeOf: refuse, ownKeys: refuse, has: refuse });
    expect(describeThrown(proxy, mechanism, reportingLimits).exceptions).toHaveLength(1);
  });

  test("is described as a rejection if it is one, in the words of the official client for browsers", () => {
    const rejection = { type: "auto.browser.global_handlers.onunhandledrejection", handled: false };
    const described = (thrown: unknown) => describeThrown(thrown, rejection, reportingLimits).exceptions[0];
    expect(described("boom")).toMatchObject({
      type: "UnhandledRejection",
      value: "Non-Error promise rejection captured with value: boom",
    });
    expect(described({ b: 1, a: 2 })?.value).toBe("Object captured as promise rejection with keys: a, b");
    expect(described(new TypeError("an error"))).toMatchObject({ type: "TypeError", value: "an error" });
  });

  test("may be an event", () => {
    const { exceptions } = describeThrown(new Event("stalled"), mechanism, reportingLimits);
    expect(exceptions).toMatchObject([
      { type: "Event", value: "Event `Event` (type=stalled) captured as exception", mechanism: { synthetic: true } },
    ]);
  });

  test("may be an object that carries the error", () => {
    const { exceptions, serialized } = describeThrown(
      { code: 7, reason: new TypeError("inside") },
      mechanism,
      reportingLimits,
    );
    expect(exceptions).toMatchObject([{ type: "TypeError", value: "inside" }]);
    expect(serialized).toEqual({ code: 7, reason: "[TypeError: inside]" });
  });

  test("may be a hundred thousand errors at once, and have a name and a stack of megabytes", () => {
    const errors = Array.from({ length: 100_000 }, () => new Error("one"));
    expect(describeThrown(new AggregateError(errors, "all"), mechanism, reportingLimits).exceptions).toHaveLength(6);
    const huge = new Error("huge");
    huge.name = "N".repeat(1_000_000);
    huge.stack = `Error: huge\n${"    at f (/a.js:1:1)\n".repeat(500_000)}`;
    const [context] = describeThrown(huge, mechanism, reportingLimits).exceptions;
    expect(context?.type).toHaveLength(200);
    expect(context?.stacktrace?.frames).toHaveLength(50);
  });

  test("has the calls of its stack, not lines of its message that look like calls", () => {
    const typed = "no such order: \n    at admin (/etc/passwd:1:1)\nhttps://evil.example/x.js:1:2";
    const [context] = describeThrown(new Error(typed), mechanism, reportingLimits).exceptions;
    expect(context?.value).toBe(typed);
    const files = context?.stacktrace?.frames.map(({ filename }) => filename) ?? [];
    expect(files.at(-1)).toContain("describe-thrown.test.ts");
    expect(files.filter((file) => /passwd|evil/.test(file))).toEqual([]);
  });
});

const mechanism = { type: "test", handled: false };
