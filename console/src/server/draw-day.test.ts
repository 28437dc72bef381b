import { expect, test } from "vitest";
import { drawDay, markReleases } from "./draw-day.ts";

const series = (values: number[], high: number[] = []) => ({
  values,
  low: high.map(() => 0),
  usual: high.map((bound) => bound / 2),
  high,
  total: 0,
  usualTotal: undefined,
});

function day(values: number[], high?: number[]) {
  const none = series([]);
  return drawDay({
    from: 0,
    stepMs: 900_000,
    basis: { kind: "four-weeks" },
    errors: series(values, high),
    errorPages: none,
    visits: none,
    failedVisits: none,
    deviation: undefined,
  });
}

test("what is above the usual is drawn apart from what is within it", () => {
  const { bars, usual, above, summary } = day([2, 8], [4, 4]);
  expect(bars).toEqual([
    [2, 2],
    [8, 2],
  ]);
  // The second bar is twice the bound: the lower half is grey, the upper half red.
  expect(usual).toBe("M70 78h360V100h-360zM570 56h360V100h-360z");
  expect(above).toBe("M570 12h360V56h-360z");
  expect(summary).toBe("Errors in the last 24 hours: 10, of which 4 are above what is usual");
});

test("a day without errors or without a past has nothing above the usual", () => {
  expect(day([0, 0], [1, 1])).toMatchObject({
    usual: "",
    above: "",
    bars: [
      [0, 1],
      [0, 1],
    ],
  });
  expect(day([5, 7])).toMatchObject({ above: "", band: "", bars: [[5], [7]] });
});

test("the names of two releases do not cover each other, and the cause keeps its name", () => {
  const chart = { from: 0, stepMs: 10, bars: new Array<[number]>(10).fill([0]) };
  const deploys = [
    { release: "a", at: 20 },
    { release: "b", at: 22 },
    { release: "c", at: 60 },
    { release: "earlier", at: -1 },
  ];
  const named = (cause?: string) =>
    markReleases(deploys, chart, cause)
      .filter(({ anchor }) => anchor)
      .map(({ name }) => name);
  expect(named()).toEqual(["b", "c"]);
  expect(named("a")).toEqual(["a", "c"]);
});

test("a name at the end of the chart is written to the left, and needs its room there", () => {
  const chart = { from: 0, stepMs: 10, bars: new Array<[number]>(10).fill([0]) };
  const deploys = (name: string) => [
    { release: "shop@2.4.1", at: 70 },
    { release: name, at: 99 },
  ];
  expect(markReleases(deploys("da8cfa25788b"), chart, undefined).map(({ anchor }) => anchor)).toEqual([
    undefined,
    "end",
  ]);
  expect(markReleases(deploys("v7"), chart, undefined).map(({ anchor }) => anchor)).toEqual(["middle", "end"]);
});
