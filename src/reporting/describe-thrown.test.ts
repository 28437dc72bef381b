import { describe, expect, test } from "vitest";
import { describeThrown } from "./describe-thrown.ts";
import { reportingLimits } from "./limits.ts";

describe("what was thrown", () => {
  test("is told with its causes, the thrown error last", () => {
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
    ["an empty object", {}, "Object captured as exception with no keys"],
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

  test("may be a proxy that throws at every look", () => {
    const refuse = (): never => {
      throw new Error("no");
    };
    const proxy = new Proxy({}, { get: refuse, getPrototypeOf: refuse, ownKeys: refuse, has: refuse });
    expect(describeThrown(proxy, mechanism, reportingLimits).exceptions).toHaveLength(1);
  });
});

const mechanism = { type: "test", handled: false };
