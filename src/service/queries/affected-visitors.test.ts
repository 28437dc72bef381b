import { describe, expect, it } from "vitest";
import { hourMs } from "../clock.ts";
import { addVisitor, emptyVisitorSketch } from "../sketches/visitor-count.ts";
import { visitorHash } from "../stores/values/visitor-hash.ts";
import { compareAffected } from "./affected-visitors.ts";

function hour(at: number, ...visitors: number[]): { at: number; visitors: Uint8Array } {
  const sketch = emptyVisitorSketch();
  for (const one of visitors) addVisitor(sketch, visitorHash(`visitor ${one}`) ?? 0);
  return { at: at * hourMs, visitors: sketch };
}

describe("visitors with an error", () => {
  it("nobody is affected without data, and there is nothing to compare with", () => {
    expect(compareAffected([], 1_000)).toEqual({
      visitors: 0,
      usual: undefined,
      days: 0,
      weekAgo: undefined,
      byHour: new Array(24).fill(0),
    });
  });

  it("visitors are counted once in 24 hours, the running one included", () => {
    const records = [hour(976, 9), hour(977, 1, 2), hour(999, 2, 3), hour(1_000, 3, 4)];
    const answer = compareAffected(records, 1_000);
    expect(answer).toMatchObject({ visitors: 4, days: 0 });
    expect(answer.byHour).toEqual([2, ...new Array(21).fill(0), 2, 2]);
  });

  it("visitors are compared with the same hours of the days since the first record", () => {
    const records = [hour(1_000 - 24 * 8, 1, 2, 3), hour(1_000 - 24 * 7, 1, 2), hour(1_000, 1, 2, 3, 4)];
    expect(compareAffected(records, 1_000)).toMatchObject({
      visitors: 4,
      usual: { low: 0, usual: 0, high: 2 },
      days: 7,
      weekAgo: 2,
    });
  });
});
