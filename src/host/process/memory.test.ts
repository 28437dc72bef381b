import { afterEach, expect, test, vi } from "vitest";
import { watchMemory } from "./memory.ts";

afterEach(() => void vi.useRealTimers());

test("memory is short above the share, and no longer when it is freed", () => {
  vi.useFakeTimers();
  let used = 80;
  const memory = watchMemory({ limitBytes: 100, usedBytes: () => used, share: 0.85, everyMs: 10 });
  vi.advanceTimersByTime(10);
  expect(memory.isShort()).toBe(false);
  used = 86;
  vi.advanceTimersByTime(10);
  expect(memory.isShort()).toBe(true);
  used = 84;
  vi.advanceTimersByTime(10);
  expect(memory.isShort()).toBe(false);
  memory.close();
});

test("without a limit, memory is never short", () => {
  const memory = watchMemory({ limitBytes: undefined, usedBytes: () => 1e15, share: 0.85, everyMs: 1 });
  expect(memory.isShort()).toBe(false);
});
