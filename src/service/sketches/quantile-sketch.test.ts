import { describe, expect, it } from "vitest";
import {
  addToSketch,
  isPackedSketches,
  mergeSketchSet,
  packSketches,
  type QuantileSketch,
  quantileOf,
  type SketchSet,
  sumSketchesBy,
  unpackSketches,
  valueOfBucket,
} from "./quantile-sketch.ts";

describe("a quantile sketch", () => {
  it.each([0.5, 0.75, 0.95, 0.99])("is within 1 % of the exact value at %d", (share) => {
    const values = skewedDurations(20_000);
    const exact = [...values].sort((a, b) => a - b)[Math.floor(share * values.length)] ?? 0;
    const estimate = quantileOf(sketchOf(values), share) ?? 0;
    expect(Math.abs(estimate - exact) / exact).toBeLessThan(0.01);
  });

  it("is as exact for layout shifts far below one", () => {
    const estimate = quantileOf(sketchOf([0.0007, 0.1, 0.25]), 0.5) ?? 0;
    expect(Math.abs(estimate - 0.1) / 0.1).toBeLessThan(0.01);
  });

  it("returns undefined if nothing was measured, instead of zero", () => {
    expect(quantileOf(new Map(), 0.5)).toBeUndefined();
    expect(quantileOf(sketchOf([0, 0]), 0.5)).toBe(0);
  });

  it("ignores values that are no durations", () => {
    expect(sketchOf([Number.NaN, -1, Number.POSITIVE_INFINITY]).size).toBe(0);
  });

  it("keeps the largest and the smallest value apart when packed", () => {
    const set: SketchSet = new Map([["task", sketchOf([0, 0.0001, 1, 1e6, 1e15, Number.MAX_VALUE])]]);
    expect(unpackSketches(packSketches(set))).toEqual(set);
  });

  it("adds up packed hours by route as if each was unpacked, whatever was added up before", () => {
    const values = skewedDurations(3_000);
    const rows = ["/", "/cart", "/", "/task"].map((route, n) => {
      const set: SketchSet = new Map([["lcp", sketchOf(values.slice(n * 700, n * 700 + 600))]]);
      if (route === "/task") set.set("own", sketchOf([0, 1e9]));
      return { route, packed: packSketches(set) };
    });
    const expected = new Map<string, SketchSet>();
    for (const { route, packed } of rows) {
      const sum: SketchSet = expected.get(route) ?? new Map();
      mergeSketchSet(sum, unpackSketches(packed));
      expected.set(route, sum);
    }
    for (let times = 0; times < 2; times++) expect(sumSketchesBy(rows, ({ route }) => route)).toEqual(expected);
  });

  it("returns the same quantiles after packing, and after two hours are added up", () => {
    const values = skewedDurations(5_000);
    const first: SketchSet = new Map([["lcp", sketchOf(values.slice(0, 2_000))]]);
    const second: SketchSet = new Map([
      ["lcp", sketchOf(values.slice(2_000))],
      ["größe", sketchOf([0, 300])],
    ]);
    const sum = unpackSketches(packSketches(first));
    mergeSketchSet(sum, unpackSketches(packSketches(second)));
    expect(sum.get("lcp")).toEqual(sketchOf(values));
    expect(sum.get("größe")).toEqual(sketchOf([0, 300]));
  });
});

describe("packed sketches from elsewhere", () => {
  const packedWith = (bucket: number, n = 1) =>
    packSketches(
      new Map([
        [
          "lcp",
          new Map([
            [3, 1],
            [bucket, n],
          ]),
        ],
      ]),
    );

  it("sketches with a bucket that no measurement can have, or with a count that no number has, are refused", () => {
    const [highest = 0] = sketchOf([Number.MAX_VALUE]).keys();
    expect(valueOfBucket(highest)).toBeGreaterThan(1e303);
    expect(valueOfBucket(highest)).toBeLessThan(Number.MAX_VALUE);
    expect(isPackedSketches(packedWith(highest))).toBe(true);
    for (const far of [highest + 1, 5e9, 2 ** 60, Number.MAX_VALUE])
      expect(isPackedSketches(packedWith(far))).toBe(false);
    expect(isPackedSketches(packedWith(7, 2 ** 60))).toBe(false);
    // An integer of 200 bytes.
    const endless = [1, 5, 1, ...Array.from({ length: 200 }, () => 128), 0, 1];
    expect(isPackedSketches(Uint8Array.from(endless))).toBe(false);
  });

  it("such buckets are left out where they are stored already", () => {
    const [packed, near] = [packedWith(5e9), new Map([["lcp", new Map([[3, 1]])]])];
    expect(unpackSketches(packed)).toEqual(near);
    expect(sumSketchesBy([{ packed }], () => 0).get(0)).toEqual(near);
  });
});

function sketchOf(values: readonly number[]): QuantileSketch {
  const sketch: QuantileSketch = new Map();
  for (const value of values) addToSketch(sketch, value);
  return sketch;
}

/** Like page loads: most around a second, with a long tail. The same on every run. */
function skewedDurations(count: number): number[] {
  let state = 42;
  const random = () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return (state + 1) / 2_147_483_650;
  };
  return Array.from({ length: count }, () =>
    Math.exp(6.9 + 0.8 * Math.sqrt(-2 * Math.log(random())) * Math.cos(6.283 * random())),
  );
}
