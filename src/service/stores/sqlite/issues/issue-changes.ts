import { afterAction, afterTime, type IssueAction, type IssueState } from "../../../issues/issue-state.ts";
import { type Act, stateOf } from "../../issue-row.ts";
import type { ChangeRequest, IssueChange } from "../../store-requests.ts";
import type { Database } from "../database.ts";
import type { StoreFiles } from "../store-files.ts";
import { addComment } from "./comments.ts";
import { addHistory } from "./issue-history.ts";
import { mergeIssue, splitIssue } from "./merge-issues.ts";
import { releaseOrder } from "./release-order.ts";
import { undoLastChange } from "./undo-change.ts";

interface IssueRow {
  id: number;
  project: number;
  state: string;
  events: number;
  visitors: number;
  assignee: string | null;
  ticket: string | null;
}

/** Applies one change to several issues of a project, all or none. */
export function changeIssues(files: StoreFiles, { project, issues, change, by, at }: ChangeRequest): readonly number[] {
  const { meta } = files;
  return meta.transaction(() => {
    const changed: number[] = [];
    for (const id of new Set(issues)) {
      const row = meta.one<IssueRow>(
        "SELECT id, project, state, events, visitors, assignee, ticket FROM issue WHERE id = ? AND project = ? AND status <> 'merged'",
        id,
        project,
      );
      if (row !== undefined && changeIssue(files, row, change, { by, at })) changed.push(id);
    }
    return changed;
  });
}

function changeIssue(files: StoreFiles, issue: IssueRow, change: IssueChange, act: Act): boolean {
  const { meta } = files;
  switch (change.kind) {
    case "assign":
      meta.run("UPDATE issue SET assignee = ? WHERE id = ?", change.to ?? null, issue.id);
      addHistory(meta, issue.id, act, { kind: "assigned", to: change.to, from: issue.assignee ?? undefined });
      return true;
    case "ticket":
      meta.run("UPDATE issue SET ticket = ? WHERE id = ?", change.address ?? null, issue.id);
      addHistory(meta, issue.id, act, { kind: "ticket", to: change.address, from: issue.ticket ?? undefined });
      return true;
    case "comment":
      addComment(meta, issue, change.text, act);
      return true;
    case "merge":
      return mergeIssue(meta, issue, change.into, act);
    case "split":
      return splitIssue(meta, issue.id, change.groups, act);
    case "undo":
      return undoLastChange(meta, issue, act);
    default:
      setState(meta, issue, stateAfter(files, issue, change, act), act);
      return true;
  }
}

function stateAfter(files: StoreFiles, issue: IssueRow, action: IssueAction, act: Act): IssueState {
  const { events, visitors } = issue;
  const newestRelease = newestReleaseOf(files, issue.project);
  return afterAction(action, { ...act, numbers: { events, visitors }, newestRelease });
}

function newestReleaseOf(files: StoreFiles, project: number): string | undefined {
  const names = files.meta
    .all<{ name: string }>("SELECT name FROM release WHERE project = ?", project)
    .map(({ name }) => name);
  const compare = releaseOrder(files, project);
  return names.length === 0 ? undefined : names.reduce((newest, name) => (compare(name, newest) > 0 ? name : newest));
}

function setState(meta: Database, issue: Pick<IssueRow, "id" | "state">, to: IssueState, act: Act): void {
  meta.run("UPDATE issue SET status = ?, state = ? WHERE id = ?", to.kind, JSON.stringify(to), issue.id);
  addHistory(meta, issue.id, act, { kind: "state", from: stateOf(issue.state), to });
}

/** Ends mutes whose time is over. */
export function wakeIssues({ meta }: StoreFiles, now: number): void {
  meta.transaction(() => {
    for (const issue of meta.all<{ id: number; state: string }>("SELECT id, state FROM issue WHERE status = 'muted'")) {
      const before = stateOf(issue.state);
      const after = afterTime(before, now);
      if (after !== before) setState(meta, issue, after, { by: "clock", at: now });
    }
  });
}
