import { type Exact, useExact } from "../time/time-ago.tsx";

/** State of an issue, in the words of the server. */
export interface ShownState {
  kind: "open" | "regressed" | "resolved" | "muted";
  /** What is shown, and its class. */
  word: string;
  name: string;
  /** Words and times, which the page writes in the zone of its reader. */
  says: readonly (string | number)[];
}

/** Never by colour alone: always a word. */
export function StateMark({ state }: { state: ShownState }) {
  return (
    <span className={`state ${state.name}`} title={explain(state, useExact())}>
      {state.word}
    </span>
  );
}

export function explain({ says }: ShownState, exact: Exact): string {
  return says.map((part) => (typeof part === "number" ? exact(part) : part)).join("");
}
