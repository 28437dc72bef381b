import { pack } from "../../bodies/packing.ts";
import { type ErasedRows, type ErasureCounts, type ErasureOutcome, nothingErased } from "../../erase/erasure.ts";
import { ErasureMatcher } from "../../erase/matcher.ts";
import { linesOf } from "../../values/log-lines.ts";
import { bytesOf, hexOf } from "../../values/row-values.ts";
import type { EventRow } from "../read/read-events.ts";
import type { StoreFiles } from "../store-files.ts";
import type { WeekFile } from "../week/week-file.ts";
import { forgetEvents, type GoneEvent } from "./forget-events.ts";

/** Blocks that are compressed again in one turn of the writer, in about 100 ms. */
const blocksAtOnce = 200;

/** Deletes rows of one week, with everything that belongs to them. Filing waits meanwhile. */
export function eraseRows(files: StoreFiles, rows: ErasedRows): ErasureOutcome {
  const listed = files.weekList().find(({ name }) => name === rows.part);
  const week = listed && files.openWeek(listed);
  if (week === undefined || rows.ids.length === 0) return { counts: nothingErased, isUnfinished: false };
  switch (rows.kind) {
    case "events":
      return eraseEvents(files, week, rows);
    case "spans":
      return finished(week.database.transaction(() => eraseSpans(week, rows)));
    case "logs":
      return finished(week.database.transaction(() => eraseLogs(week, rows)));
    case "references": {
      const isDone = week.database.transaction(() => week.bodies.dropReferences(rows.ids, blocksAtOnce));
      return { counts: nothingErased, isUnfinished: !isDone };
    }
  }
}

function finished(counts: ErasureCounts): ErasureOutcome {
  return { counts, isUnfinished: false };
}

function eraseEvents(files: StoreFiles, week: WeekFile, { project, ids }: ErasedRows): ErasureOutcome {
  const { database } = week;
  const list = JSON.stringify(ids);
  const rows = database.all<EventRow>(
    "SELECT * FROM event WHERE project = ? AND id IN (SELECT value FROM json_each(?))",
    project,
    list,
  );
  const gone = rows.map((row): GoneEvent => goneEvent(week, row));
  // Before the bodies: afterwards it would be unknown whose they are.
  const references = ownReferences(week, gone);
  if (!database.transaction(() => week.bodies.dropReferences(references, blocksAtOnce)))
    return { counts: nothingErased, isUnfinished: true };
  const issues = files.meta.transaction(() => {
    const attachments = database.transaction(() => deleteEvents(week, project, rows));
    return { attachments, issues: forgetEvents(files, gone) };
  });
  return finished({ ...nothingErased, events: rows.length, ...issues });
}

function goneEvent(week: WeekFile, row: EventRow): GoneEvent {
  const { names, bodies } = week;
  const reading = bodies.read(row);
  return {
    eventId: hexOf(row.event_id),
    group: row.grp,
    at: row.at,
    visitor: row.visitor,
    route: names.text(row.route),
    release: names.text(row.release),
    environment: names.text(row.environment),
    body: reading.kind === "whole" ? { ...reading.body, bytes: Buffer.from(reading.body.bytes) } : undefined,
  };
}

/** Groups whose first event is one of these. */
function ownReferences(week: WeekFile, gone: readonly GoneEvent[]): number[] {
  const found: number[] = [];
  for (const [group, events] of Map.groupBy(gone, (event) => event.group)) {
    const reference = week.bodies.referenceOf(group);
    if (reference !== undefined && events.some(({ body }) => body !== undefined && reference.equals(body.bytes)))
      found.push(group);
  }
  return found;
}

/** Returns the number of deleted files. */
function deleteEvents(week: WeekFile, project: number, rows: readonly EventRow[]): number {
  const { database, bodies } = week;
  bodies.blank(rows.flatMap(({ place }) => place ?? []));
  let attachments = 0;
  for (const { id, event_id } of rows) {
    database.run("DELETE FROM event WHERE id = ?", id);
    database.run("DELETE FROM body WHERE id = ?", id);
    database.run("DELETE FROM other_id WHERE event = ?", id);
    attachments += database.run("DELETE FROM attachment WHERE event_id = ? AND project = ?", event_id, project).changes;
  }
  return attachments;
}

function eraseSpans({ database, bodies }: WeekFile, { project, ids }: ErasedRows): ErasureCounts {
  const list = JSON.stringify(ids);
  const inList = "IN (SELECT value FROM json_each(?))";
  const rows = database.all<{ place: number | null }>(
    `SELECT place FROM span_block WHERE project = ? AND id ${inList}`,
    project,
    list,
  );
  bodies.blank(rows.flatMap(({ place }) => place ?? []));
  database.run(`DELETE FROM segment WHERE project = ? AND block ${inList}`, project, list);
  database.run(`DELETE FROM span_block WHERE project = ? AND id ${inList}`, project, list);
  return { ...nothingErased, traces: rows.length };
}

/** The other lines of a block stay. */
function eraseLogs({ database }: WeekFile, { project, ids, match }: ErasedRows): ErasureCounts {
  const matcher = new ErasureMatcher(match);
  let logLines = 0;
  for (const id of ids) {
    const row = database.one<{ packed: Uint8Array }>(
      "SELECT packed FROM log_block WHERE project = ? AND id = ?",
      project,
      id,
    );
    if (row === undefined) continue;
    const lines = linesOf(row.packed);
    const left = lines.filter((line) => !matcher.line(line));
    logLines += lines.length - left.length;
    database.run("DELETE FROM log_trace WHERE block = ?", id);
    if (left.length === 0) {
      database.run("DELETE FROM log_block WHERE id = ?", id);
      continue;
    }
    const packed = pack(Buffer.from(JSON.stringify(left)));
    database.run("UPDATE log_block SET lines = ?, packed = ? WHERE id = ?", left.length, packed, id);
    for (const traceId of new Set(left.map((line) => line.traceId)))
      if (traceId !== undefined) database.run("INSERT OR IGNORE INTO log_trace VALUES (?, ?)", bytesOf(traceId), id);
  }
  return { ...nothingErased, logLines };
}
