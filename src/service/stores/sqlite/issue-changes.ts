import { afterAction, afterTime, type IssueAction, type IssueState } from "../../issues/issue-state.ts";
import type { IssueChange } from "../store.ts";
import type { Database } from "./database.ts";
import { countIssueVisitors } from "./group-visitors.ts";
import { addHistory, stateOf } from "./issue-history.ts";
import { releaseOrder } from "./release-order.ts";
import type { StoreFiles } from "./store-files.ts";

interface IssueRow {
  id: number;
  project: number;
  state: string;
  events: number;
  visitors: number;
}

/** Applies one change to several issues of one project, all or none. */
export function changeIssues(
  files: StoreFiles,
  project: number,
  issues: readonly number[],
  change: IssueChange,
  by: string,
  at: number,
): readonly number[] {
  const { meta } = files;
  return meta.transaction(() => {
    const changed: number[] = [];
    for (const id of new Set(issues)) {
      const row = meta.one<IssueRow>(
        "SELECT id, project, state, events, visitors FROM issue WHERE id = ? AND project = ? AND status <> 'merged'",
        id,
        project,
      );
      if (row !== undefined && changeIssue(files, row, change, by, at)) changed.push(id);
    }
    return changed;
  });
}

function changeIssue(files: StoreFiles, issue: IssueRow, change: IssueChange, by: string, at: number): boolean {
  const { meta } = files;
  switch (change.kind) {
    case "assign":
      meta.run("UPDATE issue SET assignee = ? WHERE id = ?", change.to ?? null, issue.id);
      addHistory(meta, issue.id, at, by, { kind: "assigned", to: change.to });
      return true;
    case "comment":
      addHistory(meta, issue.id, at, by, { kind: "comment", text: change.text });
      return true;
    case "merge":
      return merge(meta, issue, change.into, by, at);
    case "split":
      return split(meta, issue, change.groups, by, at);
    default:
      setState(meta, issue, stateAfter(files, issue, change, by, at), by, at);
      return true;
  }
}

function stateAfter(files: StoreFiles, issue: IssueRow, action: IssueAction, by: string, at: number): IssueState {
  const { events, visitors } = issue;
  const newestRelease = newestReleaseOf(files, issue.project);
  return afterAction(action, { at, by, numbers: { events, visitors }, newestRelease });
}

function newestReleaseOf(files: StoreFiles, project: number): string | undefined {
  const names = files.meta
    .all<{ name: string }>("SELECT name FROM release WHERE project = ?", project)
    .map(({ name }) => name);
  const compare = releaseOrder(files, project);
  return names.length === 0 ? undefined : names.reduce((newest, name) => (compare(name, newest) > 0 ? name : newest));
}

function setState(meta: Database, issue: Pick<IssueRow, "id" | "state">, to: IssueState, by: string, at: number): void {
  meta.run("UPDATE issue SET status = ?, state = ? WHERE id = ?", to.kind, JSON.stringify(to), issue.id);
  addHistory(meta, issue.id, at, by, { kind: "state", from: stateOf(issue.state), to });
}

/** The groups move, the issue stays as an empty shell: splitting gives everything back as it was, and what came meanwhile. */
function merge(meta: Database, issue: IssueRow, into: number, by: string, at: number): boolean {
  const target = meta.one(
    "SELECT id FROM issue WHERE id = ? AND project = ? AND status <> 'merged'",
    into,
    issue.project,
  );
  if (target === undefined || into === issue.id) return false;
  meta.run("UPDATE issue_group SET issue = ? WHERE issue = ?", into, issue.id);
  meta.run("UPDATE issue SET status = 'merged', merged_into = ? WHERE id = ?", into, issue.id);
  // Issues that had been merged into this one before now belong to the same target.
  meta.run("UPDATE issue SET merged_into = ? WHERE merged_into = ?", into, issue.id);
  recount(meta, into);
  addHistory(meta, into, at, by, { kind: "merged", issue: issue.id });
  addHistory(meta, issue.id, at, by, { kind: "merged", issue: into });
  return true;
}

/** Gives groups back to the issues they were born with: all of them, or the ones named. */
function split(
  meta: Database,
  issue: IssueRow,
  wanted: readonly number[] | undefined,
  by: string,
  at: number,
): boolean {
  const foreign = meta
    .all<{ id: number }>("SELECT id FROM issue_group WHERE issue = ?1 AND id <> ?1", issue.id)
    .map(({ id }) => id)
    .filter((id) => wanted === undefined || wanted.includes(id));
  for (const id of foreign) {
    meta.run("UPDATE issue_group SET issue = id WHERE id = ?", id);
    const own = meta.one<{ state: string }>("SELECT state FROM issue WHERE id = ?", id);
    meta.run(
      "UPDATE issue SET status = ?, merged_into = NULL WHERE id = ?",
      stateOf(own?.state ?? '{"kind":"open"}').kind,
      id,
    );
    recount(meta, id);
    addHistory(meta, id, at, by, { kind: "split", issue: issue.id });
    addHistory(meta, issue.id, at, by, { kind: "split", issue: id });
  }
  if (foreign.length > 0) recount(meta, issue.id);
  return foreign.length > 0;
}

function recount(meta: Database, issue: number): void {
  meta.run(
    `UPDATE issue SET (events, first_seen, last_seen) =
       (SELECT sum(events), min(first_seen), max(last_seen) FROM issue_group WHERE issue = ?1) WHERE id = ?1`,
    issue,
  );
  meta.run("UPDATE issue SET visitors = ? WHERE id = ?", countIssueVisitors(meta, issue), issue);
}

/** Mutes that end by the clock. */
export function wakeIssues({ meta }: StoreFiles, now: number): void {
  meta.transaction(() => {
    for (const issue of meta.all<{ id: number; state: string }>("SELECT id, state FROM issue WHERE status = 'muted'")) {
      const before = stateOf(issue.state);
      const after = afterTime(before, now);
      if (after !== before) setState(meta, issue, after, "clock", now);
    }
  });
}
