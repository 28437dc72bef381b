import { mentionsIn } from "../../../issues/mentions.ts";
import type { Act } from "../../issue-row.ts";
import type { HistoryEntry } from "../../records.ts";
import type { Database } from "../database.ts";
import { addHistory } from "./issue-history.ts";

/** Writes a comment, and into the history of each issue that it names that it does. */
export function addComment(meta: Database, issue: { id: number; project: number }, text: string, act: Act): void {
  const named = meta.all<{ number: number; id: number }>(
    `SELECT number, coalesce(merged_into, id) AS id FROM issue
     WHERE project = ? AND number IN (SELECT value FROM json_each(?)) ORDER BY number`,
    issue.project,
    JSON.stringify(mentionsIn(text)),
  );
  const mentions = named.map(({ number }) => number);
  addHistory(meta, issue.id, act, { kind: "comment", text, ...(mentions.length > 0 && { mentions }) });
  for (const id of new Set(named.map((one) => one.id)))
    if (id !== issue.id) addHistory(meta, id, act, { kind: "mentioned", issue: issue.id });
}

type Comment = Extract<HistoryEntry["what"], { kind: "comment" }>;

/** Deletes a comment, and what it has written into the history of others. */
export function deleteComment(
  meta: Database,
  issue: number,
  { mentions = [] }: Comment,
  entry: Act & { id: number },
): void {
  meta.run("DELETE FROM issue_history WHERE id = ?", entry.id);
  meta.run(
    `DELETE FROM issue_history WHERE at = ?1 AND by = ?2 AND what = ?3 AND issue IN (
       SELECT id FROM issue WHERE number IN (SELECT value FROM json_each(?4)) AND project = (SELECT project FROM issue WHERE id = ?5)
       UNION SELECT merged_into FROM issue
       WHERE number IN (SELECT value FROM json_each(?4)) AND project = (SELECT project FROM issue WHERE id = ?5))`,
    entry.at,
    entry.by,
    JSON.stringify({ kind: "mentioned", issue } satisfies HistoryEntry["what"]),
    JSON.stringify(mentions),
    issue,
  );
}
