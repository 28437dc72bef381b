import { type Act, stateOf } from "../../issue-row.ts";
import type { Queries } from "../connect/connections.ts";
import { addHistory } from "./issue-history.ts";
import { countIssueVisitors } from "./issue-visitors.ts";
import { shownColumns, shownJoins } from "./shown-columns.ts";

/**
 * The groups move, the issue stays as an empty shell: splitting gives everything back as it was, and what came
 * meanwhile.
 */
export async function mergeIssue(
  queries: Queries,
  issue: { id: number; project: number },
  into: number,
  act: Act,
): Promise<boolean> {
  const target = await queries.one(
    "SELECT id FROM holdfast.issue WHERE id = $1 AND project = $2 AND status <> 'merged'",
    into,
    issue.project,
  );
  if (target === undefined || into === issue.id) return false;
  const groups = await putGroups(queries, issue.id, into);
  await addHistory(queries, into, act, { kind: "merged", issue: issue.id, groups });
  await addHistory(queries, issue.id, act, { kind: "merged", issue: into });
  return true;
}

/** Returns the groups that came. */
export async function putGroups(queries: Queries, issue: number, into: number): Promise<readonly number[]> {
  const rows = await queries.all<{ id: number }>(
    "UPDATE holdfast.issue_group SET issue = $2 WHERE issue = $1 RETURNING id",
    issue,
    into,
  );
  await queries.run("UPDATE holdfast.issue SET status = 'merged', merged_into = $2 WHERE id = $1", issue, into);
  // Issues that had been merged into this one before now belong to the same target.
  await queries.run("UPDATE holdfast.issue SET merged_into = $2 WHERE merged_into = $1", issue, into);
  await recount(queries, into);
  return rows.map(({ id }) => id).sort((a, b) => a - b);
}

/** Gives groups back to the issues they were born with: all of them, or the ones named. */
export async function splitIssue(
  queries: Queries,
  issue: number,
  wanted: readonly number[] | undefined,
  act: Act,
): Promise<boolean> {
  const rows = await queries.all<{ id: number }>(
    "SELECT id FROM holdfast.issue_group WHERE issue = $1 AND id <> $1 ORDER BY id",
    issue,
  );
  const foreign = rows.map(({ id }) => id).filter((id) => wanted === undefined || wanted.includes(id));
  for (const id of foreign) {
    await takeGroupsOut(queries, issue, id, [id]);
    await addHistory(queries, id, act, { kind: "split", issue });
    await addHistory(queries, issue, act, { kind: "split", issue: id });
  }
  return foreign.length > 0;
}

/** What came with an issue goes back to it, and it is one again, in the state it had. */
export async function takeGroupsOut(
  queries: Queries,
  from: number,
  to: number,
  groups: readonly number[],
): Promise<void> {
  await queries.run("UPDATE holdfast.issue_group SET issue = $1 WHERE id = ANY ($2) AND issue = $3", to, groups, from);
  // A group has the number of the issue it was born with, which had been merged into this one before.
  await queries.run(
    "UPDATE holdfast.issue SET merged_into = $1 WHERE id = ANY ($2) AND id <> $1 AND status = 'merged'",
    to,
    groups,
  );
  const own = await queries.one<{ state: string }>("SELECT state FROM holdfast.issue WHERE id = $1", to);
  const status = own === undefined ? "open" : stateOf(own.state).kind;
  await queries.run("UPDATE holdfast.issue SET status = $2, merged_into = NULL WHERE id = $1", to, status);
  await recount(queries, to);
  await recount(queries, from);
}

/** Sums up the groups of an issue. */
export async function recount(queries: Queries, issue: number): Promise<void> {
  await queries.run(
    `UPDATE holdfast.issue i SET events = sums.events, first_seen = sums.first_seen, last_seen = sums.last_seen,
       stuck = sums.stuck, visitors = $2, ${shownColumns}
     FROM (SELECT $1::bigint AS id) u
     ${shownJoins},
     LATERAL (SELECT coalesce(sum(events), 0) AS events, coalesce(sum(stuck), 0) AS stuck,
         min(first_seen) AS first_seen, max(last_seen) AS last_seen
       FROM holdfast.issue_group WHERE issue = $1) sums
     WHERE i.id = u.id AND sums.first_seen IS NOT NULL`,
    issue,
    await countIssueVisitors(queries, issue),
  );
}
