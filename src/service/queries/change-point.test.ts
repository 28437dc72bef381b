import { describe, expect, it } from "vitest";
import { addToSketch } from "../sketches/quantile-sketch.ts";
import { type CountedStep, changeOfMeasure, changeOfShare, type MeasuredStep } from "./change-point.ts";

/** Always the same numbers, evenly spread from 0 to 1. */
function random(): () => number {
  let state = 11;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** Durations around a median, log-normal as those of pages are. */
function measured(medians: readonly number[], perStep = 40): MeasuredStep[] {
  const next = random();
  return medians.map((median, at) => {
    const sketch = new Map<number, number>();
    for (let n = 0; n < perStep; n += 1) {
      const normal = Array.from({ length: 12 }, next).reduce((sum, one) => sum + one, -6);
      addToSketch(sketch, median * Math.exp(0.8 * normal));
    }
    return { at: at * 100, sketch };
  });
}

const repeated = (value: number, n: number): number[] => Array.from({ length: n }, () => value);
const releases = [
  { release: "1.4.0", at: 350 },
  { release: "1.4.1", at: 1_050 },
  { release: "1.4.2", at: 1_550 },
];

describe("since when a measure is another", () => {
  it("is the first sight of the release that divides the values", () => {
    const change = changeOfMeasure(measured([...repeated(300, 11), ...repeated(1_200, 9)]), releases);
    expect(change).toMatchObject({ since: 1_050, release: "1.4.1" });
    expect(change?.times).toBeGreaterThan(3.5);
    expect(change?.times).toBeLessThan(4.5);
  });

  it("is also found for an improvement", () => {
    const change = changeOfMeasure(measured([...repeated(900, 11), ...repeated(300, 9)]), releases);
    expect(change).toMatchObject({ release: "1.4.1" });
    expect(change?.times).toBeLessThan(0.4);
  });

  it("has no release if it began without one", () => {
    const change = changeOfMeasure(measured([...repeated(300, 7), ...repeated(1_200, 13)]), releases);
    expect(change).toMatchObject({ since: 700, release: undefined });
  });

  it("is unknown for noise, for a single bad step, and for too few values", () => {
    expect(changeOfMeasure(measured(repeated(300, 20)), releases)).toBeUndefined();
    expect(changeOfMeasure(measured([...repeated(300, 19), 420]), releases)).toBeUndefined();
    expect(changeOfMeasure(measured([...repeated(300, 11), ...repeated(1_200, 9)], 2), releases)).toBeUndefined();
    expect(changeOfMeasure([], releases)).toBeUndefined();
    expect(changeOfMeasure(measured([300]), releases)).toBeUndefined();
  });

  it("is unknown for a change that nobody would notice, however sure it is", () => {
    expect(changeOfMeasure(measured([...repeated(300, 11), ...repeated(330, 9)], 4_000), releases)).toBeUndefined();
  });
});

describe("since when a share is another", () => {
  const shares = (n: readonly number[]): CountedStep[] => n.map((one, at) => ({ at: at * 100, n: one, among: 100 }));

  it("is the first sight of the release, with the shares before and after", () => {
    const change = changeOfShare(shares([...repeated(1, 11), ...repeated(8, 9)]), releases);
    expect(change).toEqual({ since: 1_050, release: "1.4.1", before: 0.01, after: 0.08, times: 8 });
  });

  it("has no ratio if there was none before", () => {
    const change = changeOfShare(shares([...repeated(0, 11), ...repeated(8, 9)]), releases);
    expect(change).toMatchObject({ release: "1.4.1", before: 0, times: undefined });
  });

  it("is unknown for a few cases", () => {
    expect(changeOfShare(shares([...repeated(0, 15), 1, 1, 1, 1, 1]), releases)).toBeUndefined();
    expect(changeOfShare(shares(repeated(0, 20)), releases)).toBeUndefined();
    expect(changeOfShare([], releases)).toBeUndefined();
  });
});
