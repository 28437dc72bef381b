/**
 * State of an issue. A union, so that it cannot be resolved and muted at once. Every change is made by one of two
 * functions: `afterAction` for people, `afterEvents` for arriving events.
 */
export type IssueState =
  | { kind: "open" }
  | { kind: "regressed"; at: number; release: string | undefined; resolvedAt: number }
  | { kind: "resolved"; at: number; by: string; fixed: Fix }
  | { kind: "muted"; at: number; by: string; until: MuteEnd };

/** From when on a new event reopens the issue. */
export type Fix =
  | { in: "now" }
  | { in: "release"; release: string }
  /** In the release after the newest known one at the time of resolving. */
  | { in: "next-release"; after: string | undefined };

export type MuteEnd =
  | { kind: "for-ever" }
  | { kind: "time"; at: number }
  /** This many more than when it was muted. */
  | { kind: "events"; more: number; from: number }
  | { kind: "visitors"; more: number; from: number };

export type IssueAction =
  | { kind: "resolve"; in: "now" | "next-release" }
  | { kind: "resolve"; in: "release"; release: string }
  | { kind: "mute"; until: MuteWish }
  | { kind: "reopen" };

export type MuteWish =
  | { kind: "for-ever" }
  | { kind: "time"; at: number }
  | { kind: "events"; more: number }
  | { kind: "visitors"; more: number };

export interface IssueNumbers {
  events: number;
  visitors: number;
}

export function afterAction(
  action: IssueAction,
  facts: { at: number; by: string; numbers: IssueNumbers; newestRelease: string | undefined },
): IssueState {
  const { at, by } = facts;
  switch (action.kind) {
    case "reopen":
      return { kind: "open" };
    case "resolve":
      if (action.in === "now") return { kind: "resolved", at, by, fixed: { in: "now" } };
      if (action.in === "release")
        return { kind: "resolved", at, by, fixed: { in: "release", release: action.release } };
      return { kind: "resolved", at, by, fixed: { in: "next-release", after: facts.newestRelease } };
    case "mute":
      return { kind: "muted", at, by, until: muteEnd(action.until, facts.numbers) };
  }
}

function muteEnd(wish: MuteWish, numbers: IssueNumbers): MuteEnd {
  if (wish.kind === "events") return { ...wish, from: numbers.events };
  if (wish.kind === "visitors") return { ...wish, from: numbers.visitors };
  return wish;
}

/** Changes to an issue by one batch: the newest time per release, and the new totals. */
export interface NewEvents {
  byRelease: ReadonlyMap<string | undefined, { lastAt: number }>;
  numbers: IssueNumbers;
  /** Negative if `a` is older than `b`. */
  compareReleases: (a: string, b: string) => number;
}

export function afterEvents(state: IssueState, events: NewEvents): IssueState {
  switch (state.kind) {
    case "open":
    case "regressed":
      return state;
    case "muted":
      return muteIsOver(state.until, events) ? { kind: "open" } : state;
    case "resolved": {
      for (const [release, { lastAt }] of events.byRelease) {
        if (shouldNotHappenIn(release, lastAt, state, events.compareReleases)) {
          return { kind: "regressed", at: lastAt, release, resolvedAt: state.at };
        }
      }
      return state;
    }
  }
}

/** Ends a mute whose time is over, without any event. */
export function afterTime(state: IssueState, now: number): IssueState {
  return state.kind === "muted" && state.until.kind === "time" && state.until.at <= now ? { kind: "open" } : state;
}

function muteIsOver(until: MuteEnd, events: NewEvents): boolean {
  switch (until.kind) {
    case "for-ever":
      return false;
    case "time": {
      for (const { lastAt } of events.byRelease.values()) if (lastAt >= until.at) return true;
      return false;
    }
    case "events":
      return events.numbers.events >= until.from + until.more;
    case "visitors":
      return events.numbers.visitors >= until.from + until.more;
  }
}

function shouldNotHappenIn(
  release: string | undefined,
  lastAt: number,
  state: Extract<IssueState, { kind: "resolved" }>,
  compare: NewEvents["compareReleases"],
): boolean {
  return state.fixed.in === "now" ? lastAt > state.at : isFixedIn(release, state.fixed, compare);
}

/** Whether a release has the fix. Visitors run old builds for a while; their events are irrelevant for it. */
export function isFixedIn(release: string | undefined, fixed: Fix, compare: NewEvents["compareReleases"]): boolean {
  if (fixed.in === "now") return true;
  if (release === undefined) return false;
  if (fixed.in === "release") return compare(release, fixed.release) >= 0;
  return fixed.after === undefined || compare(release, fixed.after) > 0;
}
