import type { ReportedSpan } from "#protocol";
import type { LogLine, SegmentKind } from "../../filed.ts";
import type { SegmentRecord, TraceRecord } from "../../records.ts";
import type { SegmentQuery } from "../../store-requests.ts";
import { linesOf } from "../../values/log-lines.ts";
import { hexOf } from "../../values/row-values.ts";
import { addToTrace, spansByTrace, TraceSpans } from "../../values/spans-json.ts";
import { type BodyLocation, readBodies } from "./read-bodies.ts";
import { readEventsOfTrace } from "./read-events.ts";
import type { ReadDeps } from "./reader.ts";

export interface SegmentRow {
  trace_id: string;
  span_id: Uint8Array;
  block: number;
  route: number;
  kind: string;
  at: number;
  duration: number;
  status: number;
  release: number;
  environment: number;
  visitor: number | null;
}

/** Everything that belongs to one trace, in any order and from any number of envelopes. */
export async function readTrace(deps: ReadDeps, project: number, traceId: string): Promise<TraceRecord> {
  const { pool } = deps;
  const [blocks, rows, events, logs] = await Promise.all([
    pool.all<BodyLocation>(
      "SELECT part, block, slot FROM holdfast.span_block WHERE trace_id = $1 AND project = $2 ORDER BY part DESC, id",
      traceId,
      project,
    ),
    pool.all<SegmentRow>("SELECT * FROM holdfast.segment WHERE trace_id = $1 AND project = $2", traceId, project),
    readEventsOfTrace(deps, project, traceId),
    logsOfTrace(deps, project, traceId),
  ]);
  const bodyAt = await readBodies(pool, blocks);
  const spans = new TraceSpans();
  let damaged = 0;
  for (const block of blocks) {
    const reading = bodyAt(block);
    if (reading.kind !== "whole") damaged += 1;
    else spans.add(reading.body);
  }
  const segments = await segmentsOf(deps, rows);
  return {
    spans: spans.all(),
    segments: segments.sort((a, b) => a.at - b.at),
    events,
    logs: logs.sort((a, b) => a.at - b.at),
    damaged,
  };
}

export async function readSpansOf(
  { pool }: ReadDeps,
  project: number,
  traceIds: readonly string[],
): Promise<ReadonlyMap<string, readonly ReportedSpan[]>> {
  const blocks = await pool.all<BodyLocation & { trace_id: string }>(
    `SELECT trace_id, part, block, slot FROM holdfast.span_block
     WHERE trace_id = ANY ($1::uuid[]) AND project = $2 ORDER BY part DESC, id`,
    traceIds,
    project,
  );
  const bodyAt = await readBodies(pool, blocks);
  const found = new Map<string, TraceSpans>();
  for (const block of blocks) {
    const reading = bodyAt(block);
    if (reading.kind === "whole") addToTrace(found, block.trace_id, reading.body);
  }
  return spansByTrace(found);
}

export async function hasTrace({ pool }: ReadDeps, project: number, traceId: string): Promise<boolean> {
  const sql = "SELECT 1 FROM holdfast.span_block WHERE trace_id = $1 AND project = $2 LIMIT 1";
  return (await pool.one(sql, traceId, project)) !== undefined;
}

export async function readSegments(deps: ReadDeps, query: SegmentQuery): Promise<readonly SegmentRecord[]> {
  const rows = await deps.pool.all<SegmentRow>(
    `SELECT * FROM holdfast.segment
     WHERE project = $1 AND route = (SELECT id FROM holdfast.name WHERE text = $2) AND at BETWEEN $3 AND $4
       AND duration BETWEEN $5 AND $6 AND ($7 = '' OR kind = $7)
     ORDER BY at DESC LIMIT $8`,
    query.project,
    query.route,
    Math.ceil(query.from),
    Math.floor(query.to),
    query.minMs ?? 0,
    query.maxMs ?? Number.MAX_SAFE_INTEGER,
    query.kind ?? "",
    query.limit,
  );
  return segmentsOf(deps, rows);
}

export async function segmentsOf({ names }: ReadDeps, rows: readonly SegmentRow[]): Promise<SegmentRecord[]> {
  const text = await names.read(
    rows.flatMap(({ route, status, release, environment }) => [route, status, release, environment]),
  );
  return rows.map((row) => ({
    traceId: row.trace_id,
    spanId: hexOf(row.span_id),
    route: text(row.route) ?? "",
    // Written by this store from the same union.
    kind: row.kind as SegmentKind,
    at: row.at,
    durationMs: row.duration,
    status: text(row.status) ?? "ok",
    release: text(row.release),
    environment: text(row.environment),
    visitor: row.visitor ?? undefined,
  }));
}

async function logsOfTrace({ pool }: ReadDeps, project: number, traceId: string): Promise<LogLine[]> {
  const blocks = await pool.all<{ packed: Uint8Array }>(
    "SELECT packed FROM holdfast.log_block WHERE traces @> ARRAY[$1::uuid] AND project = $2 ORDER BY part DESC, id",
    traceId,
    project,
  );
  return blocks.flatMap(({ packed }) => linesOf(packed)).filter((line) => line.traceId === traceId);
}
