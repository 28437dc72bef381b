import { describe, expect, it } from "vitest";
import { basisOf, boundsOf, type Steps, stepsAbove, usualBounds, usualSum } from "./usual-bounds.ts";

/** A day of four steps, which is enough to see which ones are compared. */
const cycle = 4;

function days(n: number, of: (day: number, step: number) => number | undefined): Steps {
  return Array.from({ length: n * cycle }, (_, index) => of(Math.floor(index / cycle), index % cycle));
}

describe("bounds of some values", () => {
  it("bounds are the median, the 10th and the 90th percentile", () => {
    expect(boundsOf(Array.from({ length: 21 }, (_, n) => 20 - n))).toEqual({ low: 2, usual: 10, high: 18 });
    expect(boundsOf([1, 2])).toEqual({ low: 1, usual: 1.5, high: 2 });
    expect(boundsOf([7])).toEqual({ low: 7, usual: 7, high: 7 });
  });

  it("bounds are not raised by one bad day in four weeks", () => {
    expect(boundsOf([...Array.from({ length: 27 }, () => 3), 5_000])).toEqual({ low: 3, usual: 3, high: 3 });
  });
});

describe("what is usual", () => {
  it("is that of the same time of day, and of the times beside it, in the four weeks before", () => {
    const steps = days(29, (_, step) => (step === 0 ? 100 : 0));
    expect(basisOf(steps, cycle, cycle)).toEqual({ kind: "four-weeks" });
    // Times 3 and 1 are beside time 0, and have nothing.
    expect(usualBounds(steps, cycle, cycle).map(({ high }) => high)).toEqual([100, 100, 0, 100]);
    expect(usualBounds(steps, cycle, cycle).map(({ usual }) => usual)).toEqual([0, 0, 0, 0]);
  });

  it("does not look further back than four weeks", () => {
    const steps = days(60, (day) => (day < 60 - 30 ? 1_000 : 2));
    expect(new Set(usualBounds(steps, cycle, cycle).map(({ high }) => high))).toEqual(new Set([2]));
  });

  it("is nothing without data", () => {
    expect(basisOf([], 96, 96)).toEqual({ kind: "nothing" });
    expect(usualBounds([], 96, 96)).toEqual([]);
    const one: Steps = [...Array.from({ length: 100 }, () => undefined), 5];
    expect(basisOf(one, 96, 96)).toEqual({ kind: "nothing" });
  });

  it("is that of the last 24 hours while there is no day before", () => {
    const steps: Steps = [...Array.from({ length: 120 }, () => undefined), 1, 1, 1, 1, 1, 1, 1, 1, 1, 50];
    expect(basisOf(steps, 96, 96)).toEqual({ kind: "last-day" });
    expect(usualBounds(steps, 96, 96).at(-1)).toEqual({ low: 1, usual: 1, high: 50 });
    expect(usualBounds(steps, 96, 96)).toHaveLength(96);
  });

  it("widens the times beside until there are enough values, if the history is short", () => {
    const steps = Array.from({ length: 2 * 96 }, (_, n) => (n < 96 ? n : 0));
    expect(basisOf(steps, 96, 96)).toEqual({ kind: "days", days: 1 });
    expect(usualBounds(steps, 96, 96)[50]).toEqual({ low: 42, usual: 50, high: 58 });
  });

  it("leaves out days on which nothing was measured", () => {
    const steps = days(29, (day) => (day >= 10 && day < 20 ? undefined : 6));
    expect(basisOf(steps, cycle, cycle)).toEqual({ kind: "days", days: 18 });
    expect(usualBounds(steps, cycle, cycle)[0]).toEqual({ low: 6, usual: 6, high: 6 });
  });

  it("compares days with the days before, the running one not included", () => {
    const steps: Steps = [...Array.from({ length: 28 }, (_, n) => n), 1_000];
    expect(usualBounds(steps, 1, 1)).toEqual([{ low: 2, usual: 13.5, high: 25 }]);
  });
});

describe("what several steps usually are together", () => {
  const steps = days(5, (day, step) => 10 * day + step);

  it("is the sum on each day before", () => {
    expect(usualSum(steps, { from: 17, to: 18 }, cycle)).toEqual({ low: 3, usual: 33, high: 63 });
  });

  it("counts the running step only as far as it is over", () => {
    expect(usualSum(steps, { from: 17, to: 18, lastPart: 0.5 }, cycle)?.low).toBe(2);
    expect(usualSum(steps, { from: 17, to: 18, lastPart: 0 }, cycle)?.low).toBe(1);
  });

  it("is unknown if no day before was measured whole", () => {
    expect(usualSum([undefined, 2, 3, 4, 5, 6, 7, 8], { from: 4, to: 7 }, cycle)).toBeUndefined();
  });
});

describe("steps above what is usual", () => {
  const bounds = Array.from({ length: 5 }, () => ({ low: 0, usual: 1, high: 2 }));

  it("end with the running one or with the one before", () => {
    expect(stepsAbove([0, 3, 3, 3, 3], bounds)).toEqual({ first: 1, last: 4 });
    expect(stepsAbove([0, 3, 3, 3, 0], bounds)).toEqual({ first: 1, last: 3 });
    expect(stepsAbove([0, 3, 3, 0, 0], bounds)).toBeUndefined();
  });

  it("have no break", () => {
    expect(stepsAbove([3, 3, 2, 3, 3], bounds)).toEqual({ first: 3, last: 4 });
    expect(stepsAbove([3, 3, 3, 3, 3], bounds)).toEqual({ first: 0, last: 4 });
  });

  it("no steps are above it where nothing is usual yet", () => {
    expect(stepsAbove([3, 3, 3], [])).toBeUndefined();
  });
});
