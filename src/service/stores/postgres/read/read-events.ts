import type { EventBody, EventRecord, EventSummary, FiledStart, Neighbours } from "../../records.ts";
import type { EventCursor } from "../../store-requests.ts";
import { eventOfJson } from "../../values/event-json.ts";
import { levels } from "../../values/row-values.ts";
import { readBodies, type StoredBody } from "./read-bodies.ts";
import { groupIds } from "./read-issues.ts";
import type { ReadDeps } from "./reader.ts";

export interface EventRow {
  id: number;
  event_id: string;
  project: number;
  part: number;
  issue: number;
  at: number;
  received_at: number;
  level: number;
  route: number;
  release: number;
  environment: number;
  trace_id: string | null;
  visitor: number | null;
  block: number | null;
  slot: number | null;
}

export const eventColumns = `e.id, e.event_id, e.project, e.part, e.at, e.received_at, e.level, e.route, e.release, e.environment,
  e.trace_id, e.visitor, e.block, e.slot`;

const byId = "e.event_id BETWEEN $1::uuid AND $2::uuid";
const byOtherId = `e.id IN (SELECT o.event FROM holdfast.other_id o
  WHERE o.other_id BETWEEN $1::uuid AND $2::uuid AND o.project = e.project AND o.part = e.part)`;

/** Second ids are looked at last, so that they never hide an event that has the id itself. */
export async function readEventRecord(
  deps: ReadDeps,
  project: number | undefined,
  idOrPrefix: string,
): Promise<EventRecord | undefined> {
  const { pool } = deps;
  for (const where of [byId, byOtherId]) {
    const row = await pool.one<EventRow>(
      `SELECT ${eventColumns}, g.issue FROM holdfast.event e JOIN holdfast.issue_group g ON g.id = e.grp
       WHERE ${where} AND ($3::int IS NULL OR e.project = $3) LIMIT 1`,
      idOrPrefix.padEnd(32, "0"),
      idOrPrefix.padEnd(32, "f"),
      project ?? null,
    );
    if (row === undefined) continue;
    const [event] = await wholeEventsOf(deps, [row]);
    if (event !== undefined) return event;
  }
  return undefined;
}

/** Events with what they say, in the same order. */
export async function wholeEventsOf(deps: ReadDeps, rows: readonly EventRow[]): Promise<EventRecord[]> {
  const [summaries, readingOf] = await Promise.all([summariesOf(deps, rows), readBodies(deps.pool, rows)]);
  return rows.flatMap((row, n) => {
    const summary = summaries[n];
    return summary === undefined ? [] : [{ ...summary, body: bodyOf(row, readingOf(row)) }];
  });
}

export async function readEventsById(
  deps: ReadDeps,
  project: number,
  ids: readonly string[],
): Promise<readonly EventRecord[]> {
  const rows = await deps.pool.all<EventRow>(
    `SELECT ${eventColumns}, g.issue FROM holdfast.event e JOIN holdfast.issue_group g ON g.id = e.grp
     WHERE e.event_id = ANY ($1::uuid[]) AND e.project = $2`,
    ids,
    project,
  );
  return wholeEventsOf(deps, rows);
}

export async function readFiledEvents(
  { pool }: ReadDeps,
  project: number,
  starts: readonly string[],
): Promise<readonly FiledStart[]> {
  const rows = await pool.all<{ start: string; grp: number; visitor: number | null }>(
    `SELECT s.start, e.grp, e.visitor FROM unnest($2::text[]) AS s (start)
     CROSS JOIN LATERAL (SELECT grp, visitor FROM holdfast.event WHERE project = $1
       AND event_id BETWEEN rpad(s.start, 32, '0')::uuid AND rpad(s.start, 32, 'f')::uuid LIMIT 1) e`,
    project,
    starts,
  );
  return rows.map(({ start, grp, visitor }) => ({ start, group: grp, visitor: visitor ?? undefined }));
}

function bodyOf(row: EventRow, reading: StoredBody): EventBody {
  if (reading.kind === "absent") return { kind: "damped" };
  const event = reading.kind === "whole" ? eventOfJson(reading.body, row.event_id) : undefined;
  return event === undefined ? { kind: "damaged" } : { kind: "whole", event };
}

async function summariesOf({ names }: ReadDeps, rows: readonly EventRow[]): Promise<EventSummary[]> {
  const text = await names.read(rows.flatMap(({ route, release, environment }) => [route, release, environment]));
  return rows.map((row) => ({
    rowId: row.id,
    eventId: row.event_id,
    project: row.project,
    issue: row.issue,
    at: row.at,
    receivedAt: row.received_at,
    level: levels[row.level] ?? "error",
    route: text(row.route),
    release: text(row.release),
    environment: text(row.environment),
    traceId: row.trace_id ?? undefined,
    visitor: row.visitor ?? undefined,
  }));
}

/** Newest first, by the time of the event. */
export function readEventsOf(
  deps: ReadDeps,
  project: number,
  issue: number,
  page: { before?: EventCursor; limit: number },
): Promise<readonly EventSummary[]> {
  return beside(deps, { project, issue }, { cursor: page.before, direction: "older", limit: page.limit });
}

export async function readNeighbours(deps: ReadDeps, { at, rowId, project, issue }: EventRecord): Promise<Neighbours> {
  const nearest = async (cursor: EventCursor | undefined, direction: "older" | "newer") =>
    (await beside(deps, { project, issue }, { cursor, direction, limit: 1 }))[0]?.eventId;
  const [older, newer, newest, oldest] = await Promise.all([
    nearest({ at, rowId }, "older"),
    nearest({ at, rowId }, "newer"),
    nearest(undefined, "older"),
    nearest(undefined, "newer"),
  ]);
  return { older, newer, newest, oldest };
}

/**
 * Events of an issue, from a cursor on into one direction. Each group is asked for its own, along its index: asked for
 * all together, the database would sort every event of a large issue.
 */
async function beside(
  deps: ReadDeps,
  { project, issue }: { project: number; issue: number },
  { cursor, direction, limit }: { cursor: EventCursor | undefined; direction: "older" | "newer"; limit: number },
): Promise<EventSummary[]> {
  const [compare, order] = direction === "older" ? ["<", "DESC"] : [">", "ASC"];
  const after = cursor ? `AND (e.at, e.id) ${compare} ($4::bigint, $5::bigint)` : "";
  const groups = await groupIds(deps, project, issue);
  const rows = await deps.pool.all<EventRow>(
    `SELECT ${eventColumns}, $2::bigint AS issue FROM unnest($1::bigint[]) AS g (id) CROSS JOIN LATERAL (
       SELECT * FROM holdfast.event e WHERE e.grp = g.id ${after} ORDER BY e.at ${order}, e.id ${order} LIMIT $3
     ) e ORDER BY e.at ${order}, e.id ${order} LIMIT $3`,
    groups,
    issue,
    limit,
    ...(cursor ? [cursor.at, cursor.rowId] : []),
  );
  return summariesOf(deps, rows);
}

export async function readEventsOfTrace(
  deps: ReadDeps,
  project: number,
  traceId: string,
): Promise<readonly EventSummary[]> {
  const rows = await deps.pool.all<EventRow>(
    `SELECT ${eventColumns}, g.issue FROM holdfast.event e JOIN holdfast.issue_group g ON g.id = e.grp
     WHERE e.trace_id = $1 AND e.project = $2 ORDER BY e.at, e.id LIMIT 1000`,
    traceId,
    project,
  );
  return summariesOf(deps, rows);
}

/** The ids that events are known by: their own, and a second one where there is one. */
export async function idsOf({ pool }: ReadDeps, project: number, eventIds: readonly string[]): Promise<string[]> {
  const others = await pool.all<{ other_id: string }>(
    `SELECT o.other_id FROM holdfast.event e JOIN holdfast.other_id o ON o.event = e.id AND o.part = e.part
     WHERE e.event_id = ANY ($1::uuid[]) AND e.project = $2`,
    eventIds,
    project,
  );
  return [...eventIds, ...others.map(({ other_id }) => other_id)];
}
