import { expect, test } from "vitest";
import { cacheFigures } from "./cache-figures.ts";

const cache = { requests: 1_000, hitRate: 0.9996, savedMs: 42_000, oldestMs: 90_000, failing: 0, bypasses: {} };

test("the cache of a page is a rate that is never too good, the time it saved and the age of its oldest copy", () => {
  expect(cacheFigures(cache)).toEqual({
    hitRate: "99 %",
    saved: "saved 42 s, ≤ 1.5 min old",
    bypasses: "",
    isFailing: false,
  });
  expect(cacheFigures({ ...cache, hitRate: 1 })?.hitRate).toBe("100 %");
  expect(cacheFigures({ ...cache, hitRate: 0, savedMs: 0, oldestMs: undefined })?.saved).toBe("");
  expect(cacheFigures(undefined)).toBeUndefined();
});

test("copies that could not be renewed, and reasons for none, are named", () => {
  const figures = cacheFigures({ ...cache, failing: 3, oldestMs: 3 * 86_400_000, bypasses: { locals: 2 } });
  expect(figures).toMatchObject({ saved: "saved 42 s, ≤ 3 d old", isFailing: true, bypasses: "reads locals\u00a02" });
});
