import { expect, test } from "vitest";
import { LowMark } from "./low-mark.ts";

const visibleAfterMs = 30_000;

test("the low mark follows what was folded, never nearer than batches may still become visible", () => {
  let now = 1_000;
  const mark = new LowMark(visibleAfterMs, () => now);
  const foldedAt = new Map<number, number>();
  for (let id = 1; id <= 200; id += 1) {
    now += 1_000;
    foldedAt.set(id, now);
    mark.folded(id);
    const age = now - (foldedAt.get(mark.id) ?? 0);
    if (mark.id > 0) expect(age).toBeGreaterThanOrEqual(visibleAfterMs);
  }
  expect(mark.id).toBeGreaterThan(120);
});

test("the low mark stays when a batch with a lower id is folded late", () => {
  let now = 0;
  const mark = new LowMark(visibleAfterMs, () => now);
  const after = (ms: number, id: number): number => {
    now += ms;
    mark.folded(id);
    return mark.id;
  };
  expect(after(0, 50)).toBe(0);
  expect(after(visibleAfterMs, 60)).toBe(0);
  expect(after(visibleAfterMs, 7)).toBe(50);
  expect(after(visibleAfterMs, 8)).toBe(60);
  expect(after(visibleAfterMs, 9)).toBe(60);
});
