import type { ReportedSpan } from "#protocol";
import { unpack } from "../../bodies/packing.ts";
import type { LogLine, SegmentKind } from "../../filed.ts";
import type { SegmentRecord, TraceRecord } from "../../records.ts";
import type { SegmentQuery } from "../../store-requests.ts";
import { linesOf } from "../../values/log-lines.ts";
import { bytesOf, hexOf } from "../../values/row-values.ts";
import { addToTrace, spansByTrace, TraceSpans } from "../../values/spans-json.ts";
import type { StoreFiles } from "../store-files.ts";
import type { StoredBody } from "../week/week-bodies.ts";
import type { WeekFile } from "../week/week-file.ts";
import { readEventsOfTrace } from "./read-events.ts";

export interface SegmentRow {
  trace_id: Uint8Array;
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

/** Reads everything of one trace, in any order and from any number of envelopes. */
export function readTrace(files: StoreFiles, project: number, traceId: string): TraceRecord {
  const spans = new TraceSpans();
  const segments: SegmentRecord[] = [];
  const logs: LogLine[] = [];
  let damaged = 0;
  for (const week of files.weeks()) {
    if (!hasRecords(week, traceId)) continue;
    const blocks = week.database.all<{ packed: Uint8Array; place: number | null }>(
      "SELECT packed, place FROM span_block WHERE trace_id = ? AND project = ? ORDER BY id",
      bytesOf(traceId),
      project,
    );
    for (const block of blocks) {
      const body = spansIn(week, block);
      if (body.kind === "whole") spans.add(body.body);
      else damaged++;
    }
    const rows = week.database.all<SegmentRow>(
      "SELECT * FROM segment WHERE trace_id = ? AND project = ?",
      bytesOf(traceId),
      project,
    );
    segments.push(...rows.map((row) => segmentOf(week, row)));
    logs.push(...logsOfTrace(week, project, traceId));
  }
  return {
    spans: spans.all(),
    segments: segments.sort((a, b) => a.at - b.at),
    events: readEventsOfTrace(files, project, traceId),
    logs: logs.sort((a, b) => a.at - b.at),
    damaged,
  };
}

export function readSpansOf(
  files: StoreFiles,
  project: number,
  traceIds: readonly string[],
): ReadonlyMap<string, readonly ReportedSpan[]> {
  const found = new Map<string, TraceSpans>();
  const sql = `SELECT trace_id, packed, place FROM span_block
    WHERE trace_id IN (SELECT unhex(value) FROM json_each(?)) AND project = ? ORDER BY id`;
  for (const week of files.weeks()) {
    const blocks = week.database.all<{ trace_id: Uint8Array; packed: Uint8Array; place: number | null }>(
      sql,
      JSON.stringify(traceIds),
      project,
    );
    for (const block of blocks) {
      const body = spansIn(week, block);
      if (body.kind === "whole") addToTrace(found, hexOf(block.trace_id), body.body);
    }
  }
  return spansByTrace(found);
}

/** Most traces are in one week. This query takes a quarter of the time of those that read it. */
function hasRecords({ database }: WeekFile, traceId: string): boolean {
  const sql = `SELECT EXISTS (SELECT 1 FROM span_block WHERE trace_id = ?1)
    OR EXISTS (SELECT 1 FROM segment WHERE trace_id = ?1) OR EXISTS (SELECT 1 FROM log_trace WHERE trace_id = ?1) AS n`;
  return database.one<{ n: number }>(sql, bytesOf(traceId))?.n === 1;
}

export function hasTrace(files: StoreFiles, project: number, traceId: string): boolean {
  const sql = "SELECT 1 FROM span_block WHERE trace_id = ? AND project = ? LIMIT 1";
  for (const { database } of files.weeks()) if (database.one(sql, bytesOf(traceId), project) !== undefined) return true;
  return false;
}

/** Reads the spans of an envelope: compressed with others, or alone in older files. */
export function spansIn(week: WeekFile, block: { packed: Uint8Array; place: number | null }): StoredBody {
  if (block.place !== null) return week.bodies.readAt(block.place);
  const bytes = unpack(block.packed);
  return bytes === undefined ? { kind: "damaged" } : { kind: "whole", body: { form: "filed", bytes } };
}

export function readSegments(files: StoreFiles, query: SegmentQuery): readonly SegmentRecord[] {
  const found: SegmentRecord[] = [];
  for (const week of files.weeks()) {
    const route = week.names.find(query.route);
    if (route === undefined) continue;
    const rows = week.database.all<SegmentRow>(
      `SELECT * FROM segment WHERE project = ? AND route = ? AND at BETWEEN ? AND ? AND duration BETWEEN ? AND ? AND (?7 = '' OR kind = ?7)
       ORDER BY at DESC LIMIT ?8`,
      query.project,
      route,
      query.from,
      query.to,
      query.minMs ?? 0,
      query.maxMs ?? Number.MAX_SAFE_INTEGER,
      query.kind ?? "",
      query.limit - found.length,
    );
    found.push(...rows.map((row) => segmentOf(week, row)));
    if (found.length >= query.limit) break;
  }
  return found;
}

export function segmentOf(week: WeekFile, row: SegmentRow): SegmentRecord {
  return {
    traceId: hexOf(row.trace_id),
    spanId: hexOf(row.span_id),
    route: week.names.text(row.route) ?? "",
    // This store has written it from the same union.
    kind: row.kind as SegmentKind,
    at: row.at,
    durationMs: row.duration,
    status: week.names.text(row.status) ?? "ok",
    release: week.names.text(row.release),
    environment: week.names.text(row.environment),
    visitor: row.visitor ?? undefined,
  };
}

function logsOfTrace(week: WeekFile, project: number, traceId: string): LogLine[] {
  const blocks = week.database.all<{ packed: Uint8Array }>(
    "SELECT packed FROM log_trace JOIN log_block ON log_block.id = log_trace.block WHERE log_trace.trace_id = ? AND log_block.project = ?",
    bytesOf(traceId),
    project,
  );
  return blocks.flatMap(({ packed }) => linesOf(packed)).filter((line) => line.traceId === traceId);
}
