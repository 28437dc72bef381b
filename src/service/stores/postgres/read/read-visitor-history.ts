import type { EventRecord, IssueVisitorsRecord, VisitorHistory } from "../../records.ts";
import type { IssueVisitorsQuery, VisitorHistoryQuery } from "../../store-requests.ts";
import { issueVisitorsOf } from "../../values/issue-visitors.ts";
import { type EventRow, eventColumns, wholeEventsOf } from "./read-events.ts";
import { groupIds } from "./read-issues.ts";
import { type SegmentRow, segmentsOf } from "./read-traces.ts";
import type { ReadDeps } from "./reader.ts";

export async function readVisitorsKnownAs(
  { pool }: ReadDeps,
  project: number,
  identity: number,
): Promise<readonly number[]> {
  const rows = await pool.all<{ visitor: number }>(
    `SELECT visitor FROM holdfast.visitor_alias WHERE project = $1 AND alias = $2
     UNION SELECT $2::bigint WHERE EXISTS (SELECT 1 FROM holdfast.event WHERE visitor = $2 AND project = $1)
       OR EXISTS (SELECT 1 FROM holdfast.segment WHERE visitor = $2 AND project = $1)`,
    project,
    identity,
  );
  return rows.map(({ visitor }) => visitor);
}

/** First only the times, which tell where the page ends; then what is on it. */
export async function readVisitorHistory(deps: ReadDeps, query: VisitorHistoryQuery): Promise<VisitorHistory> {
  const { project, visitor, limit, before = Number.MAX_SAFE_INTEGER } = query;
  const newest = (table: string): string => `(SELECT at FROM holdfast.${table}
    WHERE visitor = $1 AND project = $2 AND at < $3 ORDER BY at DESC LIMIT $4)`;
  const oldest = (table: string): string => `(SELECT at FROM holdfast.${table}
    WHERE visitor = $1 AND project = $2 ORDER BY at LIMIT 1)`;
  const [times, first] = await Promise.all([
    deps.pool.all<{ at: number }>(
      `SELECT at FROM (${newest("event")} UNION ALL ${newest("segment")}) found ORDER BY at DESC LIMIT $4`,
      visitor,
      project,
      before,
      limit + 1,
    ),
    deps.pool.one<{ at: number | null }>(
      `SELECT least(${oldest("event")}, ${oldest("segment")}) AS at`,
      visitor,
      project,
    ),
  ]);
  const firstAt = first?.at ?? undefined;
  const from = times[limit - 1]?.at ?? times.at(-1)?.at;
  if (from === undefined) return { events: [], segments: [], firstAt, hasMore: false };
  const atMost = 2 * limit;
  const page = [visitor, project, from, before, atMost] as const;
  const ofPage = "visitor = $1 AND project = $2 AND at >= $3 AND at < $4 ORDER BY at DESC LIMIT $5";
  const segments = await segmentsOf(
    deps,
    await deps.pool.all<SegmentRow>(`SELECT * FROM holdfast.segment WHERE ${ofPage}`, ...page),
  );
  // One question for both, so that none comes twice.
  const rows = await deps.pool.all<EventRow>(
    `SELECT ${eventColumns}, g.issue FROM (
       (SELECT * FROM holdfast.event WHERE ${ofPage})
       UNION ALL
       SELECT e.* FROM unnest($6::uuid[]) AS t (id) CROSS JOIN LATERAL (
         SELECT * FROM holdfast.event WHERE trace_id = t.id AND project = $2 AND visitor IS NULL LIMIT 20
       ) e
     ) e JOIN holdfast.issue_group g ON g.id = e.grp ORDER BY e.at DESC, e.id DESC LIMIT $5`,
    ...page,
    [...new Set(segments.map(({ traceId }) => traceId))],
  );
  const events = await wholeEventsOf(deps, rows);
  return { events, segments, firstAt, hasMore: firstAt !== undefined && firstAt < from };
}

export async function readNewestEventsOf(
  deps: ReadDeps,
  project: number,
  visitors: readonly number[],
  each: number,
): Promise<readonly EventRecord[]> {
  const rows = await deps.pool.all<EventRow>(
    `SELECT ${eventColumns}, g.issue FROM unnest($1::bigint[]) AS v (id) CROSS JOIN LATERAL (
       SELECT * FROM holdfast.event WHERE visitor = v.id AND project = $2 ORDER BY at DESC LIMIT $3
     ) e JOIN holdfast.issue_group g ON g.id = e.grp`,
    visitors,
    project,
    each,
  );
  return wholeEventsOf(deps, rows);
}

/** The number of events is bounded, not that of visitors: an issue may have millions. */
export async function readIssueVisitors(deps: ReadDeps, query: IssueVisitorsQuery): Promise<IssueVisitorsRecord> {
  const { project, issue, among } = query;
  const groups = await groupIds(deps, project, issue);
  const rows = await deps.pool.all<{ visitor: number; at: number; event_id: string; release: number }>(
    `SELECT e.visitor, e.at, e.event_id, e.release FROM unnest($1::bigint[]) AS g (id) CROSS JOIN LATERAL (
       SELECT visitor, at, id, event_id, release FROM holdfast.event e WHERE e.grp = g.id AND e.visitor IS NOT NULL
       ORDER BY e.at DESC, e.id DESC LIMIT $2
     ) e ORDER BY e.at DESC, e.id DESC LIMIT $2`,
    groups,
    among,
  );
  const text = await deps.names.read(rows.map(({ release }) => release));
  const seen = rows.map(({ visitor, at, event_id, release }) => ({
    visitor,
    at,
    id: event_id,
    release: text(release),
  }));
  const { visitors, total } = issueVisitorsOf(seen, query);
  return { visitors: visitors.map(({ id, ...visitor }) => ({ ...visitor, lastEventId: id })), total };
}
