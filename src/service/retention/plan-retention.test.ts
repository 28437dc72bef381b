import { describe, expect, it } from "vitest";
import { retentionLimits } from "./limits.ts";
import { planRetention } from "./plan-retention.ts";

const weekMs = 7 * 86_400_000;
const now = 1_000 * weekMs + 1;
const limits = { ...retentionLimits, keepDays: 28, keepBytes: 500, lowBytes: 100 };

describe("retention", () => {
  it("lets weeks go that are too old, and no other", () => {
    expect(planRetention(weeks(8, 10), { now, freeBytes: 1e9 }, limits).map(({ name, why }) => [name, why])).toEqual([
      ["week 7", "age"],
      ["week 6", "age"],
      ["week 5", "age"],
    ]);
  });

  it("lets the oldest go until the rest fits the bytes", () => {
    expect(planRetention(weeks(4, 200), { now, freeBytes: 1e9 }, limits)).toEqual([
      { name: "week 3", why: "bytes" },
      { name: "week 2", why: "bytes" },
    ]);
  });

  it("makes room when the disk is nearly full, but keeps the week that is being written", () => {
    expect(planRetention(weeks(3, 60), { now, freeBytes: 10 }, limits)).toEqual([
      { name: "week 2", why: "low-disk" },
      { name: "week 1", why: "low-disk" },
    ]);
    expect(planRetention(weeks(1, 9_999), { now, freeBytes: 0 }, limits)).toEqual([]);
  });

  it("does nothing when there is room and nothing is old", () => {
    expect(planRetention(weeks(3, 10), { now, freeBytes: 1e9 }, limits)).toEqual([]);
  });
});

/** `week 0` is the one that is being written. */
function weeks(count: number, bytes: number) {
  return Array.from({ length: count }, (_, age) => {
    const from = (1_000 - age) * weekMs;
    return { name: `week ${age}`, from, to: from + weekMs, bytes };
  });
}
