import { describe, expect, test } from "vitest";
import { readAbout, readFields, readGivenAttributes, readGivenLevel, readText, readUser } from "./read-given.ts";

const cycle: Record<string, unknown> = { a: 1 };
cycle.self = cycle;
const refuse = (): never => {
  throw new Error("no");
};
const closed = new Proxy({}, { get: refuse, ownKeys: refuse, getPrototypeOf: refuse });
const broken = {
  get tags(): never {
    return refuse();
  },
};

describe("values that an application passes are converted for a report:", () => {
  test.each([
    ["a text", "plain", "plain"],
    ["a number", 42, "42"],
    ["nothing", undefined, "[undefined]"],
    ["an object", { a: 1 }, '{"a":1}'],
    ["a large integer", 7n, "[bigint 7]"],
    ["an object that is no text", { toString: refuse }, '{"toString":"[function]"}'],
    ["a proxy that throws", closed, "[unreadable]"],
  ])("%s as a text", (_, given, text) => {
    expect(readText(given)).toBe(text);
  });

  test("a text is cut to the length of a message", () => {
    expect(readText("x".repeat(5_000_000))).toHaveLength(8_192);
  });

  test("tags are texts, further values are limited, and missing ones are left out", () => {
    expect(readAbout({ tags: { n: 1n, o: { a: 1 }, u: undefined, s: "s" }, extra: { cycle } })).toEqual({
      tags: { n: "[bigint 1]", o: '{"a":1}', s: "s" },
      extra: { cycle: { a: 1, self: { a: 1, self: { a: 1, self: "[Object]" } } } },
    });
    expect(readAbout({ tags: undefined, extra: null })).toEqual({});
    expect(readAbout({ extra: [1, 2] })).toEqual({ extra: { value: [1, 2] } });
    for (const given of [null, undefined, "text", 7, closed]) expect(readAbout(given)).toEqual({});
    expect(readAbout(broken)).toEqual({ tags: {} });
  });

  test("attributes are texts, numbers and booleans", () => {
    expect(
      readGivenAttributes({ n: 7, b: true, s: "s", nan: Number.NaN, big: 1n, deep: { a: [1] }, none: undefined }),
    ).toEqual({
      n: 7,
      b: true,
      s: "s",
      nan: "[NaN]",
      big: "[bigint 1]",
      deep: '{"a":[1]}',
    });
    for (const given of [null, "text", closed]) expect(readGivenAttributes(given)).toEqual({});
    expect(() => JSON.stringify(readGivenAttributes(cycle))).not.toThrow();
  });

  test("a visitor has an id, in every form", () => {
    expect(readUser("ada")).toEqual({ id: "ada" });
    expect(readUser(7)).toEqual({ id: "7" });
    expect(readUser({ id: "u1", name: "Ada" })).toEqual({ id: "u1", name: "Ada" });
    expect(readUser({ id: 1n })).toEqual({ id: "[bigint 1]" });
    expect([readUser(null), readUser(undefined)]).toEqual([undefined, undefined]);
  });

  test("a level is one of five, and the data of a breadcrumb has names", () => {
    expect([readGivenLevel("warning"), readGivenLevel("loud"), readGivenLevel(undefined)]).toEqual([
      "warning",
      "info",
      "info",
    ]);
    expect([readFields({ a: 1 }), readFields(null), readFields("x")]).toEqual([
      { a: 1 },
      { value: null },
      { value: "x" },
    ]);
  });
});
