import { type ErasureCounts, type LastingQuery, nothingErased } from "../../erase/erasure.ts";
import { foundFeedback } from "../../erase/found-feedback.ts";
import { ErasureMatcher } from "../../erase/matcher.ts";
import type { Pool, Queries } from "../connect/connections.ts";

/** Counts the feedback and the issues that an erasure deletes. */
export async function countLasting(pool: Pool, query: LastingQuery): Promise<ErasureCounts> {
  const { project, match } = query;
  const feedback = (await findFeedback(pool, project, new ErasureMatcher(match))).length;
  return { ...nothingErased, feedback, issues: await countIssues(pool, query) };
}

interface FeedbackRow {
  id: number;
  event_id: string | null;
  email: string | null;
  facts: string | null;
  text: string;
}

export async function findFeedback(
  queries: Pick<Queries, "all">,
  project: number,
  matcher: ErasureMatcher,
): Promise<readonly number[]> {
  const rows = await queries.all<FeedbackRow>(
    `SELECT id, event_id, email, facts, concat_ws(' ', name, email, url, message, facts) AS text
     FROM holdfast.feedback WHERE project = $1`,
    project,
  );
  return foundFeedback(
    rows.map((row) => ({ ...row, eventId: row.event_id })),
    matcher,
  );
}

/** Issues of which no group is left. */
async function countIssues(pool: Pool, { project, match, eventsOfGroups }: LastingQuery): Promise<number> {
  const row = await pool.one<{ n: number }>(
    `WITH gone AS (
       SELECT grp FROM unnest($3::bigint[], $4::bigint[]) AS found (grp, n)
         WHERE (SELECT count(*) FROM holdfast.event WHERE event.grp = found.grp) <= found.n
       UNION SELECT unnest($5::bigint[]))
     SELECT count(*) AS n FROM (SELECT issue FROM holdfast.issue_group WHERE project = $1 GROUP BY issue
       HAVING $2 OR bool_and(id IN (SELECT grp FROM gone))) AS issues`,
    project,
    match.all,
    [...eventsOfGroups.keys()],
    [...eventsOfGroups.values()],
    match.groups,
  );
  return row?.n ?? 0;
}
