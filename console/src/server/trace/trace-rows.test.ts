import { describe, expect, it } from "vitest";
import { aTrace, type ExampleSpan } from "./example-trace.ts";
import { traceRows, type WantedRows } from "./trace-rows.ts";

const plain: WantedRows = {
  filter: "",
  range: undefined,
  foldsRepeats: true,
  toggled: new Set(),
  chosen: undefined,
};

/** Two queries per item that take turns, between two other spans. */
const spans: readonly ExampleSpan[] = [
  [0, "page", 0, 100],
  [1, "load", 10, 80],
  [2, "price 1", 10, 20],
  [2, "stock 1", 20, 30],
  [2, "price 2", 30, 40],
  [2, "stock 2", 40, 50],
  [2, "price 3", 50, 60],
  [2, "stock 3", 60, 70],
  [1, "render", 80, 100],
  [2, "template", 85, 90],
];
const trace = aTrace(spans, [
  [2, 4, 6],
  [3, 5, 7],
]);

function rowsOf(wanted: Partial<WantedRows>): string[] {
  return traceRows(trace, { ...plain, ...wanted }).map(
    ({ depth, repeat, line, fold }) =>
      `${depth} ${repeat ? `${repeat.places.length} × ` : ""}${line.span.name}${fold === "folded" ? " …" : ""}`,
  );
}

describe("rows of a waterfall", () => {
  it("rows fold repeats, each at the place of its first span", () => {
    expect(rowsOf({})).toEqual(["0 page", "1 load", "2 3 × price 1 …", "2 3 × stock 1 …", "1 render", "2 template"]);
  });

  it("rows list the spans of an unfolded repeat below it, and of a repeat with the chosen span", () => {
    const unfolded = [
      "0 page",
      "1 load",
      "2 3 × price 1",
      "3 price 1",
      "3 price 2",
      "3 price 3",
      "2 3 × stock 1 …",
      "1 render",
      "2 template",
    ];
    expect(rowsOf({ toggled: new Set(["s2x"]) })).toEqual(unfolded);
    expect(rowsOf({ chosen: "s4" })).toEqual(unfolded);
    expect(rowsOf({ chosen: "s2x" })).toContain("2 3 × price 1 …");
  });

  it("rows are all spans without folding", () => {
    expect(rowsOf({ foldsRepeats: false })).toEqual(spans.map(([depth, name]) => `${depth} ${name}`));
  });

  it("rows hide what is below a folded span, and contain it", () => {
    expect(rowsOf({ toggled: new Set(["s1"]) })).toEqual(["0 page", "1 load …", "1 render", "2 template"]);
    const rows = traceRows(trace, { ...plain, toggled: new Set(["s1"]) });
    expect(rows[1]?.contains).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(traceRows(trace, plain)[2]?.contains).toEqual([2, 4, 6]);
  });

  it("rows keep the ancestors of a match, and nothing beside them; a part of a repeat is not folded", () => {
    expect(rowsOf({ filter: "TEMPLATE" })).toEqual(["0 page", "1 render", "2 template"]);
    expect(rowsOf({ filter: "price" })).toEqual(["0 page", "1 load", "2 3 × price 1 …"]);
    expect(rowsOf({ filter: "price 2" })).toEqual(["0 page", "1 load", "2 price 2"]);
    expect(rowsOf({ filter: "nothing" })).toEqual([]);
  });

  it("rows leave out what does not touch the visible range", () => {
    expect(rowsOf({ range: { fromMs: 82, toMs: 95 } })).toEqual(["0 page", "1 render", "2 template"]);
    expect(rowsOf({ range: { fromMs: 32, toMs: 38 } })).toEqual(["0 page", "1 load", "2 price 2"]);
  });

  it("rows are found for thousands of nested spans and thousands of repeats", () => {
    const chain = Array.from({ length: 5_000 }, (_, n): ExampleSpan => [n, `s${n}`, 0, 1]);
    expect(traceRows(aTrace(chain, []), plain)).toHaveLength(5_000);
    const list = Array.from({ length: 5_000 }, (_, n): ExampleSpan => [n === 0 ? 0 : 1, "query", n, n + 1]);
    const folded = aTrace(list, [Array.from({ length: 4_999 }, (_, n) => n + 1)]);
    expect(traceRows(folded, plain)).toHaveLength(2);
    expect(traceRows(folded, { ...plain, toggled: new Set(["s1x"]) })).toHaveLength(5_001);
  });
});
