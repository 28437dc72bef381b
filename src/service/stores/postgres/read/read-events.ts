import type { EventBody, EventRecord, EventSummary, Neighbours } from "../../records.ts";
import type { EventCursor } from "../../store-requests.ts";
import { eventOfJson } from "../../values/event-json.ts";
import { levels } from "../../values/row-values.ts";
import { readBodies } from "./read-bodies.ts";
import { groupIds } from "./read-issues.ts";
import type { ReadDeps } from "./reader.ts";

interface EventRow {
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

const columns = `e.id, e.event_id, e.project, e.part, e.at, e.received_at, e.level, e.route, e.release, e.environment,
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
      `SELECT ${columns}, g.issue FROM holdfast.event e JOIN holdfast.issue_group g ON g.id = e.grp
       WHERE ${where} AND ($3::int IS NULL OR e.project = $3) LIMIT 1`,
      idOrPrefix.padEnd(32, "0"),
      idOrPrefix.padEnd(32, "f"),
      project ?? null,
    );
    if (row === undefined) continue;
    const [summary] = await summariesOf(deps, [row]);
    if (summary !== undefined) return { ...summary, body: await bodyOf(deps, row) };
  }
  return undefined;
}

async function bodyOf({ pool }: ReadDeps, row: EventRow): Promise<EventBody> {
  const reading = (await readBodies(pool, [row]))(row);
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
    `SELECT ${columns}, $2::bigint AS issue FROM unnest($1::bigint[]) AS g (id) CROSS JOIN LATERAL (
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
    `SELECT ${columns}, g.issue FROM holdfast.event e JOIN holdfast.issue_group g ON g.id = e.grp
     WHERE e.trace_id = $1 AND e.project = $2 ORDER BY e.at, e.id LIMIT 1000`,
    traceId,
    project,
  );
  return summariesOf(deps, rows);
}

/** The ids that an event is known by: its own, and a second one where there is one. */
export async function idsOf({ pool }: ReadDeps, project: number, eventId: string): Promise<string[]> {
  const others = await pool.all<{ other_id: string }>(
    `SELECT o.other_id FROM holdfast.event e JOIN holdfast.other_id o ON o.event = e.id AND o.part = e.part
     WHERE e.event_id = $1 AND e.project = $2`,
    eventId,
    project,
  );
  return [eventId, ...others.map(({ other_id }) => other_id)];
}
