import type { Act } from "../../issue-row.ts";
import type { HistoryEntry } from "../../records.ts";
import type { Database } from "../database.ts";

export function addHistory(meta: Database, issue: number, act: Act, what: HistoryEntry["what"]): void {
  meta.run(
    "INSERT INTO issue_history (issue, at, by, what) VALUES (?, ?, ?, ?)",
    issue,
    act.at,
    act.by,
    JSON.stringify(what),
  );
}
