import type { IssueState } from "holdfast/service";
import type { ShownState } from "../parts/issue/issue-state.tsx";
import { shownRelease } from "../parts/release/release-name.ts";
import type { NameOf } from "./shown-names.ts";

const words: Readonly<Record<IssueState["kind"], string>> = {
  open: "Open",
  regressed: "Came back",
  resolved: "Resolved",
  muted: "Muted",
};

const newForMs = 86_400_000;

/** Whether an issue was first seen in the last day. */
export function isNew({ firstSeen }: { firstSeen: number }, now: number): boolean {
  return now - firstSeen < newForMs;
}

/** A state in words. Only an open issue is marked as new. */
export function showState(state: IssueState, nameOf: NameOf, marksNew = false): ShownState {
  const { kind } = state;
  const shown = marksNew && kind === "open" ? { word: "New", name: "new" } : { word: words[kind], name: kind };
  return { kind, ...shown, says: explained(state, nameOf) };
}

function explained(state: IssueState, nameOf: NameOf): ShownState["says"] {
  switch (state.kind) {
    case "open":
      return ["Open"];
    case "regressed":
      return [`It came back${inRelease(state.release)}, `, state.at];
    case "resolved": {
      const by = state.by === "check-ins" ? "the next good run" : nameOf(state.by);
      return [`Resolved by ${by}${fixedIn(state.fixed)}, `, state.at];
    }
    case "muted": {
      const { at, by, until } = state;
      return [
        `Muted by ${nameOf(by)} ${untilWhen(until)}`,
        ...(until.kind === "time" ? [until.at] : []),
        ", since ",
        at,
      ];
    }
  }
}

export function inRelease(name: string | undefined): string {
  return name === undefined ? "" : ` in ${shownRelease(name)}`;
}

export function fixedIn(fixed: Extract<IssueState, { kind: "resolved" }>["fixed"]): string {
  if (fixed.in === "now") return "";
  if (fixed.in === "release") return inRelease(fixed.release);
  return fixed.after === undefined ? " in the next release" : ` in the release after ${shownRelease(fixed.after)}`;
}

/** When a mute ends. The time of one that ends by time is written after it. */
export function untilWhen(until: Extract<IssueState, { kind: "muted" }>["until"]): string {
  switch (until.kind) {
    case "for-ever":
      return "until somebody opens it again";
    case "time":
      return "until ";
    default:
      return `until ${until.more} more ${until.kind}`;
  }
}
