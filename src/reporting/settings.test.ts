import { describe, expect, test } from "vitest";
import { isTarget, sampleRateOf } from "./settings.ts";

describe("the trace goes", () => {
  test.each([
    ["an origin", "https://api.example", "https://api.example/orders?x=1", true],
    ["an origin that only begins alike", "https://api.example", "https://api.example.evil.example/", false],
    ["an origin on another port", "https://api.example", "https://api.example:8443/", false],
    ["what begins with a path", "https://api.example/v1/", "https://api.example/v1/orders", true],
    ["another path", "https://api.example/v1/", "https://api.example/v2/orders", false],
    ["what fits an expression", /^https:\/\/[a-z]+\.example\//, "https://api.example/", true],
    ["no stranger", /^https:\/\/[a-z]+\.example\//, "https://evil.test/?https://api.example/", false],
  ])("the trace goes to %s, or not", (_, target, url, goes) => {
    expect(isTarget(url, [target])).toBe(goes);
  });

  test("the trace goes to a target every time, also with a stateful regular expression", () => {
    const targets = [/api/g];
    expect([1, 2, 3].map(() => isTarget("https://api.example/", targets))).toEqual([true, true, true]);
  });
});

test("a function that sets the sample rate may return nonsense or throw", () => {
  const facts = { kind: "GET", path: "/" };
  const rates = [0.5, 7, -1, Number.NaN, "much" as never, undefined as never];
  expect(rates.map((rate) => sampleRateOf({ sampleRate: () => rate }, facts))).toEqual([0.5, 0, 0, 0, 0, 0]);
  const broken = (): never => {
    throw new Error("no");
  };
  expect(sampleRateOf({ sampleRate: broken }, facts)).toBe(0);
});
