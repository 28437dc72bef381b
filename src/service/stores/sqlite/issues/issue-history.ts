import type { IssueState } from "../../../issues/issue-state.ts";
import type { HistoryEntry } from "../../store.ts";
import type { Database } from "../database.ts";

/** Who does something, and when. */
export interface Act {
  by: string;
  at: number;
}

export function addHistory(meta: Database, issue: number, act: Act, what: HistoryEntry["what"]): void {
  meta.run(
    "INSERT INTO issue_history (issue, at, by, what) VALUES (?, ?, ?, ?)",
    issue,
    act.at,
    act.by,
    JSON.stringify(what),
  );
}

/** Written by this store, and only ever from the union. */
export function stateOf(text: string): IssueState {
  return JSON.parse(text) as IssueState;
}

export function whatOf(text: string): HistoryEntry["what"] {
  return JSON.parse(text) as HistoryEntry["what"];
}
