import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readSearch, type SearchNode } from "./read-search.ts";
import { searchDepth, withoutDefaults, writeDefaults, writeSearch } from "./write-search.ts";

const limits = { searchValues: 200 };

function fieldsOf(search: string): Map<string, SearchNode> {
  const read = readSearch(new URLSearchParams(search), limits);
  if (read.kind === "refused") throw new Error(read.why);
  return read.fields;
}

/** All that one value of an address can be read as, in order. */
function readingsOf(node: SearchNode | undefined): unknown[] {
  const readings = [node?.read()];
  for (let other = node?.findOther([]); other; other = node?.findOther([])) {
    other.readOtherwise();
    readings.push(node?.read());
  }
  return readings;
}

describe("the search of an address", () => {
  it("has one form", () => {
    const search = {
      q: "boots & more",
      page: 2,
      open: false,
      from: new Date("2026-01-01"),
      until: new Date("2026-01-01T10:30:00Z"),
      tag: ["a", "b"],
      price: { min: 3, max: { value: 9 } },
      lines: [{ sku: "x" }, { sku: "y" }],
      nothing: undefined,
      none: null,
      empty: [],
      never: new Date("?"),
    };
    expect(decodeURIComponent(writeSearch(search)).split("&")).toEqual([
      "?q=boots+",
      "+more",
      "page=2",
      "open=false",
      "from=2026-01-01",
      "until=2026-01-01T10:30:00.000Z",
      "tag=a",
      "tag=b",
      "price.min=3",
      "price.max.value=9",
      "lines.0.sku=x",
      "lines.1.sku=y",
    ]);
    expect(writeSearch({})).toBe("");
  });

  it("is read as text first, then as what the text looks like, then as a list", () => {
    const first = (search: string) => readingsOf(fieldsOf(search).values().next().value);
    expect(first("x=2")).toEqual(["2", 2, ["2"]]);
    expect(first("x=true")).toEqual(["true", true, ["true"]]);
    expect(first("x=on")).toEqual(["on", true, ["on"]]);
    expect(first("x=2026-02-28")).toEqual(["2026-02-28", new Date("2026-02-28"), ["2026-02-28"]]);
    expect(first("x=2026-02-28T10:30")[1]).toEqual(new Date("2026-02-28T10:30:00Z"));
    expect(first("x=2026-02-31")).toEqual(["2026-02-31", ["2026-02-31"]]);
    expect(first("x=1e999")).toEqual(["1e999", ["1e999"]]);
    // A hidden field before a checkbox: where no list is wanted, the last one counts.
    expect(first("x=false&x=true")).toEqual([["false", "true"], "true", true]);
    // An empty field of a form: an empty list, or nothing.
    expect(first("x=")).toEqual(["", [], undefined]);
    expect(first("x.1.a=q&x.0.a=p")).toEqual([{ 0: { a: "p" }, 1: { a: "q" } }, [{ a: "p" }, { a: "q" }]]);
  });

  it("is read back as it was written", () => {
    const key = fc.stringMatching(/^[\p{L}_$ -]{1,6}$/u).filter((one) => one !== "__proto__");
    const text = fc.string({ unit: "grapheme", minLength: 1 }).filter((one) => one.isWellFormed());
    const day = fc.date({ min: new Date("-009999-01-01"), max: new Date("9999-12-31"), noInvalidDate: true });
    const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => (Object.is(one, -0) ? 0 : one));
    const scalar = fc.oneof(text, number, fc.boolean(), day);
    const value = fc.letrec((tie) => ({
      any: fc.oneof({ maxDepth: 4 }, scalar, fc.array(scalar, { minLength: 1, maxLength: 5 }), tie("nested")),
      nested: fc.oneof(
        fc.dictionary(key, tie("any"), { minKeys: 1, maxKeys: 3 }),
        fc.array(fc.dictionary(key, scalar, { minKeys: 1, maxKeys: 3 }), { minLength: 1, maxLength: 3 }),
      ),
    })).any;
    fc.assert(
      fc.property(fc.dictionary(key, value, { maxKeys: 5 }), (search) => {
        const fields = fieldsOf(writeSearch(search));
        expect([...fields.keys()]).toEqual(Object.keys(search));
        for (const [name, written] of Object.entries(search)) expectSame(fields.get(name), written, []);
      }),
      { numRuns: 300 },
    );
  });

  it("leaves out what the page has without it, whole keys only", () => {
    const usual = { q: "", page: 1, from: new Date(0), tag: ["a"], price: { min: 0, max: 9 } };
    const defaults = writeDefaults(usual);
    expect(withoutDefaults(usual, defaults)).toEqual({});
    expect(withoutDefaults({ q: "x", page: 1, price: { min: 1, max: 9 }, other: 1 }, defaults)).toEqual({
      q: "x",
      price: { min: 1, max: 9 },
      other: 1,
    });
    expect(writeSearch(withoutDefaults({ tag: [] }, defaults))).toBe("?tag=");
    expect(writeSearch(withoutDefaults({ tag: [] }, writeDefaults({ tag: [] })))).toBe("");
  });

  it("is bounded: values, levels, and names that mean something to JavaScript", () => {
    const many = new URLSearchParams(Array.from({ length: 10_000 }, (_, at) => [`k${at}`, "1"]));
    expect(readSearch(many, limits)).toEqual({ kind: "refused", why: "too many values" });
    const deep = (levels: number) => new URLSearchParams([[Array(levels).fill("a").join("."), "1"]]);
    expect(readSearch(deep(searchDepth), limits).kind).toBe("read");
    expect(readSearch(deep(searchDepth + 1), limits)).toEqual({ kind: "refused", why: "nested too deeply" });
    const fields = fieldsOf("__proto__=1&a.__proto__.b=2&constructor.prototype.x=3&a.b=4&.=5&=6&a=7&a..b=8");
    expect([...fields].map(([key, node]) => [key, node.read()])).toEqual([
      ["constructor", { prototype: { x: "3" } }],
      ["a", { b: "4" }],
    ]);
    expect(({} as { x?: unknown }).x).toBeUndefined();
    const circle: Record<string, unknown> = {};
    circle.again = circle;
    expect(writeSearch(circle)).toBe("");
  });

  it("any address can be read", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (search) => {
        const read = readSearch(new URLSearchParams(search), limits);
        if (read.kind === "read") for (const node of read.fields.values()) readingsOf(node);
      }),
    );
  });
});

/** As a schema would: it refuses what has another type, and says where. */
function expectSame(node: SearchNode | undefined, wanted: unknown, path: PropertyKey[]): void {
  const at = (): unknown => path.reduce<unknown>((value, key) => Object(value)[key], node?.read());
  for (let other: SearchNode | undefined; kindOf(at()) !== kindOf(wanted); ) {
    other = node?.findOther(path);
    if (!other) break;
    other.readOtherwise();
  }
  expect(kindOf(at())).toBe(kindOf(wanted));
  if (kindOf(wanted) !== "array" && kindOf(wanted) !== "object") return expect(at()).toEqual(wanted);
  expect(Object.keys(Object(at())).sort()).toEqual(Object.keys(Object(wanted)).sort());
  for (const [key, inner] of Object.entries(Object(wanted))) expectSame(node, inner, [...path, key]);
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? "array" : value instanceof Date ? "date" : typeof value;
}
