import type { SegmentKind } from "../../filed.ts";
import type { VisitorRecord } from "../../records.ts";
import { hexOf, levels } from "../../values/row-values.ts";
import { type SeenVisitor, visitorRecords } from "../../values/visitor-records.ts";
import type { StoreFiles } from "../store-files.ts";
import type { WeekFile } from "../week/week-file.ts";
import { latestWeeks, newestRows, rowsLookedAt } from "./recent-weeks.ts";

/**
 * Returns all visitors in the newest views and events. The number of rows is bounded, not that of visitors: there is no
 * index by time, and recent rows need none.
 */
export function readRecentVisitors(files: StoreFiles, project: number, among: number): readonly VisitorRecord[] {
  const seen: Seen[] = [];
  for (const week of latestWeeks(files)) {
    seen.push(...viewsIn(week, project, among), ...eventsIn(week, project, among));
    if (seen.length >= among) break;
  }
  return visitorRecords(seen, hexOf);
}

type Seen = SeenVisitor<Uint8Array>;
type Columns = [visitor: number | null, at: number, route: number, release: number];

function viewsIn({ database, names }: WeekFile, project: number, limit: number): Seen[] {
  const rows = database.tuples<[...Columns, kind: string]>(
    `SELECT visitor, at, route, release, kind
     FROM ${newestRows("segment", "block", rowsLookedAt)}`,
    -1,
    project,
    limit,
  );
  return rows.map(([visitor, at, route, release, kind]) => ({
    visitor,
    at,
    // This store has written it from the same union.
    kind: kind as SegmentKind,
    route: names.text(route),
    release: names.text(release),
    level: undefined,
    eventId: undefined,
  }));
}

function eventsIn({ database, names }: WeekFile, project: number, limit: number): Seen[] {
  const rows = database.tuples<[...Columns, level: number, eventId: Uint8Array]>(
    `SELECT visitor, at, route, release, level, event_id
     FROM ${newestRows("event", "id", rowsLookedAt)}`,
    -1,
    project,
    limit,
  );
  return rows.map(([visitor, at, route, release, level, eventId]) => ({
    visitor,
    at,
    kind: "event",
    route: names.text(route),
    release: names.text(release),
    level: levels[level] ?? "error",
    eventId,
  }));
}
