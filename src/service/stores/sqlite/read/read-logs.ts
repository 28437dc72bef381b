import { clocksAgreeMs } from "../../../clock.ts";
import { type LogBlock, type LogBlockQuery, readLogPage } from "../../log-pages.ts";
import type { LogPage, LogQuery } from "../../store-requests.ts";
import { bytesOf } from "../../values/row-values.ts";
import type { StoreFiles } from "../store-files.ts";
import type { WeekFile } from "../week/week-file.ts";

export function readLogsPage(files: StoreFiles, query: LogQuery): Promise<LogPage> {
  return readLogPage((blocks) => readBlocks(files, blocks), query);
}

/** A week has what was accepted in it. Lines of clients that were offline are older, but none is much newer. */
function readBlocks(files: StoreFiles, query: LogBlockQuery): readonly LogBlock[] {
  let found: LogBlock[] = [];
  for (const week of files.weeks()) {
    const last = found.length < query.limit ? undefined : found.at(-1);
    if (last !== undefined && last.toAt > week.week.to + clocksAgreeMs) break;
    const blocks = query.traceId === undefined ? blocksIn(week, query) : blocksOfTrace(week, query, query.traceId);
    found = [...found, ...blocks].sort((a, b) => b.toAt - a.toAt || b.id - a.id).slice(0, query.limit);
  }
  return found;
}

function blocksIn({ database }: WeekFile, { project, from, before, limit }: LogBlockQuery): LogBlock[] {
  return database.all<LogBlock>(
    `SELECT id, to_at AS toAt, packed FROM log_block
     WHERE project = ? AND to_at >= ? AND (to_at, id) < (?, ?) ORDER BY to_at DESC, id DESC LIMIT ?`,
    project,
    Math.floor(from),
    before.toAt,
    before.id,
    limit,
  );
}

/** The pluses keep SQLite from walking through all blocks of the time. */
function blocksOfTrace(
  { database }: WeekFile,
  { project, from, before, limit }: LogBlockQuery,
  traceId: string,
): LogBlock[] {
  return database.all<LogBlock>(
    `SELECT id, to_at AS toAt, packed FROM log_block
     WHERE id IN (SELECT block FROM log_trace WHERE trace_id = ?) AND +project = ? AND +to_at >= ?
       AND (+to_at, +id) < (?, ?) ORDER BY to_at DESC, id DESC LIMIT ?`,
    bytesOf(traceId),
    project,
    Math.floor(from),
    before.toAt,
    before.id,
    limit,
  );
}
