import { describe, expect, it } from "vitest";
import {
  answersOf,
  type HealingRecord,
  isTried,
  newRoute,
  type RouteEvent,
  type RouteRules,
  stepRoute,
} from "./healing-record.ts";
import { healingLimits } from "./limits.ts";

const rules: RouteRules = { baseline: { requests: 1_000, failures: 0 }, never: undefined, limits: healingLimits };
const { firstWaitMs } = healingLimits;

describe("the build that answers a route", () => {
  it("a broken route runs on the build before, is tried after a minute, and comes back when it works", () => {
    const healed = next(newRoute, 0, failures(5));
    expect([answersOf(healed.record), healed.notice]).toEqual(["before", { kind: "healed" }]);
    const waiting = next(healed.record, firstWaitMs - 1, { kind: "time" });
    expect(isTried(waiting.record)).toBe(false);
    const tried = next(waiting.record, firstWaitMs, { kind: "time" });
    expect([answersOf(tried.record), isTried(tried.record)]).toEqual(["before", true]);
    const failed = next(tried.record, firstWaitMs, counted("trial", 3, 3));
    expect(failed.record).toMatchObject({ at: "before", until: 3 * firstWaitMs, heals: 2 });
    const passed = next(tried.record, firstWaitMs, counted("trial", 10, 0));
    expect([answersOf(passed.record), passed.notice]).toEqual(["new", { kind: "returned" }]);
  });

  it("a route whose actions fail is not tried: that would run them", () => {
    const healed = next(newRoute, 0, { ...failures(5), triable: 0 });
    const later = next(healed.record, healingLimits.longestWaitMs * 1_000, { kind: "time" });
    expect([answersOf(later.record), isTried(later.record)]).toEqual(["before", false]);
  });

  it("a route that fails on both builds goes back to the new one, and is left alone for a while", () => {
    const healed = next(newRoute, 0, failures(5));
    const both = next(healed.record, 1_000, counted("before", 10, 10));
    expect([answersOf(both.record), both.notice]).toEqual(["new", { kind: "fails-on-both" }]);
    expect(next(both.record, firstWaitMs, failures(100)).record).toBe(both.record);
    expect(answersOf(next(both.record, firstWaitMs + 1_000, failures(5)).record)).toBe("before");
  });

  it("a route that must not be healed stays where it is, and says why once", () => {
    const never = next(newRoute, 0, failures(5), { ...rules, never: "the data changed" });
    expect(never).toEqual({
      record: {
        ...{ at: "kept", why: "the data changed" },
        cause: { since: 0, new: { requests: 5, failures: 5 }, before: rules.baseline },
      },
      notice: { kind: "not-healed", why: "the data changed" },
    });
    expect(next(never.record, 1, failures(50))).toEqual({ record: never.record });
    const healed = next(newRoute, 0, failures(5));
    const unusable = next(healed.record, 1, { kind: "unusable", why: "its actions changed" });
    expect([answersOf(unusable.record), unusable.notice?.kind]).toEqual(["new", "not-healed"]);
  });

  it("an operator's choice holds until it is taken back, unless the build before cannot answer", () => {
    const pinned = next(newRoute, 0, { kind: "pinned", to: "new" });
    expect(answersOf(next(pinned.record, 0, failures(50)).record)).toBe("new");
    const before = next(newRoute, 0, { kind: "pinned", to: "before" });
    expect(answersOf(next(before.record, 1e12, { kind: "time" }).record)).toBe("before");
    expect(next(before.record, 0, { kind: "unpinned" }).record).toEqual(newRoute);
    const impossible = next(newRoute, 0, { kind: "pinned", to: "before" }, { ...rules, never: "there is none" });
    expect(answersOf(impossible.record)).toBe("new");
  });

  it("what another process has decided is adopted without another notice; what it decided earlier is not", () => {
    const healed = next(newRoute, 0, { kind: "decided", answers: "before", heals: 2 });
    expect([answersOf(healed.record), healed.notice]).toEqual(["before", undefined]);
    expect(next(healed.record, 0, { kind: "decided", answers: "new", heals: 1 }).record).toBe(healed.record);
    const back = next(healed.record, 0, { kind: "decided", answers: "new", heals: 2 });
    expect(answersOf(back.record)).toBe("new");
    expect(next(back.record, 0, { kind: "decided", answers: "before", heals: 2 }).record).toBe(back.record);
  });
});

function next(record: HealingRecord, now: number, event: RouteEvent, by = rules) {
  return stepRoute(record, event, now, by);
}

function failures(count: number): Extract<RouteEvent, { kind: "counted" }> {
  return counted("new", count, count);
}

function counted(
  on: "new" | "before" | "trial",
  requests: number,
  failed: number,
): Extract<RouteEvent, { kind: "counted" }> {
  return { kind: "counted", on, tally: { requests, failures: failed }, triable: failed };
}
