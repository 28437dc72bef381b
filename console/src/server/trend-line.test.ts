import { expect, test } from "vitest";
import { sparkLine, trendLine } from "./trend-line.ts";

const change = { since: 250, release: "1.4.1", before: 10, after: 40, times: 4 };

test("a line without a change is one piece, and passes over steps without a value", () => {
  const line = trendLine({ values: [10, undefined, 20, 5], change: undefined, from: 0, stepMs: 100 });
  expect(line).toEqual({ before: "M125 50L625 0L875 75", since: "", isWorse: false, top: 20 });
});

test("a line with a change is divided at it, and both pieces meet", () => {
  const line = trendLine({ values: [10, 10, 40, 40], change, from: 0, stepMs: 100 });
  expect(line).toEqual({ before: "M125 80L375 80L625 20", since: "M625 20L875 20", isWorse: true, top: 50 });
  const better = { ...change, times: 0.25 };
  expect(trendLine({ values: [1], change: better, from: 0, stepMs: 100 }).isWorse).toBe(false);
  expect(trendLine({ values: [1], change: { ...change, times: undefined }, from: 0, stepMs: 100 }).isWorse).toBe(true);
});

test("a line of zeros is at the bottom", () => {
  expect(trendLine({ values: [0, 0], change: undefined, from: 0, stepMs: 100 }).before).toBe("M250 100L750 100");
  expect(trendLine({ values: [], change: undefined, from: 0, stepMs: 100 }).before).toBe("");
});

test("a small line has the area below it, and needs two values", () => {
  const drawn = { change: undefined, from: 0, stepMs: 100 };
  expect(sparkLine({ ...drawn, values: [10, undefined, 20, 5] })?.area).toBe("M125 50L625 0L875 75L875 104L125 104Z");
  expect(sparkLine({ ...drawn, values: [undefined, 3] })).toBeUndefined();
});
