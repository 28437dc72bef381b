import { afterEvents, type IssueState } from "../../../issues/issue-state.ts";
import type { BatchSums, GroupSums } from "../../batch-sums.ts";
import { stateOf } from "../../issue-row.ts";
import { assignByRule, type OwnedIssue } from "../issues/assign-by-rule.ts";
import { addHistory, stateColumns } from "../issues/issue-history.ts";
import { countVisitorsOf } from "../issues/issue-visitors.ts";
import { type ReleaseOrder, releaseOrder } from "../issues/release-order.ts";
import { shownColumns, shownJoins } from "../issues/shown-columns.ts";
import type { OpenFold } from "./open-fold.ts";

interface IssueOfGroups {
  readonly id: number;
  readonly events: number;
  readonly before: IssueState;
  readonly groups: readonly GroupSums[];
}

interface ChangedIssue extends IssueOfGroups {
  readonly visitors: number;
  readonly after: IssueState;
}

/**
 * The issues that the groups belong to now: their numbers, and whether they come back to life. Each row is written
 * once: nearly all of its columns are indexed. Returns the issues that regressed.
 */
export async function foldIssues(open: OpenFold, sums: BatchSums): Promise<readonly number[]> {
  const issues = await issuesOf(open, sums);
  if (issues.length === 0) return [];
  const needsOrder = issues.some(({ before }) => before.kind === "resolved");
  const order = needsOrder ? await releaseOrder(open.queries, open.project) : undefined;
  const counts = await countVisitorsOf(
    open.queries,
    issues.map(({ id }) => id),
  );
  const changed = issues.map((issue): ChangedIssue => {
    const visitors = counts.get(issue.id) ?? 0;
    return { ...issue, visitors, after: stateAfter(issue, visitors, order) };
  });
  await writeIssues(open, changed);
  const others = changed.filter(({ before, after }) => before !== after);
  for (const { id, before, after, groups } of others) {
    const at = Math.max(...groups.map(({ last }) => last.receivedAt));
    await addHistory(open.queries, id, { by: "events", at }, { kind: "state", from: before, to: after });
  }
  const regressed = others.filter(({ after }) => after.kind === "regressed");
  await assignByRule(open.queries, regressed.flatMap(ownedBy));
  return regressed.map(({ id }) => id);
}

/** By the rule that matches its newest event. */
function ownedBy({ id, groups }: ChangedIssue): OwnedIssue[] {
  const [newest] = groups.map(({ last }) => last).sort((a, b) => b.at - a.at);
  const owner = newest?.owner?.();
  return owner === undefined || newest === undefined ? [] : [{ issue: id, owner, at: newest.receivedAt }];
}

async function issuesOf({ queries }: OpenFold, sums: BatchSums): Promise<readonly IssueOfGroups[]> {
  const rows = await queries.all<{ grp: number; id: number; events: number; state: string }>(
    `SELECT g.id AS grp, i.id, i.events, i.state FROM holdfast.issue_group g JOIN holdfast.issue i ON i.id = g.issue
     WHERE g.id = ANY ($1) ORDER BY i.id, g.id`,
    [...sums.groups.keys()],
  );
  return [...Map.groupBy(rows, ({ id }) => id)].map(([id, ofIssue]) => {
    const groups = ofIssue.flatMap(({ grp }) => sums.groups.get(grp) ?? []);
    const added = groups.reduce((sum, { events }) => sum + events, 0);
    return { id, events: (ofIssue[0]?.events ?? 0) + added, before: stateOf(ofIssue[0]?.state ?? ""), groups };
  });
}

function stateAfter(
  { before, groups, events }: IssueOfGroups,
  visitors: number,
  order: ReleaseOrder | undefined,
): IssueState {
  return groups.reduce(
    (state, { releases }) =>
      afterEvents(state, {
        byRelease: releases,
        numbers: { events, visitors },
        compareReleases: order?.compare ?? (() => 0),
      }),
    before,
  );
}

async function writeIssues({ queries }: OpenFold, issues: readonly ChangedIssue[]): Promise<void> {
  const states = issues.map(({ after }) => stateColumns(after));
  await queries.run(
    `UPDATE holdfast.issue i SET events = u.events, visitors = u.visitors,
       first_seen = least(i.first_seen, u.first_seen), last_seen = greatest(i.last_seen, u.last_seen),
       status = u.status, state = u.state, fixed_in = u.fixed_in, fixed_after = u.fixed_after,
       regressed_in = u.regressed_in, ${shownColumns}
     FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[], $7::text[],
       $8::text[], $9::text[], $10::text[])
       AS u (id, events, visitors, first_seen, last_seen, status, state, fixed_in, fixed_after, regressed_in)
     ${shownJoins}
     WHERE i.id = u.id`,
    issues.map(({ id }) => id),
    issues.map(({ events }) => events),
    issues.map(({ visitors }) => visitors),
    issues.map(({ groups }) => Math.min(...groups.map(({ firstAt }) => firstAt))),
    issues.map(({ groups }) => Math.max(...groups.map(({ last }) => last.at))),
    states.map(({ status }) => status),
    states.map(({ state }) => state),
    states.map(({ fixedIn }) => fixedIn),
    states.map(({ fixedAfter }) => fixedAfter),
    states.map(({ regressedIn }) => regressedIn),
  );
}
