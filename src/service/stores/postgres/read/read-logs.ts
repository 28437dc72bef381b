import { type LogBlock, type LogBlockQuery, readLogPage } from "../../log-pages.ts";
import type { LogPage, LogQuery } from "../../store-requests.ts";
import type { ReadDeps } from "./reader.ts";

export function readLogsPage({ pool }: ReadDeps, query: LogQuery): Promise<LogPage> {
  return readLogPage(({ project, from, before, traceId, limit }: LogBlockQuery) => {
    const ofTrace = traceId === undefined ? "" : "AND traces @> ARRAY[$6::uuid]";
    return pool.all<LogBlock>(
      `SELECT id, to_at AS "toAt", packed FROM holdfast.log_block
       WHERE project = $1 AND to_at >= $2 AND (to_at, id) < ($3, $4) ${ofTrace}
       ORDER BY to_at DESC, id DESC LIMIT $5`,
      project,
      Math.floor(from),
      before.toAt,
      before.id,
      limit,
      ...(traceId === undefined ? [] : [traceId]),
    );
  }, query);
}
