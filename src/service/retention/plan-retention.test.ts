import { describe, expect, it } from "vitest";
import { retentionLimits } from "./limits.ts";
import { planRetention, wantsSplit } from "./plan-retention.ts";

const weekMs = 7 * 86_400_000;
const now = 1_000 * weekMs + 1;
const limits = { ...retentionLimits, keepDays: 28, keepBytes: 1_000, lowBytes: 100 };
const enough = { now, freeBytes: 1e9, otherBytes: 0 };

describe("retention", () => {
  it("deletes weeks that are too old, and no other", () => {
    expect(planRetention(weeks(8, 10), enough, limits)).toEqual([
      { kind: "drop", name: "week 7", why: "age" },
      { kind: "drop", name: "week 6", why: "age" },
      { kind: "drop", name: "week 5", why: "age" },
    ]);
  });

  it("deletes the oldest until the rest fits the limit with some room to spare", () => {
    expect(planRetention(weeks(5, 210), enough, limits)).toEqual([{ kind: "drop", name: "week 4", why: "bytes" }]);
    expect(planRetention(weeks(4, 210), enough, limits)).toEqual([]);
  });

  it("counts the disk use beside the weeks", () => {
    expect(planRetention(weeks(4, 100), { ...enough, otherBytes: 650 }, limits)).toEqual([
      { kind: "drop", name: "week 3", why: "bytes" },
      { kind: "drop", name: "week 2", why: "bytes" },
    ]);
  });

  it("deletes the oldest half of a week that is much larger than the excess", () => {
    expect(planRetention(weeks(2, 500), enough, limits)).toEqual([
      { kind: "cut", name: "week 1", toBytes: 250, why: "bytes" },
    ]);
    expect(planRetention(weeks(2, 480), { ...enough, otherBytes: 300 }, limits)).toEqual([
      { kind: "drop", name: "week 1", why: "bytes" },
    ]);
  });

  it("keeps the newest part of one week that exceeds the whole limit", () => {
    const [current] = weeks(1, 3_000);
    if (current === undefined) throw new Error("There is a week.");
    expect(planRetention([{ ...current, to: now }], enough, limits)).toEqual([
      { kind: "cut", name: "week 0", toBytes: 850, why: "bytes" },
    ]);
  });

  it("frees disk space when the disk is nearly full, but keeps the current week", () => {
    expect(planRetention(weeks(3, 60), { ...enough, freeBytes: 10 }, limits)).toEqual([
      { kind: "drop", name: "week 2", why: "low-disk" },
      { kind: "drop", name: "week 1", why: "low-disk" },
    ]);
    expect(planRetention(weeks(1, 9_999), { ...enough, freeBytes: 0 }, limits)).toEqual([]);
  });

  it("does nothing if there is room and nothing is old", () => {
    expect(planRetention(weeks(3, 10), enough, limits)).toEqual([]);
  });

  it("closes the current file at an eighth of the limit, so that it can be deleted without the others", () => {
    expect(wantsSplit(weeks(3, 126), now, limits)).toBe(true);
    expect(wantsSplit(weeks(3, 124), now, limits)).toBe(false);
    expect(wantsSplit(weeks(3, 9_999).slice(1), now, limits)).toBe(false);
  });
});

/** `week 0` is the current one. */
function weeks(count: number, bytes: number) {
  return Array.from({ length: count }, (_, age) => {
    const from = (1_000 - age) * weekMs;
    return { name: `week ${age}`, from, to: from + weekMs, bytes, isLater: false };
  });
}
