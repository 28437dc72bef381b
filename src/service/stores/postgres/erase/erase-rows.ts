import { pack } from "../../bodies/packing.ts";
import { type ErasedRows, type ErasureCounts, type ErasureOutcome, nothingErased } from "../../erase/erasure.ts";
import { ErasureMatcher } from "../../erase/matcher.ts";
import { linesOf } from "../../values/log-lines.ts";
import type { Queries } from "../connect/connections.ts";
import { readBodies } from "../read/read-bodies.ts";
import type { EraseState } from "./erase-state.ts";
import { forgetEvents, type GoneEvent } from "./forget-events.ts";
import { blank, freeOfReferences, referencesOf } from "./rewrite-blocks.ts";

/** Blocks that are compressed again in one transaction. */
const blocksAtOnce = 200;

interface ErasedEvent {
  id: number;
  event_id: string;
  grp: number;
  at: number;
  visitor: number | null;
  route: string | null;
  release: number;
  environment: number;
  part: number;
  block: number | null;
  slot: number | null;
}

export async function eraseEvents(
  queries: Queries,
  state: EraseState,
  part: number,
  { project, ids }: ErasedRows,
): Promise<ErasureOutcome> {
  const rows = await queries.all<ErasedEvent>(
    `SELECT e.id, e.event_id, e.grp, e.at, e.visitor, n.text AS route, e.release, e.environment, e.part, e.block, e.slot
     FROM holdfast.event e LEFT JOIN holdfast.name n ON n.id = e.route
     WHERE e.part = $1 AND e.project = $2 AND e.id = ANY ($3::bigint[])`,
    part,
    project,
    ids,
  );
  const bodyAt = await readBodies(queries, rows);
  const gone = rows.map((row): GoneEvent => {
    const reading = bodyAt(row);
    const body = reading.kind === "whole" ? reading.body : undefined;
    return { ...row, eventId: row.event_id, group: row.grp, route: row.route ?? undefined, body };
  });
  // Before the bodies: afterwards it would be unknown whose they are.
  if (!(await eraseReferences(queries, part, await ownReferences(queries, part, gone))))
    return { counts: nothingErased, isUnfinished: true };
  await blank(queries, part, rows);
  const found = rows.map(({ id }) => id);
  const attachments = await queries.run(
    "DELETE FROM holdfast.attachment WHERE part = $1 AND project = $2 AND event_id = ANY ($3::uuid[])",
    part,
    project,
    rows.map(({ event_id }) => event_id),
  );
  await queries.run("DELETE FROM holdfast.other_id WHERE part = $1 AND event = ANY ($2::bigint[])", part, found);
  await queries.run("DELETE FROM holdfast.event WHERE part = $1 AND id = ANY ($2::bigint[])", part, found);
  await forgetEvents(queries, state, gone);
  return { counts: { ...nothingErased, events: rows.length, attachments }, isUnfinished: false };
}

/** References that were made of one of these events. */
async function ownReferences(queries: Queries, part: number, gone: readonly GoneEvent[]): Promise<number[]> {
  const rows = await queries.all<{ id: number; grp: number }>(
    "SELECT id, abs(grp) AS grp FROM holdfast.body_reference WHERE part = $1 AND abs(grp) = ANY ($2::bigint[])",
    part,
    [...new Set(gone.map(({ group }) => group))],
  );
  const bodies = await referencesOf(
    queries,
    part,
    rows.map(({ id }) => id),
  );
  const byGroup = Map.groupBy(gone, ({ group }) => group);
  return rows.flatMap(({ id, grp }) => {
    const isOwn = byGroup.get(grp)?.some(({ body }) => body !== undefined && bodies.get(id)?.equals(body.bytes));
    return isOwn ? [id] : [];
  });
}

/**
 * Deletes references, after blocks that need them were compressed without them. Until then they are retired by a
 * negative group, so that no writer finds them for another block. Returns whether it is finished.
 */
export async function eraseReferences(queries: Queries, part: number, ids: readonly number[]): Promise<boolean> {
  if (ids.length === 0) return true;
  await queries.run(
    "UPDATE holdfast.body_reference SET grp = -abs(grp) WHERE part = $1 AND id = ANY ($2::bigint[])",
    part,
    ids,
  );
  if (!(await freeOfReferences(queries, part, ids, blocksAtOnce))) return false;
  await queries.run("DELETE FROM holdfast.body_reference WHERE part = $1 AND id = ANY ($2::bigint[])", part, ids);
  return true;
}

export async function eraseSpans(queries: Queries, part: number, { project, ids }: ErasedRows): Promise<ErasureCounts> {
  const rows = await queries.all<{ block: number; slot: number }>(
    "DELETE FROM holdfast.span_block WHERE part = $1 AND project = $2 AND id = ANY ($3::bigint[]) RETURNING block, slot",
    part,
    project,
    ids,
  );
  await blank(queries, part, rows);
  await queries.run(
    "DELETE FROM holdfast.segment WHERE part = $1 AND project = $2 AND block = ANY ($3::bigint[])",
    part,
    project,
    ids,
  );
  return { ...nothingErased, traces: rows.length };
}

/** The other lines of a block stay. */
export async function eraseLogs(
  queries: Queries,
  part: number,
  { project, ids, match }: ErasedRows,
): Promise<ErasureCounts> {
  const matcher = new ErasureMatcher(match);
  let logLines = 0;
  const rows = await queries.all<{ id: number; packed: Uint8Array }>(
    "SELECT id, packed FROM holdfast.log_block WHERE part = $1 AND project = $2 AND id = ANY ($3::bigint[])",
    part,
    project,
    ids,
  );
  for (const { id, packed } of rows) {
    const lines = linesOf(packed);
    const left = lines.filter((line) => !matcher.line(line));
    logLines += lines.length - left.length;
    const key = "part = $1 AND project = $2 AND id = $3";
    if (left.length === 0) await queries.run(`DELETE FROM holdfast.log_block WHERE ${key}`, part, project, id);
    else
      await queries.run(
        `UPDATE holdfast.log_block SET lines = $4, traces = $5::uuid[], packed = $6 WHERE ${key}`,
        part,
        project,
        id,
        left.length,
        [...new Set(left.flatMap(({ traceId }) => traceId ?? []))],
        pack(Buffer.from(JSON.stringify(left))),
      );
  }
  return { ...nothingErased, logLines };
}
