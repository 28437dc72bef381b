import { afterAction, afterTime } from "../../../issues/issue-state.ts";
import { type Act, stateOf } from "../../issue-row.ts";
import type { ChangeRequest, IssueChange } from "../../store-requests.ts";
import type { Pool, Queries } from "../connect/connections.ts";
import { locks } from "../locks.ts";
import { addComment } from "./comments.ts";
import { addHistory, writeState } from "./issue-history.ts";
import { mergeIssue, splitIssue } from "./merge-issues.ts";
import { releaseOrder } from "./release-order.ts";
import { undoLastChange } from "./undo-change.ts";

interface ChangedRow {
  id: number;
  project: number;
  state: string;
  events: number;
  visitors: number;
  assignee: string | null;
  ticket: string | null;
}

/**
 * Applies one change to several issues of one project, all or none. It waits for a fold of the project, so that one
 * at a time decides about a state.
 */
export function changeIssues(
  pool: Pool,
  { project, issues, change, by, at }: ChangeRequest,
): Promise<readonly number[]> {
  return pool.transaction(async (queries) => {
    await lockProject(queries, project);
    const changed: number[] = [];
    for (const id of new Set(issues)) {
      const row = await queries.one<ChangedRow>(
        `SELECT id, project, state, events, visitors, assignee, ticket FROM holdfast.issue
         WHERE id = $1 AND project = $2 AND status <> 'merged'`,
        id,
        project,
      );
      if (row !== undefined && (await changeIssue(queries, row, change, { by, at }))) changed.push(id);
    }
    return changed;
  });
}

/** One at a time folds or changes a project. Until the end of the transaction. */
export async function lockProject(queries: Queries, project: number): Promise<void> {
  await queries.run("SELECT pg_advisory_xact_lock($1, $2)", locks.project, project);
}

async function changeIssue(queries: Queries, issue: ChangedRow, change: IssueChange, act: Act): Promise<boolean> {
  switch (change.kind) {
    case "assign":
      await queries.run("UPDATE holdfast.issue SET assignee = $2 WHERE id = $1", issue.id, change.to ?? null);
      await addHistory(queries, issue.id, act, { kind: "assigned", to: change.to, from: issue.assignee ?? undefined });
      return true;
    case "ticket":
      await queries.run("UPDATE holdfast.issue SET ticket = $2 WHERE id = $1", issue.id, change.address ?? null);
      await addHistory(queries, issue.id, act, { kind: "ticket", to: change.address, from: issue.ticket ?? undefined });
      return true;
    case "comment":
      await addComment(queries, issue, change.text, act);
      return true;
    case "merge":
      return mergeIssue(queries, issue, change.into, act);
    case "split":
      return splitIssue(queries, issue.id, change.groups, act);
    case "undo":
      return undoLastChange(queries, issue.id, act);
    default: {
      const { events, visitors } = issue;
      const { newest } = await releaseOrder(queries, issue.project);
      const after = afterAction(change, { ...act, numbers: { events, visitors }, newestRelease: newest });
      await writeState(queries, issue.id, after);
      await addHistory(queries, issue.id, act, { kind: "state", from: stateOf(issue.state), to: after });
      return true;
    }
  }
}

/** Mutes that end by the clock. */
export async function wakeIssues(pool: Pool, now: number): Promise<void> {
  const projects = await pool.all<{ project: number }>(
    "SELECT DISTINCT project FROM holdfast.issue WHERE status = 'muted'",
  );
  for (const { project } of projects)
    await pool.transaction(async (queries) => {
      await lockProject(queries, project);
      const muted = await queries.all<{ id: number; state: string }>(
        "SELECT id, state FROM holdfast.issue WHERE project = $1 AND status = 'muted'",
        project,
      );
      for (const { id, state } of muted) {
        const before = stateOf(state);
        const after = afterTime(before, now);
        if (after === before) continue;
        await writeState(queries, id, after);
        await addHistory(queries, id, { by: "clock", at: now }, { kind: "state", from: before, to: after });
      }
    });
}
