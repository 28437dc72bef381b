import { addVisitor, countVisitors, emptyVisitorSketch, mergeVisitors } from "../../../sketches/visitor-count.ts";
import type { Queries } from "../connect/connections.ts";

/** How many different visitors met any of an issue's groups. */
export async function countIssueVisitors(queries: Queries, issue: number): Promise<number> {
  const groups = await queries.all<{ id: number; visitors: number; registers: Uint8Array | null }>(
    "SELECT id, visitors, registers FROM holdfast.issue_group WHERE issue = $1",
    issue,
  );
  const [only] = groups;
  if (only === undefined) return 0;
  if (groups.length === 1) return only.visitors;
  const exact = await queries.all<{ visitor: number }>(
    "SELECT DISTINCT visitor FROM holdfast.group_visitor WHERE grp = ANY ($1)",
    groups.map(({ id }) => id),
  );
  const sketches = groups.flatMap(({ registers }) => registers ?? []);
  if (sketches.length === 0) return exact.length;
  const together = emptyVisitorSketch();
  for (const sketch of sketches) mergeVisitors(together, sketch);
  for (const { visitor } of exact) addVisitor(together, visitor);
  return countVisitors(together);
}

/** The same for many issues. Nearly all of them have one group, which knows it. */
export async function countVisitorsOf(
  queries: Queries,
  issues: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const rows = await queries.all<{ issue: number; groups: number; visitors: number }>(
    `SELECT issue, count(*) AS groups, max(visitors) AS visitors FROM holdfast.issue_group
     WHERE issue = ANY ($1) GROUP BY issue`,
    issues,
  );
  const counts = new Map<number, number>();
  for (const { issue, groups, visitors } of rows)
    counts.set(issue, groups === 1 ? visitors : await countIssueVisitors(queries, issue));
  return counts;
}
