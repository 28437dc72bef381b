import type { EventRecord, IssueVisitorsRecord, SegmentRecord, VisitorHistory } from "../../records.ts";
import type { IssueVisitorsQuery, VisitorHistoryQuery } from "../../store-requests.ts";
import { issueVisitorsOf, type SeenEvent } from "../../values/issue-visitors.ts";
import { hexOf } from "../../values/row-values.ts";
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

/**
 * Weeks store records by arrival, but the order is by time, so every week is read: first only the times, which tell
 * where the page ends, then what is on it.
 */
export function readVisitorHistory(files: StoreFiles, query: VisitorHistoryQuery): VisitorHistory {
  const { project, visitor, limit, before = Number.MAX_SAFE_INTEGER } = query;
  const times: number[] = [];
  const newestIn = new Map<string, number>();
  let firstAt: number | undefined;
  for (const { database, week } of files.weeks()) {
    for (const { at, isFirst } of database.all<SeenTime>(timesOfVisitor, visitor, project, before, limit + 1)) {
      if (isFirst === 1) {
        firstAt = Math.min(at, firstAt ?? at);
        continue;
      }
      times.push(at);
      newestIn.set(week.name, Math.max(at, newestIn.get(week.name) ?? at));
    }
  }
  times.sort((a, b) => b - a);
  const from = times[limit - 1] ?? times.at(-1);
  if (from === undefined) return { events: [], segments: [], firstAt, hasMore: false };
  const weeks = new Set([...newestIn].flatMap(([name, newest]) => (newest >= from ? [name] : [])));
  const page = { project, visitor, from, before, atMost: 2 * limit, weeks };
  const segments = segmentsIn(files, page);
  const events = eventsIn(files, page, new Set(segments.map(({ traceId }) => traceId)));
  return { events, segments, firstAt, hasMore: firstAt !== undefined && firstAt < from };
}

interface SeenTime {
  at: number;
  /** 1 for the oldest record of the week, 0 for one of the newest. */
  isFirst: number;
}

/** One statement for each week: with one for each table and end, the name of a visitor took four times as long. */
const timesOfVisitor: string = ["event", "segment"]
  .map((table) => {
    const own = `SELECT at FROM ${table} WHERE visitor = ?1 AND project = ?2`;
    return `SELECT at, 0 AS isFirst FROM (${own} AND at < ?3 ORDER BY at DESC LIMIT ?4)
      UNION ALL SELECT at, 1 FROM (${own} ORDER BY at LIMIT 1)`;
  })
  .join(" UNION ALL ");

interface Page {
  project: number;
  visitor: number;
  from: number;
  before: number;
  /** Records of one moment are not divided, unless there are very many. */
  atMost: number;
  /** Names of the weeks in which the visitor's records of this page are. */
  weeks: ReadonlySet<string>;
}

const ofPage = "WHERE visitor = ? AND project = ? AND at >= ? AND at < ? ORDER BY at DESC LIMIT ?";

function segmentsIn(files: StoreFiles, page: Page): readonly SegmentRecord[] {
  const { visitor, project, from, before, atMost, weeks } = page;
  const found: SegmentRecord[] = [];
  for (const week of files.weeks()) {
    if (!weeks.has(week.week.name)) continue;
    const sql = `SELECT * FROM segment ${ofPage}`;
    const rows = week.database.all<SegmentRow>(sql, visitor, project, from, before, atMost);
    for (const row of rows) found.push(segmentOf(week, row));
  }
  return found.sort((a, b) => b.at - a.at);
}

/** Servers do not know the visitor, but their events are in the visitor's traces. */
const ofTraces = `SELECT event.* FROM json_each(?1) AS wanted CROSS JOIN event ON event.id IN (
  SELECT id FROM event WHERE trace_id = unhex(wanted.value) AND project = ?2 AND visitor IS NULL LIMIT 20)`;

function eventsIn(files: StoreFiles, page: Page, traces: ReadonlySet<string>): readonly EventRecord[] {
  const { visitor, project, from, before, atMost, weeks } = page;
  const found: EventRecord[] = [];
  for (const week of files.weeks()) {
    const { database } = week;
    const rows: EventRow[] = [];
    if (weeks.has(week.week.name))
      rows.push(...database.all<EventRow>(`SELECT * FROM event ${ofPage}`, visitor, project, from, before, atMost));
    // They may have arrived in another week.
    if (traces.size > 0) rows.push(...database.all<EventRow>(ofTraces, JSON.stringify([...traces]), project));
    // Events of one moment are compressed together: in this order, each block is unpacked once.
    for (const row of rows.sort((a, b) => (a.place ?? 0) - (b.place ?? 0))) {
      const event = wholeEventOf(files, week, row);
      if (event !== undefined) found.push(event);
    }
  }
  return found.sort((a, b) => b.at - a.at || b.rowId - a.rowId).slice(0, atMost);
}

const newestOfEach = `SELECT event.* FROM json_each(?1) AS wanted CROSS JOIN event ON event.id IN (
  SELECT id FROM event WHERE visitor = wanted.value AND project = ?2 ORDER BY at DESC LIMIT ?3)`;

/** Each week is searched only for the visitors of whom newer ones have no event. */
export function readNewestEventsOf(
  files: StoreFiles,
  project: number,
  visitors: readonly number[],
  each: number,
): readonly EventRecord[] {
  const found: EventRecord[] = [];
  const missing = new Set(visitors);
  for (const week of files.weeks()) {
    if (missing.size === 0) break;
    for (const row of week.database.all<EventRow>(newestOfEach, JSON.stringify([...missing]), project, each)) {
      const event = wholeEventOf(files, week, row);
      if (event?.visitor === undefined) continue;
      missing.delete(event.visitor);
      found.push(event);
    }
  }
  return found;
}

/** The number of events is bounded, not that of visitors: an issue may have millions. Stops at a week with enough. */
export function readIssueVisitors(files: StoreFiles, query: IssueVisitorsQuery): IssueVisitorsRecord {
  const { project, issue, among } = query;
  const seen: SeenEvent<number>[] = [];
  const groups = groupIds(files, project, issue);
  for (const { database, names } of files.weeks()) {
    for (const group of groups) {
      const rows = database.tuples<[id: number, visitor: number, at: number, release: number]>(
        `SELECT id, visitor, at, release FROM event WHERE grp = ? AND visitor IS NOT NULL
         ORDER BY at DESC, id DESC LIMIT ?`,
        group,
        among,
      );
      for (const [id, visitor, at, release] of rows) seen.push({ id, visitor, at, release: names.text(release) });
    }
    if (seen.length >= among) break;
  }
  const { visitors, total } = issueVisitorsOf(seen.sort((a, b) => b.at - a.at || b.id - a.id).slice(0, among), query);
  const ids = eventIdsOf(files, new Set(visitors.map(({ id }) => id)));
  return { visitors: visitors.map(({ id, ...visitor }) => ({ ...visitor, lastEventId: ids.get(id) ?? "" })), total };
}

/** By their rows. Read for one page only: for all events, they would take as long as everything else. */
function eventIdsOf(files: StoreFiles, rows: ReadonlySet<number>): ReadonlyMap<number, string> {
  const found = new Map<number, string>();
  const sql = "SELECT id, event_id FROM event WHERE id IN (SELECT value FROM json_each(?))";
  for (const { database } of files.weeks()) {
    if (found.size >= rows.size) break;
    for (const [id, eventId] of database.tuples<[number, Uint8Array]>(sql, JSON.stringify([...rows])))
      found.set(id, hexOf(eventId));
  }
  return found;
}
