import { expect, onTestFinished, test } from "vitest";
import { createStallWatcher } from "./stall-watcher.ts";
import { type Stall, watchStalls } from "./watch-stalls.ts";

const limits = { stallMs: 200, stallCheckMs: 20 };

test("an unwatched process is watched after its event loop was blocked, and the next stall is reported with its stack", async () => {
  const stalls: Stall[] = [];
  onTestFinished(watchStalls(limits, Date.now, createStallWatcher(limits), (stall) => stalls.push(stall)));
  // The other thread starts after the first stall and needs some time: on a busy machine it may miss some.
  const isSeen = ({ stack }: Stall): boolean => /^ {4}at countTheStars \(.*watch-stalls\.test\.ts/m.test(stack ?? "");
  for (let turn = 0; turn < 40 && !stalls.some(isSeen); turn++) {
    await pause(100);
    countTheStars(400);
    await pause(40);
  }
  expect(stalls[0]?.stack).toBeUndefined();
  expect(stalls[0]?.ms).toBeGreaterThanOrEqual(200);
  expect(stalls.filter(isSeen)).toHaveLength(1);
}, 60_000);

test("a delay of half a stall already starts the watcher", async () => {
  const stalls: Stall[] = [];
  const stallWatcher = createStallWatcher({ ...limits, stallMs: 600_000 });
  let nowMs = 0;
  let reads = 0;
  onTestFinished(
    watchStalls(
      limits,
      () => {
        reads++;
        return nowMs;
      },
      stallWatcher,
      (stall) => stalls.push(stall),
    ),
  );
  await expect.poll(() => reads).toBeGreaterThan(5);
  expect(stallWatcher.isWatched).toBe(false);
  nowMs += limits.stallCheckMs + limits.stallMs / 2;
  await expect.poll(() => stallWatcher.isWatched).toBe(true);
  expect(stalls).toEqual([]);
});

test("a process that is only busy is not reported", async () => {
  const stalls: Stall[] = [];
  const patient = { stallMs: 60_000, stallCheckMs: 5 };
  let reads = 0;
  const now = (): number => {
    reads++;
    return Date.now();
  };
  onTestFinished(watchStalls(patient, now, createStallWatcher(patient), (stall) => stalls.push(stall)));
  countTheStars(50);
  await expect.poll(() => reads).toBeGreaterThan(5);
  expect(stalls).toEqual([]);
});

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function countTheStars(ms: number): number {
  const until = performance.now() + ms;
  let stars = 0;
  while (performance.now() < until) stars++;
  return stars;
}
