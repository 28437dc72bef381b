import { describe, expect, it } from "vitest";
import { afterAction, afterEvents, afterTime, type IssueAction, type IssueState } from "./issue-state.ts";

describe("a resolved issue", () => {
  it("regresses when it happens after it was resolved", () => {
    const state = afterEvents(resolved({ kind: "resolve", in: "now" }), eventIn("1.0.0", 2_000));
    expect(state).toEqual({ kind: "regressed", at: 2_000, release: "1.0.0", resolvedAt: 1_000 });
  });

  it("stays resolved if a late report of an earlier time arrives", () => {
    const state = resolved({ kind: "resolve", in: "now" });
    expect(afterEvents(state, eventIn("1.0.0", 900))).toBe(state);
  });

  it("an issue resolved in the next release is not reopened by visitors on the old build; the new build reopens it", () => {
    const state = resolved({ kind: "resolve", in: "next-release" });
    expect(afterEvents(state, eventIn("1.4.0", 5_000)).kind).toBe("resolved");
    expect(afterEvents(state, eventIn(undefined, 5_000)).kind).toBe("resolved");
    expect(afterEvents(state, eventIn("1.5.0", 5_000)).kind).toBe("regressed");
  });

  it("an issue resolved in a given release is reopened by that release", () => {
    const state = resolved({ kind: "resolve", in: "release", release: "2.0.0" });
    expect(afterEvents(state, eventIn("1.9.9", 5_000)).kind).toBe("resolved");
    expect(afterEvents(state, eventIn("2.0.0", 5_000)).kind).toBe("regressed");
  });
});

describe("a muted issue", () => {
  it("is reopened after this many more events", () => {
    const state = muted({ kind: "events", more: 10 });
    expect(afterEvents(state, eventIn("1.0.0", 2_000, { events: 109, visitors: 7 })).kind).toBe("muted");
    expect(afterEvents(state, eventIn("1.0.0", 2_000, { events: 110, visitors: 7 })).kind).toBe("open");
  });

  it("is reopened after this many more visitors", () => {
    const state = muted({ kind: "visitors", more: 3 });
    expect(afterEvents(state, eventIn("1.0.0", 2_000, { events: 900, visitors: 9 })).kind).toBe("muted");
    expect(afterEvents(state, eventIn("1.0.0", 2_000, { events: 900, visitors: 10 })).kind).toBe("open");
  });

  it("is reopened when its time is over, with or without an event", () => {
    const state = muted({ kind: "time", at: 3_000 });
    expect(afterTime(state, 2_999)).toBe(state);
    expect(afterTime(state, 3_000)).toEqual({ kind: "open" });
    expect(afterEvents(state, eventIn("1.0.0", 3_000)).kind).toBe("open");
  });

  it("an issue muted for ever stays muted", () => {
    const state = muted({ kind: "for-ever" });
    expect(afterEvents(state, eventIn("9.0.0", 9e12, { events: 9e9, visitors: 9e9 }))).toBe(state);
  });
});

const facts = { at: 1_000, by: "kim", numbers: { events: 100, visitors: 7 }, newestRelease: "1.4.0" };

function resolved(action: IssueAction): IssueState {
  return afterAction(action, facts);
}

function muted(until: Extract<IssueAction, { kind: "mute" }>["until"]): IssueState {
  return afterAction({ kind: "mute", until }, facts);
}

function eventIn(release: string | undefined, lastAt: number, numbers = { events: 101, visitors: 7 }) {
  return {
    byRelease: new Map([[release, { lastAt }]]),
    numbers,
    compareReleases: (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0),
  };
}
