import { type Act, whatOf } from "../../issue-row.ts";
import type { HistoryEntry } from "../../records.ts";
import type { Database } from "../database.ts";
import { deleteComment } from "./comments.ts";
import { addHistory } from "./issue-history.ts";
import { putGroups, takeGroupsOut } from "./merge-issues.ts";

interface Entry {
  id: number;
  at: number;
  by: string;
  what: string;
}

/**
 * Undoes the newest history entries of an issue, if they are one change by this person. A later change by someone else,
 * or by an event, prevents it.
 */
export function undoLastChange(meta: Database, issue: { id: number }, act: Act): boolean {
  const newest = meta.all<Entry>(
    `SELECT id, at, by, what FROM issue_history
     WHERE issue = ? AND json_extract(what, '$.kind') <> 'mentioned' ORDER BY id DESC LIMIT 200`,
    issue.id,
  );
  const first = newest[0];
  if (first === undefined || first.by !== act.by) return false;
  const since = newest.findIndex((entry) => entry.at !== first.at || entry.by !== act.by);
  const change = since < 0 ? newest : newest.slice(0, since);
  const undone = change.map((entry) => undoEntry(meta, issue.id, entry, act));
  return undone.includes(true);
}

function undoEntry(meta: Database, issue: number, entry: Entry, act: Act): boolean {
  const what = whatOf(entry.what);
  if (!restore(meta, issue, { ...entry, what }, act)) return false;
  if (what.kind !== "undone" && what.kind !== "mentioned" && what.kind !== "imported")
    addHistory(meta, issue, act, { kind: "undone", what: what.kind });
  return true;
}

function restore(
  meta: Database,
  issue: number,
  { what, ...entry }: Omit<Entry, "what"> & { what: HistoryEntry["what"] },
  act: Act,
): boolean {
  switch (what.kind) {
    case "state":
      meta.run("UPDATE issue SET status = ?, state = ? WHERE id = ?", what.from.kind, JSON.stringify(what.from), issue);
      return true;
    case "assigned":
      meta.run("UPDATE issue SET assignee = ? WHERE id = ?", what.from ?? null, issue);
      return true;
    case "ticket":
      meta.run("UPDATE issue SET ticket = ? WHERE id = ?", what.from ?? null, issue);
      return true;
    case "comment":
      deleteComment(meta, issue, what, entry);
      return true;
    case "merged":
      if (what.groups === undefined) return false;
      takeGroupsOut(meta, issue, what.issue, what.groups);
      addHistory(meta, what.issue, act, { kind: "undone", what: "merged" });
      return true;
    case "split":
      putGroups(meta, what.issue, issue);
      addHistory(meta, what.issue, act, { kind: "undone", what: "split" });
      return true;
    case "undone":
    case "mentioned":
    case "imported":
      return false;
  }
}
