import { expect, onTestFinished, test } from "vitest";
import { type Stall, watchStalls } from "./watch-stalls.ts";

test("a process that stands still again and again is told of, after the first time with what it did", async () => {
  const stalls: Stall[] = [];
  onTestFinished(watchStalls({ stallMs: 200, stallLookMs: 20 }, Date.now, (stall) => stalls.push(stall)));
  // The other thread has to come up after the first, and needs a moment of its own to look: on a busy machine it may come too late for some.
  const isSeen = ({ stack }: Stall): boolean => /^ {4}at countTheStars \(.*watch-stalls\.test\.ts/m.test(stack ?? "");
  for (let turn = 0; turn < 40 && !stalls.some(isSeen); turn++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    countTheStars(400);
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
  expect(stalls[0]?.stack).toBeUndefined();
  expect(stalls[0]?.ms).toBeGreaterThanOrEqual(200);
  expect(stalls.filter(isSeen)).toHaveLength(1);
}, 60_000);

test("a process that is only busy is left alone", async () => {
  const stalls: Stall[] = [];
  onTestFinished(watchStalls({ stallMs: 60_000, stallLookMs: 5 }, Date.now, (stall) => stalls.push(stall)));
  countTheStars(50);
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(stalls).toEqual([]);
});

function countTheStars(ms: number): number {
  const until = performance.now() + ms;
  let stars = 0;
  while (performance.now() < until) stars++;
  return stars;
}
