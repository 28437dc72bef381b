import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readTagged, writeTagged } from "./tagged-json.ts";

const limits = { dataDepth: 64, dataBytes: 1_000_000 };
const roundTrip = (value: unknown): unknown => readTagged(writeTagged(value, limits));

describe("page data on its way to the browser", () => {
  it("keeps the types that JSON lacks", () => {
    const value = {
      when: new Date(1_700_000_000_000),
      never: new Date(Number.NaN),
      by: new Map<unknown, unknown>([["~d", { deep: new Set([1n, undefined]) }]]),
      size: 12345678901234567890n,
      nothing: undefined,
      address: new URL("https://example.test/a?b#c"),
      odd: [Number.NaN, Infinity, -Infinity, -0],
      list: ["~d", 1],
      set: new Set(["~x"]),
    };
    expect(roundTrip(value)).toEqual(value);
    expect(Object.keys(roundTrip({ nothing: undefined }) as object)).toEqual(["nothing"]);
  });

  it.each(['{"a":{"__proto__":{"admin":true}}}', '{"__proto__":"x","b":2}', '{"__proto__":null}'])(
    "keeps a key named __proto__ in %s as a key, also beside a value that JSON lacks",
    (json) => {
      for (const value of [JSON.parse(json), { when: new Date(1), ...JSON.parse(json), last: 1n }]) {
        const read = roundTrip(value);
        expect(read).toStrictEqual(value);
        expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
        expect(Object.keys(read as object)).toEqual(Object.keys(value));
      }
      expect("admin" in {}).toBe(false);
    },
  );

  it("keeps the name and message of an error", () => {
    const error = roundTrip(new RangeError("too far")) as Error;
    expect([error instanceof Error, error.name, error.message]).toEqual([true, "RangeError", "too far"]);
  });

  it("is read as the same value that was written", () => {
    const leaf = fc.oneof(
      fc.string(),
      fc.constantFrom("~", "~d", "~a", '["~d"'),
      fc.double(),
      fc.boolean(),
      fc.constant(null),
      fc.constant(undefined),
      fc.bigInt(),
      fc.date({ noInvalidDate: false }),
    );
    const anything = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: "small" },
        leaf,
        fc.array(tie("value")),
        fc.dictionary(key, tie("value"), { noNullPrototype: true }),
        map(tie("value")),
        set,
      ),
    })).value;
    fc.assert(
      fc.property(anything, (value) => {
        expect(roundTrip(value)).toStrictEqual(value);
      }),
      { numRuns: 500 },
    );
  });

  it("does not change the data it writes", () => {
    const value = { list: [new Date(1), { inner: 1n }], plain: { a: 1 } };
    writeTagged(value, limits);
    expect(value).toEqual({ list: [new Date(1), { inner: 1n }], plain: { a: 1 } });
  });

  it("passes promises on to be streamed, and returns them by their number", async () => {
    const kept: unknown[] = [];
    const text = writeTagged({ a: { b: Promise.resolve(7) } }, limits, (promise) => kept.push(promise));
    const read = readTagged(text, async (id) => `late ${id}`) as { a: { b: Promise<string> } };
    expect([kept.length, await read.a.b]).toEqual([1, "late 1"]);
  });

  it.each([
    [
      "a class instance",
      { order: { lines: [1, new (class Money {})()] } },
      /an instance of Money at data\.order\.lines\[1\]/,
    ],
    ["a function", { on: { click: () => 1 } }, /a function at data\.on\.click/],
    ["a symbol", [Symbol("x")], /a symbol at data\[0\]/],
  ])("refuses %s with the path of the value", (_what, value, message) => {
    expect(() => writeTagged(value, limits)).toThrow(message);
  });

  it("refuses a cycle with its path", () => {
    const value: Record<string, unknown> = { a: {} };
    (value.a as Record<string, unknown>).back = value;
    expect(() => writeTagged(value, limits)).toThrow(/a cycle at data\.a\.back/);
  });

  it("refuses what is too deep or too large", () => {
    const deep = JSON.parse(`${"[".repeat(80)}${"]".repeat(80)}`);
    expect(() => writeTagged(deep, limits)).toThrow(/more than 64 levels/);
    expect(() => writeTagged("x".repeat(2000), { ...limits, dataBytes: 1000 })).toThrow(/2002 characters/);
  });

  it("refuses to read a tag it does not know, or a bottomless value", () => {
    expect(() => readTagged('["~z",1]')).toThrow(/~z/);
    expect(() => readTagged(`${"[".repeat(100_000)}["~u"]${"]".repeat(100_000)}`)).toThrow(RangeError);
  });
});

const key = fc.oneof(fc.string(), fc.constant("__proto__"));
const map = (value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.array(fc.tuple(fc.oneof(fc.string(), fc.constantFrom("~d", "~a")), value)).map((pairs) => new Map(pairs));
const set = fc.uniqueArray(fc.oneof(fc.string(), fc.integer())).map((items) => new Set(items));
