import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readLeniently } from "./json.ts";
import { salvageJson } from "./salvage-json.ts";

describe("JSON that is broken", () => {
  it("is read up to the place where it is cut off", () => {
    const whole = { id: "a", list: [1, { deep: "text" }], end: true };
    const text = JSON.stringify(whole);
    expect(read(text.slice(0, -1))).toEqual(whole);
    expect(read('{"id":"a","list":[1,{"deep":"te')).toEqual({ id: "a", list: [1, { deep: "te…" }] });
    expect(read('{"id":"a","li')).toEqual({ id: "a" });
    expect(read('{"id":')).toEqual({});
    expect(read("")).toBeUndefined();
  });

  it("keeps texts with control characters, and replaces numbers that are none", () => {
    expect(read('{"a":"one\ttwo\nthree\u0001","b":NaN,"c":-Infinity,"d":-1.5e3}')).toEqual({
      a: "one\ttwo\nthree\u0001",
      b: null,
      c: null,
      d: -1_500,
    });
    expect(read('{"a":"\\u00e9\\n\\"\\\\\\/","b":nonsense,"c":1}')).toEqual({ a: 'é\n"\\/' });
  });

  it("is not read deeper than the limit, and a key named __proto__ stays a key", () => {
    expect(salvageJson("[".repeat(100_000), 3)).toEqual({ value: [[[]]], readTo: 4 });
    expect(Object.entries(read('{"__proto__":{"x":1},"') as object)).toEqual([["__proto__", { x: 1 }]]);
  });

  it("is read like JSON.parse reads it if it is valid", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(read(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it("never throws and always ends, for any text", () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.string({ maxLength: 3 }), (json, at, noise) => {
        const cut = at % (json.length + 1);
        const text = json.slice(0, cut) + noise + json.slice(cut + 1);
        expect(salvageJson(text, 64).readTo).toBeLessThanOrEqual(text.length);
      }),
    );
  });

  it("is described without quoting it", () => {
    expect(readLeniently('{"password":"hunter2" oops', 64).flaw).toBe(
      "It is no valid JSON from character 22 of 26 on.",
    );
    expect(readLeniently('{"password":"hunter2', 64).flaw).toContain("cut off");
    expect(readLeniently("{}", 64)).toEqual({ value: {} });
  });
});

function read(text: string): unknown {
  return salvageJson(text, 64).value;
}
