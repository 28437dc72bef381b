import type { IssueState } from "../../../issues/issue-state.ts";
import type { Act } from "../../issue-row.ts";
import type { HistoryEntry } from "../../records.ts";
import type { Queries } from "../connect/connections.ts";

export async function addHistory(queries: Queries, issue: number, act: Act, what: HistoryEntry["what"]): Promise<void> {
  await queries.run(
    "INSERT INTO holdfast.issue_history (issue, at, by, what) VALUES ($1, $2, $3, $4)",
    issue,
    act.at,
    act.by,
    JSON.stringify(what),
  );
}

/** A state as the columns of `issue` have it: what is searched by is beside the whole. */
export interface StateColumns {
  readonly status: IssueState["kind"];
  readonly state: string;
  readonly fixedIn: string | null;
  readonly fixedAfter: string | null;
  readonly regressedIn: string | null;
}

export function stateColumns(state: IssueState): StateColumns {
  const fixed = state.kind === "resolved" ? state.fixed : undefined;
  return {
    status: state.kind,
    state: JSON.stringify(state),
    fixedIn: fixed?.in === "release" ? fixed.release : null,
    fixedAfter: fixed?.in === "next-release" ? (fixed.after ?? null) : null,
    regressedIn: state.kind === "regressed" ? (state.release ?? null) : null,
  };
}

export async function writeState(queries: Queries, issue: number, state: IssueState): Promise<void> {
  const columns = stateColumns(state);
  await queries.run(
    `UPDATE holdfast.issue SET status = $2, state = $3, fixed_in = $4, fixed_after = $5, regressed_in = $6
     WHERE id = $1`,
    issue,
    columns.status,
    columns.state,
    columns.fixedIn,
    columns.fixedAfter,
    columns.regressedIn,
  );
}
