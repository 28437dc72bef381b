import { describe, expect, it } from "vitest";
import { hourMs } from "../clock.ts";
import { addToSketch, type QuantileSketch } from "../sketches/quantile-sketch.ts";
import type { RouteRecord } from "../stores/records.ts";
import { trendOf } from "./route-trend.ts";

function sketch(value: number, times: number): QuantileSketch {
  const made: QuantileSketch = new Map();
  // Half to three halves of the value.
  for (let n = 0; n < times; n += 1) addToSketch(made, value * (0.5 + n / times));
  return made;
}

/** Twenty hours. From the twelfth on, pages take four times as long and fail. */
function record(): RouteRecord {
  const hours = Array.from({ length: 20 }, (_, n) => n);
  return {
    measures: hours
      .filter((hour) => hour !== 5)
      .map((hour) => ({ at: hour * hourMs, sketches: new Map([["pageload", sketch(hour < 12 ? 300 : 1_200, 40)]]) })),
    counts: hours.flatMap((hour) => [
      { name: "holdfast.errors", label: "error", at: hour * hourMs, n: hour < 12 ? 1 : 9 },
      { name: "holdfast.errors", label: "warning", at: hour * hourMs, n: 1 },
      { name: "holdfast.navigation", label: "committed", at: hour * hourMs, n: 50 },
    ]),
  };
}

const period = { from: 0, to: 19.5 * hourMs, stepMs: hourMs };
const releases = [
  { release: "shop@1.4.0", at: 3.2 * hourMs },
  { release: "shop@1.4.1", at: 12.1 * hourMs },
];

describe("the trend of a route", () => {
  it("says since which release it is slower and fails more often", () => {
    const trend = trendOf(record(), period)(releases);
    const [load] = trend.measures;
    expect(load).toMatchObject({ measure: "pageload", whole: { count: 760 } });
    expect(load?.change).toMatchObject({ release: "shop@1.4.1", since: 12.1 * hourMs });
    expect(load?.change?.times).toBeCloseTo(4, 0);
    expect(trend.errors).toMatchObject({ total: 104, change: { release: "shop@1.4.1" } });
    // 10 of 40 views instead of 2 of 40, and one hour without views.
    expect(trend.errors.change?.times).toBeCloseTo(4.6, 1);
    expect(trend.worst).toMatchObject({ measure: "errors" });
    expect(trend.fullLoads).toMatchObject({ total: 0, change: undefined });
  });

  it("has one value for each step, and none where nothing was measured", () => {
    const { views, measures, errors } = trendOf(record(), period)(releases);
    expect(views).toHaveLength(20);
    expect([views[4], views[5]]).toEqual([40, 0]);
    expect(measures[0]?.p75[5]).toBeUndefined();
    expect(measures[0]?.p75[4]).toBeCloseTo(375, -1);
    expect(measures[0]?.p95[13]).toBeCloseTo(1_740, -2);
    expect(errors.values[13]).toBe(10);
  });

  it("is empty without data", () => {
    const trend = trendOf({ measures: [], counts: [] }, period)(releases);
    expect(trend).toMatchObject({ measures: [], worst: undefined, errors: { total: 0, change: undefined } });
  });
});
