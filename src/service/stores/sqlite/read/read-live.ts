import { titleLine, titleOfEvent } from "../../../grouping/title.ts";
import type { LiveRecord } from "../../records.ts";
import type { RecentQuery, TrailQuery } from "../../store-requests.ts";
import { eventOfJson } from "../../values/event-json.ts";
import { linesOf } from "../../values/log-lines.ts";
import { hexOf, levels } from "../../values/row-values.ts";
import type { StoreFiles } from "../store-files.ts";
import type { WeekFile } from "../week/week-file.ts";
import { type SegmentRow, segmentOf } from "./read-traces.ts";
import { latestWeeks, newestRows, rowsLookedAt } from "./recent-weeks.ts";

/** Reads events, segments and log lines in order of arrival. */
export function readRecent(
  files: StoreFiles,
  { project, after, limit }: RecentQuery,
  lookingAt: number = rowsLookedAt,
): readonly LiveRecord[] {
  const found: (LiveRecord | UnopenedEvent)[] = [];
  const [events, segments] = [newestRows("event", "id", lookingAt), newestRows("segment", "block", lookingAt)];
  for (const week of latestWeeks(files)) {
    found.push(...eventsIn(files, week, events, after ?? -1, project, limit));
    found.push(...segmentsIn(week, segments, after ?? -1, project, limit));
    found.push(...logsAfter(week, project, after, limit));
    if (found.length >= limit) break;
  }
  found.sort((a, b) => b.rowId - a.rowId);
  return withTitles(found.slice(0, limit)).reverse();
}

export function readTrail(files: StoreFiles, { project, visitor, from, to }: TrailQuery): readonly LiveRecord[] {
  const found: LiveRecord[] = [];
  for (const week of files.weeks()) {
    const where = "WHERE visitor = ? AND project = ? AND at BETWEEN ? AND ? ORDER BY at DESC LIMIT 200";
    found.push(...withTitles(eventsIn(files, week, `event ${where}`, visitor, project, from, to)));
    found.push(...segmentsIn(week, `segment ${where}`, visitor, project, from, to));
  }
  return found.sort((a, b) => a.at - b.at);
}

/** An event whose body is not opened yet: only those that are returned need their own title. */
interface UnopenedEvent {
  kind: "unopened";
  rowId: number;
  /** Bodies of one block have places that follow one another. */
  place: number;
  open: () => LiveRecord;
}

/** The order stays. Bodies are opened in the order of their places, so that each block is unpacked once. */
function withTitles(records: readonly (LiveRecord | UnopenedEvent)[]): LiveRecord[] {
  const unopened = records.filter((record) => record.kind === "unopened").sort((a, b) => a.place - b.place);
  const opened = new Map(unopened.map((event) => [event, event.open()]));
  return records.flatMap((record) => (record.kind === "unopened" ? (opened.get(record) ?? []) : [record]));
}

interface LiveEventRow {
  id: number;
  event_id: Uint8Array;
  grp: number;
  at: number;
  level: number;
  route: number;
  environment: number;
  trace_id: Uint8Array | null;
  visitor: number | null;
  place: number | null;
}

function eventsIn(files: StoreFiles, week: WeekFile, rowsOf: string, ...values: number[]): UnopenedEvent[] {
  const rows = week.database.all<LiveEventRow>(
    `SELECT id, event_id, grp, at, level, route, environment, trace_id, visitor, place FROM ${rowsOf}`,
    ...values,
  );
  const found: UnopenedEvent[] = [];
  for (const row of rows) {
    const issue = files.meta.one<{ id: number; type: string | null; title: string }>(
      "SELECT issue.id, issue.type, issue.title FROM issue_group JOIN issue ON issue.id = issue_group.issue WHERE issue_group.id = ?",
      row.grp,
    );
    if (issue === undefined) continue;
    const open = (): LiveRecord => ({
      kind: "event",
      rowId: row.id,
      at: row.at,
      eventId: hexOf(row.event_id),
      issue: issue.id,
      title: titleIn(week, row) ?? titleLine(issue.type, issue.title),
      level: levels[row.level] ?? "error",
      route: week.names.text(row.route),
      environment: week.names.text(row.environment),
      traceId: row.trace_id === null ? undefined : hexOf(row.trace_id),
      visitor: row.visitor ?? undefined,
    });
    found.push({ kind: "unopened", rowId: row.id, place: row.place ?? 0, open });
  }
  return found;
}

/** Title of this event. Takes 0.1 ms each, and a reader sees at most a few hundred lines at once. */
function titleIn(week: WeekFile, row: LiveEventRow): string | undefined {
  const reading = week.bodies.read(row);
  const event = reading.kind === "whole" ? eventOfJson(reading.body, "") : undefined;
  return event && titleOfEvent(event);
}

function segmentsIn(week: WeekFile, rowsOf: string, ...values: number[]): LiveRecord[] {
  const rows = week.database.all<SegmentRow>(`SELECT * FROM ${rowsOf}`, ...values);
  return rows.map((row) => {
    const { kind, spanId: _, release: __, ...segment } = segmentOf(week, row);
    return { ...segment, kind: "segment", rowId: row.block, segment: kind };
  });
}

function logsAfter(week: WeekFile, project: number, after: number | undefined, limit: number): LiveRecord[] {
  const { database } = week;
  type Block = { id: number; packed: Uint8Array };
  // The newest lines of a project have an index by time. Lines after a row are few, at the end of the table.
  const blocks =
    after === undefined
      ? database.all<Block>(
          "SELECT id, packed FROM log_block WHERE project = ? ORDER BY to_at DESC LIMIT ?",
          project,
          limit,
        )
      : database.all<Block>(
          "SELECT id, packed FROM log_block WHERE project = ? AND id > ? ORDER BY id DESC LIMIT ?",
          project,
          after,
          limit,
        );
  return blocks.flatMap(({ id, packed }) =>
    linesOf(packed).map((line): LiveRecord => ({ kind: "log", rowId: id, at: line.at, line })),
  );
}
