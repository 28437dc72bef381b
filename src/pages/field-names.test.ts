import { describe, expect, it } from "vitest";
import { fieldDepth, fieldOfPath, readFormFields, writeFieldName } from "./field-names.ts";

const read = (...pairs: [string, string][]) => {
  const result = readFormFields(pairs);
  return result.kind === "fields" ? result.fields : result.why;
};

describe("names of fields", () => {
  it("names lead into objects and lists, in any order", () => {
    expect(
      read(
        ["name", "Ada"],
        ["lines[1].amount", "2"],
        ["lines[0].amount", "1"],
        ["address.city", "Bonn"],
        ["lines[0].tags[0]", "new"],
        ["address.geo.lat", "50"],
        ["matrix[0][1]", "b"],
        ["matrix[0][0]", "a"],
      ),
    ).toEqual({
      name: "Ada",
      lines: [{ amount: "1", tags: ["new"] }, { amount: "2" }],
      address: { city: "Bonn", geo: { lat: "50" } },
      matrix: [["a", "b"]],
    });
  });

  it("names are a list where a name occurs several times, and always with []", () => {
    expect(read(["a", "1"], ["a", "2"], ["b[]", "1"], ["c.d[]", "1"], ["c.e", "1"], ["c.e", "2"])).toEqual({
      a: ["1", "2"],
      b: ["1"],
      c: { d: ["1"], e: ["1", "2"] },
    });
  });

  it("lists without rows are empty, unless the form has something of them", () => {
    const empty = ["lines", "lines", "orders[0].lines", "tags", "rows", "__proto__"];
    const form = [
      ["tags", "1"],
      ["rows[0].a", "1"],
      ["linesman", "1"],
    ] as const;
    expect(readFormFields(form, empty)).toEqual({
      kind: "fields",
      fields: { tags: "1", rows: [{ a: "1" }], linesman: "1", lines: [], orders: [{ lines: [] }] },
    });
    expect(readFormFields([], ["a.constructor"])).toEqual({
      kind: "refused",
      why: "No field may be called a.constructor.",
    });
  });

  it("names are plain keys if they are written in another way", () => {
    const odd = ["a.", ".a", "a..b", "a[x]", "a[-1]", "[0]", "a]b", "", "a[0]b", "constructor"];
    expect(read(...odd.map((name): [string, string] => [name, "1"]))).toEqual(
      Object.fromEntries(odd.map((name) => [name, "1"])),
    );
  });

  it("names are refused with the reason: too deep, with holes, contradictory, or names of prototypes", () => {
    const deep = "a".concat(".b".repeat(fieldDepth - 1));
    expect(typeof read([deep, "1"])).toBe("object");
    expect(read([`${deep}.c`, "1"])).toBe(`The field ${deep}.c is more than 8 steps deep.`);
    expect(read(["a[0]", "1"], ["a[2]", "1"])).toBe("The list a was sent without a[1].");
    expect(read(["a.b[999999999].c", "1"])).toBe("The list a.b was sent without a.b[0].");
    for (const pairs of [
      ["a", "a.b"],
      ["a.b", "a"],
      ["a[0]", "a.b"],
      ["a.b", "a[0]"],
      ["a[]", "a[0]"],
    ])
      expect(read(...pairs.map((name): [string, string] => [name, "1"]))).toContain("contradicts another");
    for (const step of ["__proto__", "constructor", "prototype"]) {
      expect(read([`a.${step}`, "1"])).toBe(`No field may be called a.${step}.`);
      expect(read([`${step}.admin`, "1"])).toBe(`No field may be called ${step}.admin.`);
    }
    expect(read(["__proto__", "1"], ["a", "1"])).toEqual({ a: "1" });
    expect(Reflect.get({}, "admin")).toBeUndefined();
  });

  it("names are written for the path of an issue, up to the field that was sent", () => {
    expect(writeFieldName(["lines", 0, "amount"])).toBe("lines[0].amount");
    expect(writeFieldName([])).toBe("");
    const sent =
      (...names: string[]) =>
      (name: string) =>
        names.includes(name);
    expect(fieldOfPath(["lines", 0, "amount"], sent("lines[0].amount"))).toBe("lines[0].amount");
    expect(fieldOfPath(["tags", 1], sent("tags"))).toBe("tags");
    expect(fieldOfPath(["tags", 1], sent("tags[]"))).toBe("tags");
    expect(fieldOfPath(["settings", "theme"], sent("settings"))).toBe("settings");
    expect(fieldOfPath(["address", "city"], sent())).toBe("address.city");
  });
});
