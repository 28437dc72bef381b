import { TimeAgo } from "../time/time-ago.tsx";
import { fixedIn, inRelease, type ShownState, untilWhen } from "./issue-state.tsx";

interface Entry {
  at: number;
  by: string;
  what:
    | { kind: "state"; to: ShownState }
    | { kind: "assigned"; to: string | undefined }
    | { kind: "comment"; text: string }
    | { kind: "merged"; issue: number }
    | { kind: "split"; issue: number }
    | { kind: "undone"; what: "state" | "assigned" | "comment" | "merged" | "split" };
}

/** Changes of an issue by people, by events and by time. */
export function Activity({ history, now }: { history: readonly Entry[]; now: number }) {
  if (history.length === 0) return null;
  return (
    <section aria-labelledby="activity">
      <h2 id="activity">Activity</h2>
      <ol className="plain activity">
        {history.map((entry, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: entries are only ever added at one end
          <li key={index}>
            <strong>{doers[entry.by] ?? entry.by}</strong> {words(entry.what)} <TimeAgo at={entry.at} now={now} />
            {entry.what.kind === "comment" && <p className="comment">{entry.what.text}</p>}
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Authors of changes that no person made. */
const doers: Readonly<Record<string, string>> = {
  events: "It",
  clock: "The end of its mute",
  "check-ins": "The next good run",
};

const undoneWords = {
  state: "the change of state",
  assigned: "the assignment",
  comment: "a comment",
  merged: "the merge",
  split: "the split",
} as const;

function words(what: Entry["what"]): string {
  switch (what.kind) {
    case "state":
      return becameOf(what.to);
    case "assigned":
      return what.to === undefined ? "took the assignment back" : `assigned it to ${what.to}`;
    case "comment":
      return "wrote";
    case "merged":
      return "merged another issue into it";
    case "split":
      return "took a merged issue out again";
    case "undone":
      return `took back ${undoneWords[what.what]}`;
  }
}

/** Predicate of a history entry. Its author is written before it. */
function becameOf(state: ShownState): string {
  switch (state.kind) {
    case "open":
      return "opened it";
    case "regressed":
      return `came back${inRelease(state.release)}`;
    case "resolved":
      return `resolved it${fixedIn(state.fixed)}`;
    case "muted":
      return `muted it ${untilWhen(state.until)}`;
  }
}
