import { type Act, whatOf } from "../../issue-row.ts";
import type { HistoryEntry } from "../../records.ts";
import type { Queries } from "../connect/connections.ts";
import { deleteComment } from "./comments.ts";
import { addHistory, writeState } from "./issue-history.ts";
import { putGroups, takeGroupsOut } from "./merge-issues.ts";

interface Entry {
  id: number;
  at: number;
  by: string;
  what: string;
}

/**
 * The history is what can be taken back: the newest entries of an issue, if they are one change of this person. Any
 * change by another person since, or an event that came, makes it too late.
 */
export async function undoLastChange(queries: Queries, issue: number, act: Act): Promise<boolean> {
  const newest = await queries.all<Entry>(
    `SELECT id, at, by, what FROM holdfast.issue_history
     WHERE issue = $1 AND what::jsonb ->> 'kind' <> 'mentioned' ORDER BY id DESC LIMIT 200`,
    issue,
  );
  const first = newest[0];
  if (first === undefined || first.by !== act.by) return false;
  const since = newest.findIndex((entry) => entry.at !== first.at || entry.by !== act.by);
  let isUndone = false;
  for (const entry of since < 0 ? newest : newest.slice(0, since))
    isUndone = (await undoEntry(queries, issue, entry, act)) || isUndone;
  return isUndone;
}

async function undoEntry(queries: Queries, issue: number, entry: Entry, act: Act): Promise<boolean> {
  const what = whatOf(entry.what);
  if (!(await restore(queries, issue, { ...entry, what }, act))) return false;
  if (what.kind !== "undone" && what.kind !== "mentioned" && what.kind !== "imported")
    await addHistory(queries, issue, act, { kind: "undone", what: what.kind });
  return true;
}

async function restore(
  queries: Queries,
  issue: number,
  { what, ...entry }: Omit<Entry, "what"> & { what: HistoryEntry["what"] },
  act: Act,
): Promise<boolean> {
  switch (what.kind) {
    case "state":
      await writeState(queries, issue, what.from);
      return true;
    case "assigned":
      await queries.run("UPDATE holdfast.issue SET assignee = $2 WHERE id = $1", issue, what.from ?? null);
      return true;
    case "ticket":
      await queries.run("UPDATE holdfast.issue SET ticket = $2 WHERE id = $1", issue, what.from ?? null);
      return true;
    case "comment":
      await deleteComment(queries, issue, what, entry);
      return true;
    case "merged":
      if (what.groups === undefined) return false;
      await takeGroupsOut(queries, issue, what.issue, what.groups);
      await addHistory(queries, what.issue, act, { kind: "undone", what: "merged" });
      return true;
    case "split":
      await putGroups(queries, what.issue, issue);
      await addHistory(queries, what.issue, act, { kind: "undone", what: "split" });
      return true;
    case "undone":
    case "mentioned":
    case "imported":
      return false;
  }
}
