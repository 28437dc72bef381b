import type { EventRecord, IssueVisitorRecord, SegmentRecord, VisitorHistory } from "../../records.ts";
import type { VisitorHistoryQuery } from "../../store-requests.ts";
import { issueVisitorsOf, type SeenEvent } from "../../values/issue-visitors.ts";
import { bytesOf, hexOf } from "../../values/row-values.ts";
import type { StoreFiles } from "../store-files.ts";
import { type EventRow, wholeEventOf } from "./read-events.ts";
import { groupIds } from "./read-issues.ts";
import { type SegmentRow, segmentOf } from "./read-traces.ts";

export function readVisitorsKnownAs(files: StoreFiles, project: number, identity: number): readonly number[] {
  const found = new Set<number>();
  for (const { database } of files.weeks()) {
    const rows = database.all<{ visitor: number }>(
      `SELECT visitor FROM visitor_alias WHERE project = ?1 AND alias = ?2
       UNION SELECT ?2 WHERE EXISTS (SELECT 1 FROM event WHERE visitor = ?2 AND project = ?1)
         OR EXISTS (SELECT 1 FROM segment WHERE visitor = ?2 AND project = ?1)`,
      project,
      identity,
    );
    for (const { visitor } of rows) found.add(visitor);
  }
  return [...found];
}

type Table = "event" | "segment";

/**
 * Weeks store records by arrival, but the order is by time, so every week is read: first only the times, which tell
 * where the page ends, then what is on it.
 */
export function readVisitorHistory(files: StoreFiles, query: VisitorHistoryQuery): VisitorHistory {
  const { project, visitor, limit, before = Number.MAX_SAFE_INTEGER } = query;
  const times: number[] = [];
  let firstAt: number | undefined;
  for (const { database } of files.weeks()) {
    for (const table of ["event", "segment"] satisfies Table[]) {
      const where = `FROM ${table} WHERE visitor = ? AND project = ?`;
      const newest = `SELECT at ${where} AND at < ? ORDER BY at DESC LIMIT ?`;
      for (const { at } of database.all<{ at: number }>(newest, visitor, project, before, limit + 1)) times.push(at);
      const oldest = database.one<{ at: number }>(`SELECT at ${where} ORDER BY at LIMIT 1`, visitor, project);
      if (oldest !== undefined) firstAt = Math.min(oldest.at, firstAt ?? oldest.at);
    }
  }
  times.sort((a, b) => b - a);
  const from = times[limit - 1] ?? times.at(-1);
  if (from === undefined) return { events: [], segments: [], firstAt, hasMore: false };
  const page = { project, visitor, from, before, atMost: 2 * limit };
  const segments = segmentsIn(files, page);
  const events = eventsIn(files, page, new Set(segments.map(({ traceId }) => traceId)));
  return { events, segments, firstAt, hasMore: firstAt !== undefined && firstAt < from };
}

interface Page {
  project: number;
  visitor: number;
  from: number;
  before: number;
  /** Records of one moment are not divided, unless there are very many. */
  atMost: number;
}

const ofPage = "WHERE visitor = ? AND project = ? AND at >= ? AND at < ? ORDER BY at DESC LIMIT ?";

function segmentsIn(files: StoreFiles, { visitor, project, from, before, atMost }: Page): readonly SegmentRecord[] {
  const found: SegmentRecord[] = [];
  for (const week of files.weeks()) {
    const sql = `SELECT * FROM segment ${ofPage}`;
    const rows = week.database.all<SegmentRow>(sql, visitor, project, from, before, atMost);
    for (const row of rows) found.push(segmentOf(week, row));
  }
  return found.sort((a, b) => b.at - a.at);
}

function eventsIn(files: StoreFiles, page: Page, traces: ReadonlySet<string>): readonly EventRecord[] {
  const { visitor, project, from, before, atMost } = page;
  const found: EventRecord[] = [];
  for (const week of files.weeks()) {
    const rows = week.database.all<EventRow>(`SELECT * FROM event ${ofPage}`, visitor, project, from, before, atMost);
    for (const traceId of traces) {
      const sql = "SELECT * FROM event WHERE trace_id = ? AND project = ? AND visitor IS NULL LIMIT 20";
      rows.push(...week.database.all<EventRow>(sql, bytesOf(traceId), project));
    }
    for (const row of rows) {
      const event = wholeEventOf(files, week, row);
      if (event !== undefined) found.push(event);
    }
  }
  return found.sort((a, b) => b.at - a.at || b.rowId - a.rowId).slice(0, atMost);
}

/** The number of events is bounded, not that of visitors: an issue may have millions. Stops at a week with enough. */
export function readIssueVisitors(
  files: StoreFiles,
  project: number,
  issue: number,
  among: number,
): readonly IssueVisitorRecord[] {
  const seen: (SeenEvent & { rowId: number })[] = [];
  const groups = groupIds(files, project, issue);
  for (const { database, names } of files.weeks()) {
    for (const group of groups) {
      const rows = database.all<EventRow & { visitor: number }>(
        `SELECT id, visitor, at, event_id, release FROM event WHERE grp = ? AND visitor IS NOT NULL
         ORDER BY at DESC, id DESC LIMIT ?`,
        group,
        among,
      );
      for (const { id, visitor, at, event_id, release } of rows)
        seen.push({ rowId: id, visitor, at, eventId: hexOf(event_id), release: names.text(release) });
    }
    if (seen.length >= among) break;
  }
  return issueVisitorsOf(seen.sort((a, b) => b.at - a.at || b.rowId - a.rowId).slice(0, among));
}
