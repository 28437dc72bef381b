import { type ErasablePage, type ErasableQuery, nothingErased } from "../../erase/erasure.ts";
import { FoundRows } from "../../erase/found-rows.ts";
import { ErasureMatcher, linkedTo } from "../../erase/matcher.ts";
import { eventOfJson } from "../../values/event-json.ts";
import type { Pool } from "../connect/connections.ts";
import { listParts } from "../parts.ts";
import { readBodies } from "../read/read-bodies.ts";

interface Search {
  readonly pool: Pool;
  readonly part: number;
  readonly query: ErasableQuery;
  readonly matcher: ErasureMatcher;
  readonly found: FoundRows;
}

/** Finds rows to be erased in one part. Reads bodies only if a text is looked for. */
export async function findErasable(pool: Pool, query: ErasableQuery): Promise<ErasablePage> {
  const found = new FoundRows();
  const part = (await listParts(pool)).find(({ name }) => name === query.part);
  if (part === undefined) return found.page(undefined);
  const matcher = new ErasureMatcher(query.match);
  return found.page(await finders[query.kind]({ pool, part: part.id, query, matcher, found }));
}

const finders = { events: findEvents, spans: findSpans, logs: findLogs, references: findReferences };

interface FoundEvent {
  id: number;
  event_id: string;
  grp: number;
  visitor: number | null;
  trace_id: string | null;
  part: number;
  block: number | null;
  slot: number | null;
}

async function findEvents({ pool, part, query, matcher, found }: Search): Promise<number | undefined> {
  const { match, project, after, limit } = query;
  const rows = await pool.all<FoundEvent>(
    `SELECT id, event_id, grp, visitor, trace_id, part, block, slot FROM holdfast.event
     WHERE part = $1 AND project = $2 AND id > $3 AND ($4 OR grp = ANY ($5::bigint[]) OR visitor = ANY ($6::bigint[])
       OR event_id = ANY ($7::uuid[]) OR trace_id = ANY ($8::uuid[])) ORDER BY id LIMIT $9`,
    part,
    project,
    after,
    matcher.looksAtAll,
    match.groups,
    match.visitors,
    match.eventIds,
    match.traces,
    limit,
  );
  const read = rows.filter((row) => matcher.isVisitor(row.visitor) || matcher.readsBodies);
  const bodyAt = await readBodies(pool, read);
  for (const row of rows) {
    const isRow = matcher.eventRow({ ...row, eventId: row.event_id, traceId: row.trace_id });
    const isVisitor = matcher.isVisitor(row.visitor);
    const reading = isVisitor || matcher.readsBodies ? bodyAt(row) : undefined;
    const body = reading?.kind === "whole" ? reading.body : undefined;
    if (!isRow && (body === undefined || !matcher.body(body))) continue;
    found.addEvent({ id: row.id, group: row.grp, eventId: row.event_id });
    const event = isVisitor && body !== undefined ? eventOfJson(body, row.event_id) : undefined;
    if (event !== undefined) found.link(linkedTo(event));
    if (isVisitor && row.trace_id !== null) found.link({ traces: [row.trace_id] });
  }
  const files = await pool.one<{ n: number }>(
    "SELECT count(*) AS n FROM holdfast.attachment WHERE part = $1 AND project = $2 AND event_id = ANY ($3::uuid[])",
    part,
    project,
    found.eventIds,
  );
  found.counts = { ...nothingErased, events: found.ids.length, attachments: files?.n ?? 0 };
  return rows.length < limit ? undefined : rows.at(-1)?.id;
}

interface FoundSpans {
  id: number;
  trace_id: string;
  part: number;
  block: number;
  slot: number;
  own: boolean;
}

async function findSpans({ pool, part, query, matcher, found }: Search): Promise<number | undefined> {
  const { match, project, after, limit } = query;
  const rows = await pool.all<FoundSpans>(
    `SELECT s.id, s.trace_id, s.part, s.block, s.slot, own.id IS NOT NULL AS own FROM holdfast.span_block s
     LEFT JOIN (SELECT DISTINCT block AS id FROM holdfast.segment
       WHERE part = $1 AND project = $2 AND visitor = ANY ($5::bigint[])) own ON own.id = s.id
     WHERE s.part = $1 AND s.project = $2 AND s.id > $3
       AND ($4 OR own.id IS NOT NULL OR s.trace_id = ANY ($6::uuid[])) ORDER BY s.id LIMIT $7`,
    part,
    project,
    after,
    matcher.looksAtAll,
    match.visitors,
    match.traces,
    limit,
  );
  const bodyAt = await readBodies(pool, matcher.readsBodies ? rows : []);
  for (const row of rows) {
    const isRow = match.all || row.own || matcher.isTrace(row.trace_id);
    const reading = isRow ? undefined : bodyAt(row);
    if (!isRow && !(reading?.kind === "whole" && matcher.body(reading.body))) continue;
    found.ids.push(row.id);
    if (row.own) found.link({ traces: [row.trace_id] });
  }
  found.counts = { ...nothingErased, traces: found.ids.length };
  return rows.length < limit ? undefined : rows.at(-1)?.id;
}

async function findLogs({ pool, part, query, matcher, found }: Search): Promise<number | undefined> {
  const { project, after, limit } = query;
  if (!matcher.looksAtLines) return undefined;
  const rows = await pool.all<{ id: number; packed: Uint8Array }>(
    "SELECT id, packed FROM holdfast.log_block WHERE part = $1 AND project = $2 AND id > $3 ORDER BY id LIMIT $4",
    part,
    project,
    after,
    limit,
  );
  found.addLogBlocks(rows, matcher);
  return rows.length < limit ? undefined : rows.at(-1)?.id;
}

/** Retention may have deleted the event that a reference was made of. A retired one has a negative group. */
async function findReferences({ pool, part, query, matcher, found }: Search): Promise<number | undefined> {
  const { match, project, after, limit } = query;
  const rows = await pool.all<{ id: number; grp: number; packed: Uint8Array }>(
    `SELECT r.id, r.grp, r.packed FROM holdfast.body_reference r LEFT JOIN holdfast.issue_group g ON g.id = abs(r.grp)
     WHERE r.part = $1 AND r.id > $2 AND (g.project IS NULL OR g.project = $3) ORDER BY r.id LIMIT $4`,
    part,
    after,
    project,
    limit,
  );
  const isWanted = ({ grp, packed }: { grp: number; packed: Uint8Array }): boolean => {
    if (grp < 0 || match.all || matcher.group(grp)) return true;
    return matcher.reference(packed);
  };
  for (const row of rows) if (isWanted(row)) found.ids.push(row.id);
  return rows.length < limit ? undefined : rows.at(-1)?.id;
}
