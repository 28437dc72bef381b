import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { addVisitor, countVisitors, emptyVisitorSketch, mergeVisitors } from "./visitor-count.ts";

describe("counting visitors in a kilobyte", () => {
  it.each([10, 500, 1_001, 20_000])("is within a tenth for %d visitors, however often each returns", (visitors) => {
    const sketch = emptyVisitorSketch();
    for (let visit = 0; visit < visitors * 2; visit++) addVisitor(sketch, hashOf(visit % visitors));
    expect(Math.abs(countVisitors(sketch) - visitors) / visitors).toBeLessThan(0.1);
  });

  it("counts no visitors as zero", () => {
    expect(countVisitors(emptyVisitorSketch())).toBe(0);
  });

  it("counts a visitor of two groups once after they are merged", () => {
    const [one, other] = [emptyVisitorSketch(), emptyVisitorSketch()];
    for (let visitor = 0; visitor < 3_000; visitor++) addVisitor(one, hashOf(visitor));
    for (let visitor = 2_000; visitor < 4_000; visitor++) addVisitor(other, hashOf(visitor));
    mergeVisitors(one, other);
    expect(Math.abs(countVisitors(one) - 4_000) / 4_000).toBeLessThan(0.1);
  });
});

function hashOf(visitor: number): number {
  return Number.parseInt(createHash("sha1").update(`visitor ${visitor}`).digest("hex").slice(0, 13), 16);
}
