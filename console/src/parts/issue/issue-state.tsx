import { shownRelease } from "../release/release-name.ts";
import { exactTime } from "../time/time-ago.tsx";

/** State from the service, as plain data for pages. */
export type ShownState =
  | { kind: "open" }
  | { kind: "regressed"; at: number; release: string | undefined }
  | {
      kind: "resolved";
      at: number;
      by: string;
      fixed: { in: "now" | "release" | "next-release"; release?: string; after?: string | undefined };
    }
  | {
      kind: "muted";
      at: number;
      by: string;
      until: { kind: "for-ever" | "time" | "events" | "visitors"; at?: number; more?: number };
    };

const marks: Readonly<Record<ShownState["kind"], string>> = { open: "●", regressed: "↺", resolved: "✓", muted: "∅" };

/** Never by colour alone: a mark and a word. */
export function StateMark({ state }: { state: ShownState }) {
  return (
    <span className={`state ${state.kind}`} title={explain(state)}>
      <span aria-hidden="true">{marks[state.kind]}</span> {state.kind}
    </span>
  );
}

export function explain(state: ShownState): string {
  switch (state.kind) {
    case "open":
      return "Open";
    case "regressed":
      return `It came back${inRelease(state.release)}, ${exactTime(state.at)}`;
    case "resolved":
      return `Resolved by ${state.by === "check-ins" ? "the next good run" : state.by}${fixedIn(state.fixed)}, ${exactTime(state.at)}`;
    case "muted":
      return `Muted by ${state.by} ${untilWhen(state.until)}, since ${exactTime(state.at)}`;
  }
}

export function inRelease(name: string | undefined): string {
  return name === undefined ? "" : ` in ${shownRelease(name)}`;
}

export function fixedIn(fixed: Extract<ShownState, { kind: "resolved" }>["fixed"]): string {
  if (fixed.in === "now") return "";
  if (fixed.in === "release") return inRelease(fixed.release);
  return fixed.after === undefined ? " in the next release" : ` in the release after ${shownRelease(fixed.after)}`;
}

export function untilWhen(until: Extract<ShownState, { kind: "muted" }>["until"]): string {
  switch (until.kind) {
    case "for-ever":
      return "until somebody opens it again";
    case "time":
      return `until ${exactTime(until.at ?? 0)}`;
    default:
      return `until ${until.more} more ${until.kind}`;
  }
}
