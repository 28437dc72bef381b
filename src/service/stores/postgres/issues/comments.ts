import { mentionsIn } from "../../../issues/mentions.ts";
import type { Act } from "../../issue-row.ts";
import type { HistoryEntry } from "../../records.ts";
import type { Queries } from "../connect/connections.ts";
import { addHistory } from "./issue-history.ts";

/** Writes a comment, and into the history of each issue that it names that it does. */
export async function addComment(
  queries: Queries,
  issue: { id: number; project: number },
  text: string,
  act: Act,
): Promise<void> {
  const named = await queries.all<{ number: number; id: number }>(
    `SELECT number, coalesce(merged_into, id) AS id FROM holdfast.issue
     WHERE project = $1 AND number = ANY ($2) AND (events > 0 OR status = 'merged') ORDER BY number`,
    issue.project,
    mentionsIn(text),
  );
  const mentions = named.map(({ number }) => number);
  await addHistory(queries, issue.id, act, { kind: "comment", text, ...(mentions.length > 0 && { mentions }) });
  for (const id of new Set(named.map((one) => one.id)))
    if (id !== issue.id) await addHistory(queries, id, act, { kind: "mentioned", issue: issue.id });
}

type Comment = Extract<HistoryEntry["what"], { kind: "comment" }>;

/** Deletes a comment, and what it has written into the history of others. */
export async function deleteComment(
  queries: Queries,
  issue: number,
  { mentions = [] }: Comment,
  entry: Act & { id: number },
): Promise<void> {
  await queries.run("DELETE FROM holdfast.issue_history WHERE id = $1", entry.id);
  await queries.run(
    `DELETE FROM holdfast.issue_history WHERE at = $1 AND by = $2 AND what = $3 AND issue IN (
       SELECT unnest(ARRAY[id, merged_into]) FROM holdfast.issue
       WHERE number = ANY ($4) AND project = (SELECT project FROM holdfast.issue WHERE id = $5))`,
    entry.at,
    entry.by,
    JSON.stringify({ kind: "mentioned", issue } satisfies HistoryEntry["what"]),
    mentions,
    issue,
  );
}
