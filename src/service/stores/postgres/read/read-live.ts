import { titleLine, titleOfEvent } from "../../../grouping/title.ts";
import type { LiveRecord } from "../../records.ts";
import type { RecentQuery, TrailQuery } from "../../store-requests.ts";
import { eventOfJson } from "../../values/event-json.ts";
import { linesOf } from "../../values/log-lines.ts";
import { levels } from "../../values/row-values.ts";
import { readBodies } from "./read-bodies.ts";
import { type SegmentRow, segmentsOf } from "./read-traces.ts";
import type { ReadDeps } from "./reader.ts";

/** A record that is shown if it is among the newest: its place in the feed, and its row in the batch. */
interface Arrived<Row> {
  readonly place: number;
  readonly row: number;
  readonly value: Row;
}

const place = "xid::text::bigint AS place";

/**
 * What became visible, in that order. With several writers neither row ids nor clocks tell it: the transaction does.
 * Nothing can appear before the oldest transaction that is still open, so that what is newer waits for the next look.
 * The place of a record is its transaction. Every query sorts by `a.xid`, which the index has in order, and limits
 * before it joins: PostgreSQL then stops at the newest batches, of up to a thousand records each.
 */
const arrivals = `SELECT xid, first_id, last_id FROM holdfast.arrival
  WHERE project = $1 AND xid < pg_snapshot_xmin(pg_current_snapshot()) AND xid > $2::text::xid8
  ORDER BY xid DESC LIMIT $3`;

export async function readRecent(
  deps: ReadDeps,
  { project, after, limit }: RecentQuery,
): Promise<readonly LiveRecord[]> {
  const values = [project, `${after ?? 0}`, limit] as const;
  const [events, segments, logs] = await Promise.all([
    recentEvents(deps, values),
    recentSegments(deps, values),
    recentLogs(deps, values),
  ]);
  const newest = [...events, ...segments, ...logs].sort(newestFirst).slice(0, limit);
  // Opening an event for its title costs more than everything else, so that only those are opened that are shown.
  const shown = new Set<unknown>(newest.map(({ value }) => value));
  const kept = <Row>(arrived: readonly Arrived<Row>[]): Row[] =>
    arrived.filter(({ value }) => shown.has(value)).map(({ value }) => value);
  const records = new Map<unknown, LiveRecord>();
  const add = (rows: readonly unknown[], made: readonly LiveRecord[]): void => {
    for (const [n, record] of made.entries()) records.set(rows[n], record);
  };
  add(kept(events), await eventRecords(deps, kept(events)));
  add(kept(segments), await segmentRecords(deps, kept(segments)));
  add(kept(logs), kept(logs));
  return newest.flatMap(({ value }) => records.get(value) ?? []).reverse();
}

function newestFirst(a: Arrived<unknown>, b: Arrived<unknown>): number {
  return b.place - a.place || b.row - a.row;
}

type RecentValues = readonly [project: number, after: string, limit: number];

async function recentEvents({ pool }: ReadDeps, values: RecentValues): Promise<Arrived<EventRow>[]> {
  const rows = await pool.all<EventRow>(
    `SELECT ${eventColumns}, ${place} FROM (
       SELECT e.*, a.xid FROM (${arrivals}) a CROSS JOIN LATERAL (
         SELECT * FROM holdfast.event e WHERE e.project = $1 AND e.id BETWEEN a.first_id AND a.last_id
         ORDER BY e.id DESC LIMIT $3
       ) e ORDER BY a.xid DESC, e.id DESC LIMIT $3
     ) e ${withIssue}`,
    ...values,
  );
  return rows.map((value) => ({ place: value.place, row: value.id, value }));
}

type PlacedSegment = SegmentRow & { place: number };

async function recentSegments({ pool }: ReadDeps, values: RecentValues): Promise<Arrived<PlacedSegment>[]> {
  const rows = await pool.all<PlacedSegment>(
    `SELECT s.*, ${place} FROM (${arrivals}) a CROSS JOIN LATERAL (
       SELECT * FROM holdfast.segment s WHERE s.project = $1 AND s.block BETWEEN a.first_id AND a.last_id
       ORDER BY s.block DESC LIMIT $3
     ) s ORDER BY a.xid DESC, s.block DESC LIMIT $3`,
    ...values,
  );
  return rows.map((value) => ({ place: value.place, row: value.block, value }));
}

async function recentLogs({ pool }: ReadDeps, values: RecentValues): Promise<Arrived<LiveRecord>[]> {
  const rows = await pool.all<{ id: number; place: number; packed: Uint8Array }>(
    `SELECT l.id, l.packed, ${place} FROM (${arrivals}) a
     JOIN holdfast.log_block l ON l.project = $1 AND l.id BETWEEN a.first_id AND a.last_id
     ORDER BY a.xid DESC, l.id DESC LIMIT $3`,
    ...values,
  );
  return rows.flatMap(({ id, place, packed }) =>
    linesOf(packed).map((line) => ({
      place,
      row: id,
      value: { kind: "log", rowId: place, at: line.at, line } as const,
    })),
  );
}

export async function readTrail(
  deps: ReadDeps,
  { project, visitor, from, to }: TrailQuery,
): Promise<readonly LiveRecord[]> {
  const values = [visitor, project, Math.ceil(from), Math.floor(to)] as const;
  const where = "visitor = $1 AND project = $2 AND at BETWEEN $3 AND $4 ORDER BY at DESC LIMIT 200";
  const [events, segments] = await Promise.all([
    deps.pool.all<EventRow>(
      `SELECT ${eventColumns}, e.id AS place FROM (SELECT * FROM holdfast.event WHERE ${where}) e ${withIssue}`,
      ...values,
    ),
    deps.pool.all<PlacedSegment>(`SELECT *, block AS place FROM holdfast.segment WHERE ${where}`, ...values),
  ]);
  const found = [...(await eventRecords(deps, events)), ...(await segmentRecords(deps, segments))];
  return found.sort((a, b) => a.at - b.at);
}

interface EventRow {
  id: number;
  place: number;
  event_id: string;
  at: number;
  level: number;
  route: number;
  environment: number;
  trace_id: string | null;
  visitor: number | null;
  part: number;
  block: number | null;
  slot: number | null;
  issue: number;
  type: string | null;
  title: string;
}

const eventColumns = `e.id, e.event_id, e.at, e.level, e.route, e.environment, e.trace_id, e.visitor, e.part,
  e.block, e.slot, i.id AS issue, i.type, i.title`;
const withIssue = `JOIN holdfast.issue_group g ON g.id = e.grp JOIN holdfast.issue i ON i.id = g.issue`;

/** Each event is called by what it says itself. */
async function eventRecords({ pool, names }: ReadDeps, rows: readonly EventRow[]): Promise<LiveRecord[]> {
  const text = await names.read(rows.flatMap(({ route, environment }) => [route, environment]));
  const bodyOf = await readBodies(pool, rows);
  return rows.map((row) => {
    const reading = bodyOf(row);
    const event = reading.kind === "whole" ? eventOfJson(reading.body, "") : undefined;
    return {
      kind: "event",
      rowId: row.place,
      at: row.at,
      eventId: row.event_id,
      issue: row.issue,
      title: (event && titleOfEvent(event)) ?? titleLine(row.type, row.title),
      level: levels[row.level] ?? "error",
      route: text(row.route),
      environment: text(row.environment),
      traceId: row.trace_id ?? undefined,
      visitor: row.visitor ?? undefined,
    };
  });
}

async function segmentRecords(deps: ReadDeps, rows: readonly PlacedSegment[]): Promise<LiveRecord[]> {
  const segments = await segmentsOf(deps, rows);
  return segments.map(({ traceId, route, kind, at, durationMs, status, environment }, n) => ({
    kind: "segment",
    rowId: rows[n]?.place ?? 0,
    at,
    traceId,
    route,
    segment: kind,
    durationMs,
    status,
    environment,
    visitor: rows[n]?.visitor ?? undefined,
  }));
}
