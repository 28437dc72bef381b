import { type Act, stateOf } from "../../issue-row.ts";
import type { Database } from "../database.ts";
import { countIssueVisitors } from "../group-visitors.ts";
import { addHistory } from "./issue-history.ts";

/**
 * Moves the groups and keeps the issue as an empty shell, so that splitting restores it, with the events that arrived
 * meanwhile.
 */
export function mergeIssue(meta: Database, issue: { id: number; project: number }, into: number, act: Act): boolean {
  const target = meta.one(
    "SELECT id FROM issue WHERE id = ? AND project = ? AND status <> 'merged'",
    into,
    issue.project,
  );
  if (target === undefined || into === issue.id) return false;
  const groups = putGroups(meta, issue.id, into);
  addHistory(meta, into, act, { kind: "merged", issue: issue.id, groups });
  addHistory(meta, issue.id, act, { kind: "merged", issue: into });
  return true;
}

/** Returns the moved groups. */
export function putGroups(meta: Database, issue: number, into: number): readonly number[] {
  const groups = meta
    .all<{ id: number }>("SELECT id FROM issue_group WHERE issue = ? ORDER BY id", issue)
    .map(({ id }) => id);
  meta.run("UPDATE issue_group SET issue = ? WHERE issue = ?", into, issue);
  meta.run("UPDATE issue SET status = 'merged', merged_into = ? WHERE id = ?", into, issue);
  // Issues that were merged into this one before now belong to the same target.
  meta.run("UPDATE issue SET merged_into = ? WHERE merged_into = ?", into, issue);
  recount(meta, into);
  return groups;
}

/** Returns groups to their original issues: all of them, or the named ones. */
export function splitIssue(meta: Database, issue: number, wanted: readonly number[] | undefined, act: Act): boolean {
  const foreign = meta
    .all<{ id: number }>("SELECT id FROM issue_group WHERE issue = ?1 AND id <> ?1", issue)
    .map(({ id }) => id)
    .filter((id) => wanted === undefined || wanted.includes(id));
  for (const id of foreign) {
    takeGroupsOut(meta, issue, id, [id]);
    addHistory(meta, id, act, { kind: "split", issue });
    addHistory(meta, issue, act, { kind: "split", issue: id });
  }
  return foreign.length > 0;
}

/** Returns groups to an issue and restores it in its former state. */
export function takeGroupsOut(meta: Database, from: number, to: number, groups: readonly number[]): void {
  for (const group of groups) {
    meta.run("UPDATE issue_group SET issue = ? WHERE id = ? AND issue = ?", to, group, from);
    // A group has the id of its original issue, which had been merged into this one before.
    if (group !== to) meta.run("UPDATE issue SET merged_into = ? WHERE id = ? AND status = 'merged'", to, group);
  }
  const own = meta.one<{ state: string }>("SELECT state FROM issue WHERE id = ?", to);
  meta.run(
    "UPDATE issue SET status = ?, merged_into = NULL WHERE id = ?",
    stateOf(own?.state ?? '{"kind":"open"}').kind,
    to,
  );
  recount(meta, to);
  recount(meta, from);
}

/** Sums up the groups of an issue. */
export function recount(meta: Database, issue: number): void {
  meta.run(
    `UPDATE issue SET (events, first_seen, last_seen, stuck) =
       (SELECT sum(events), min(first_seen), max(last_seen), sum(stuck) FROM issue_group WHERE issue = ?1) WHERE id = ?1`,
    issue,
  );
  meta.run("UPDATE issue SET visitors = ? WHERE id = ?", countIssueVisitors(meta, issue), issue);
  showNewest(meta, issue);
}

/**
 * An issue is titled by the newest event of its original group, so that it keeps its title when others are merged into
 * it. Its other fields are those of the newest event of all groups. Groups from before this was recorded change
 * nothing.
 */
export function showNewest(meta: Database, issue: number): void {
  meta.run(
    `UPDATE issue SET (type, title, culprit) = (SELECT type, title, culprit FROM issue_group WHERE id = ?1)
     WHERE id = ?1 AND EXISTS (SELECT 1 FROM issue_group WHERE id = ?1 AND last_event IS NOT NULL)`,
    issue,
  );
  meta.run(
    `UPDATE issue SET (level, last_release, last_event) =
       (SELECT level, last_release, last_event FROM issue_group
        WHERE issue = ?1 AND last_event IS NOT NULL ORDER BY last_seen DESC, id DESC LIMIT 1)
     WHERE id = ?1 AND EXISTS (SELECT 1 FROM issue_group WHERE issue = ?1 AND last_event IS NOT NULL)`,
    issue,
  );
}
