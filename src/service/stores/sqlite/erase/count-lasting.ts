import { type ErasureCounts, type LastingQuery, nothingErased } from "../../erase/erasure.ts";
import { foundFeedback } from "../../erase/found-feedback.ts";
import { ErasureMatcher } from "../../erase/matcher.ts";
import { hexOf } from "../../values/row-values.ts";
import type { StoreFiles } from "../store-files.ts";

/** Counts the feedback and the issues that an erasure deletes. */
export function countLasting(files: StoreFiles, query: LastingQuery): ErasureCounts {
  const { project, match } = query;
  const feedback = findFeedback(files, project, new ErasureMatcher(match)).length;
  return { ...nothingErased, feedback, issues: countIssues(files, query) };
}

interface FeedbackRow {
  id: number;
  event_id: Uint8Array | null;
  email: string | null;
  facts: string | null;
  text: string;
}

export function findFeedback({ meta }: StoreFiles, project: number, matcher: ErasureMatcher): readonly number[] {
  const rows = meta.all<FeedbackRow>(
    `SELECT id, event_id, email, facts, concat_ws(' ', name, email, url, message, facts) AS text
     FROM feedback WHERE project = ?`,
    project,
  );
  const texts = rows.map((row) => ({ ...row, eventId: row.event_id && hexOf(row.event_id) }));
  return foundFeedback(texts, matcher);
}

/** Issues of which no group is left. */
function countIssues(files: StoreFiles, { project, match, eventsOfGroups }: LastingQuery): number {
  const gone = new Set(match.groups);
  for (const [group, found] of eventsOfGroups) if (!hasMoreEvents(files, group, found)) gone.add(group);
  const { n = 0 } =
    files.meta.one<{ n: number }>(
      `SELECT count(*) AS n FROM (SELECT issue FROM issue_group WHERE project = ?1 GROUP BY issue
         HAVING ?2 OR min(id IN (SELECT value FROM json_each(?3))) = 1)`,
      project,
      Number(match.all),
      JSON.stringify([...gone]),
    ) ?? {};
  return n;
}

function hasMoreEvents(files: StoreFiles, group: number, found: number): boolean {
  let stored = 0;
  for (const { database } of files.weeks()) {
    const sql = "SELECT count(*) AS n FROM (SELECT 1 FROM event WHERE grp = ? LIMIT ?)";
    stored += database.one<{ n: number }>(sql, group, found + 1)?.n ?? 0;
    if (stored > found) return true;
  }
  return false;
}
