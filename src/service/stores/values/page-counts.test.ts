import { expect, test } from "vitest";
import type { ReportedSpan } from "#protocol";
import { budgetIn, countsOfSegment } from "./page-counts.ts";

const at = 1_700_000_000_000;

function aSegment(op: string, attributes: ReportedSpan["attributes"]): ReportedSpan {
  return {
    traceId: "a".repeat(32),
    spanId: "b".repeat(16),
    op,
    name: "/menu",
    startMs: at,
    endMs: at + 1,
    isSegment: true,
    status: "ok",
    attributes,
    links: [],
  };
}

test("a request of a page with a budget is counted with its valid measures", () => {
  const said = aSegment("http.server", { "holdfast.budget": "inpMs=200 lcpMs=2500 firstLoadBytes=9 cls=x loadMs=-1" });
  expect(countsOfSegment(said, "/menu", at)).toEqual([
    { name: "holdfast.budget", route: "/menu", label: "lcpMs=2500 inpMs=200", at, n: 1 },
  ]);
  expect(budgetIn("lcpMs=2500 inpMs=200")).toEqual({ lcpMs: 2_500, inpMs: 200 });
  for (const other of [
    aSegment("http.server", {}),
    aSegment("http.server", { "holdfast.budget": "=&%" }),
    aSegment("pageload", { "holdfast.budget": "lcpMs=2500" }),
  ])
    expect(countsOfSegment(other, "/menu", at)).toEqual([]);
});
