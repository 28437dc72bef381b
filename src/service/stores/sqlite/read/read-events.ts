import type { EventBody, EventRecord, EventSummary, FiledStart, Neighbours } from "../../records.ts";
import type { EventCursor } from "../../store-requests.ts";
import { eventOfJson } from "../../values/event-json.ts";
import { bytesOf, hexOf, levels } from "../../values/row-values.ts";
import type { StoreFiles } from "../store-files.ts";
import type { WeekFile } from "../week/week-file.ts";
import { groupIds } from "./read-issues.ts";

export interface EventRow {
  id: number;
  event_id: Uint8Array;
  project: number;
  grp: number;
  at: number;
  received_at: number;
  level: number;
  route: number;
  release: number;
  environment: number;
  trace_id: Uint8Array | null;
  visitor: number | null;
  place: number | null;
}

/**
 * Searches from the newest week back: requests are usually for recent events, and each week costs a few hundredths of a
 * millisecond. Second ids are searched last, so that they never hide an event with the id itself.
 */
export function readEventRecord(
  files: StoreFiles,
  project: number | undefined,
  idOrPrefix: string,
): EventRecord | undefined {
  const inProject = project === undefined ? { sql: "", values: [] } : { sql: "AND project = ?", values: [project] };
  for (const sql of [byId, byOtherId]) {
    for (const week of files.weeks()) {
      const row = week.database.one<EventRow>(
        `${sql} ${inProject.sql} LIMIT 1`,
        ...rangeOf(idOrPrefix),
        ...inProject.values,
      );
      const event = row && wholeEventOf(files, week, row);
      if (event !== undefined) return event;
    }
  }
  return undefined;
}

const byId = "SELECT * FROM event WHERE event_id BETWEEN ? AND ?";
const byOtherId = "SELECT * FROM event WHERE id IN (SELECT event FROM other_id WHERE other_id BETWEEN ? AND ?)";

/** `undefined` while the issue is not written yet, just after an event was filed. */
export function wholeEventOf(files: StoreFiles, week: WeekFile, row: EventRow): EventRecord | undefined {
  const issue = issueOf(files, row);
  return issue === undefined ? undefined : { ...summaryOf(week, row, issue), body: bodyOf(week, row) };
}

/** Each week is searched only for the events that newer ones do not have. */
export function readEventsById(files: StoreFiles, project: number, ids: readonly string[]): readonly EventRecord[] {
  const found: EventRecord[] = [];
  const missing = new Set(ids);
  const sql = "SELECT * FROM event WHERE event_id IN (SELECT unhex(value) FROM json_each(?)) AND project = ?";
  for (const week of files.weeks()) {
    if (missing.size === 0) break;
    const rows = week.database.all<EventRow>(sql, JSON.stringify([...missing]), project);
    // Events of one moment are compressed together: in this order, each block is unpacked once.
    for (const row of rows.sort((a, b) => (a.place ?? 0) - (b.place ?? 0))) {
      missing.delete(hexOf(row.event_id));
      const event = wholeEventOf(files, week, row);
      if (event !== undefined) found.push(event);
    }
  }
  return found;
}

/** Each week is searched only for those that newer ones do not have. */
export function readFiledEvents(files: StoreFiles, project: number, starts: readonly string[]): readonly FiledStart[] {
  const found: FiledStart[] = [];
  const missing = new Set(starts);
  const sql = "SELECT event_id, grp, visitor FROM event WHERE event_id BETWEEN ? AND ? AND project = ? LIMIT 1";
  for (const week of files.weeks()) {
    for (const start of missing) {
      const row = week.database.one<Pick<EventRow, "grp" | "visitor">>(sql, ...rangeOf(start), project);
      if (row === undefined) continue;
      missing.delete(start);
      found.push({ start, group: row.grp, visitor: row.visitor ?? undefined });
    }
  }
  return found;
}

/** Returns the ids of an event: its own, and a second one if it exists. */
export function idsOf(files: StoreFiles, project: number, eventId: string): string[] {
  const ids = [eventId];
  for (const week of files.weeks()) {
    const others = week.database.all<{ other_id: Uint8Array }>(
      "SELECT o.other_id FROM event e JOIN other_id o ON o.event = e.id WHERE e.event_id = ? AND e.project = ?",
      bytesOf(eventId),
      project,
    );
    ids.push(...others.map(({ other_id }) => hexOf(other_id)));
  }
  return ids;
}

export function rangeOf(prefix: string): [Buffer, Buffer] {
  return [bytesOf(prefix.padEnd(32, "0")), bytesOf(prefix.padEnd(32, "f"))];
}

function issueOf({ meta }: StoreFiles, { grp }: EventRow): number | undefined {
  return meta.one<{ issue: number }>("SELECT issue FROM issue_group WHERE id = ?", grp)?.issue;
}

function summaryOf(week: WeekFile, row: EventRow, issue: number): EventSummary {
  return {
    rowId: row.id,
    eventId: hexOf(row.event_id),
    project: row.project,
    issue,
    at: row.at,
    receivedAt: row.received_at,
    level: levels[row.level] ?? "error",
    route: week.names.text(row.route),
    release: week.names.text(row.release),
    environment: week.names.text(row.environment),
    traceId: row.trace_id === null ? undefined : hexOf(row.trace_id),
    visitor: row.visitor ?? undefined,
  };
}

function bodyOf(week: WeekFile, row: EventRow): EventBody {
  const reading = week.bodies.read(row);
  if (reading.kind === "absent") return { kind: "damped" };
  const event = reading.kind === "whole" ? eventOfJson(reading.body, hexOf(row.event_id)) : undefined;
  return event === undefined ? { kind: "damaged" } : { kind: "whole", event };
}

/** Newest first. Weeks store events by arrival, but the order is by time of the event, so every week is read. */
export function readEventsOf(
  files: StoreFiles,
  project: number,
  issue: number,
  page: { before?: EventCursor; limit: number },
): readonly EventSummary[] {
  return beside(files, { project, issue, cursor: page.before, direction: "older", limit: page.limit });
}

export function readNeighbours(files: StoreFiles, { at, rowId, project, issue }: EventRecord): Neighbours {
  const nearest = (cursor: EventCursor | undefined, direction: "older" | "newer") =>
    beside(files, { project, issue, cursor, direction, limit: 1 })[0]?.eventId;
  return {
    older: nearest({ at, rowId }, "older"),
    newer: nearest({ at, rowId }, "newer"),
    newest: nearest(undefined, "older"),
    oldest: nearest(undefined, "newer"),
  };
}

interface BesideQuery {
  project: number;
  issue: number;
  cursor: EventCursor | undefined;
  direction: "older" | "newer";
  limit: number;
}

/** Returns events of an issue, from a cursor in one direction. */
function beside(files: StoreFiles, { project, issue, cursor, direction, limit }: BesideQuery): EventSummary[] {
  const [compare, order] = direction === "older" ? ["<", "DESC"] : [">", "ASC"];
  const after = cursor ? `AND (at, id) ${compare} (?, ?)` : "";
  const values = cursor ? [cursor.at, cursor.rowId] : [];
  const sql = `SELECT * FROM event WHERE grp = ? ${after} ORDER BY at ${order}, id ${order} LIMIT ?`;
  const groups = groupIds(files, project, issue);
  const found: EventSummary[] = [];
  for (const week of files.weeks()) {
    for (const group of groups) {
      // A week may be closed when the next one is opened, so only plain values of it are retained.
      for (const row of week.database.all<EventRow>(sql, group, ...values, limit)) {
        found.push(summaryOf(week, row, issue));
      }
    }
  }
  const sign = direction === "older" ? 1 : -1;
  return found.sort((a, b) => sign * (b.at - a.at || b.rowId - a.rowId)).slice(0, limit);
}

export function readEventsOfTrace(files: StoreFiles, project: number, traceId: string): readonly EventSummary[] {
  const found: EventSummary[] = [];
  for (const week of files.weeks()) {
    const rows = week.database.all<EventRow>(
      "SELECT * FROM event WHERE trace_id = ? AND project = ? ORDER BY at LIMIT 1000",
      bytesOf(traceId),
      project,
    );
    for (const row of rows) {
      const issue = issueOf(files, row);
      if (issue !== undefined) found.push(summaryOf(week, row, issue));
    }
  }
  return found.sort((a, b) => a.at - b.at);
}
