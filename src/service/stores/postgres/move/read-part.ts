import { type MovedRow, type PartTable, partTableNames, partTables, type RowChunk } from "../../moved-rows.ts";
import type { Pool } from "../connect/connections.ts";
import type { Names } from "../names.ts";
import { partitionOf } from "../parts.ts";
import { selected, withTexts } from "./moved-columns.ts";

/** Pages read at once: some thousand rows, or bodies of some megabytes. More if only new rows are wanted. */
const pagesPerChunk = { all: 32, added: 256 };

/**
 * Rows are never changed, so a page has what it had. All rows of transactions before `seen` are read up to the table
 * and page of the cursor; `since` is the same of the round before, whose rows need not be read again.
 */
interface Cursor {
  readonly since: string | undefined;
  readonly seen: string;
  readonly table: number;
  readonly page: number;
}

export interface PartReading {
  readonly pool: Pool;
  readonly names: Names;
  readonly part: number;
}

/**
 * Reads a partition table by table and page by page. What is committed meanwhile, behind or before the present page, is
 * of a transaction that was not finished at the beginning: the next round reads it, by its transaction.
 */
export async function* readPart(reading: PartReading, text: string | undefined): AsyncGenerator<RowChunk> {
  let cursor: Cursor = text === undefined ? await newRound(reading.pool, undefined) : JSON.parse(text);
  const tables = partTableNames();
  if (cursor.table >= tables.length) {
    const oldest = await oldestTransaction(reading.pool);
    if (oldest === cursor.seen) return;
    cursor = { since: cursor.seen, seen: oldest, table: 0, page: 0 };
  }
  for (; cursor.table < tables.length; cursor = { ...cursor, table: cursor.table + 1, page: 0 }) {
    const table = tables[cursor.table] ?? "event";
    const pages = await pagesOf(reading, table);
    while (cursor.page < pages) {
      const upTo = cursor.page + (cursor.since === undefined ? pagesPerChunk.all : pagesPerChunk.added);
      const rows = await readPages(reading, table, { ...cursor, upTo });
      cursor = { ...cursor, page: upTo };
      if (rows.length > 0) yield { rows: { [table]: rows }, cursor: JSON.stringify(cursor) };
    }
  }
  yield { rows: {}, cursor: JSON.stringify(cursor) };
}

async function newRound(pool: Pool, since: string | undefined): Promise<Cursor> {
  return { since, seen: await oldestTransaction(pool), table: 0, page: 0 };
}

/** Everything of transactions before this one is committed and visible, or never will be. */
async function oldestTransaction(pool: Pool): Promise<string> {
  const row = await pool.one<{ xid: string }>("SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS xid");
  return row?.xid ?? "0";
}

async function pagesOf({ pool, part }: PartReading, table: PartTable): Promise<number> {
  const row = await pool.one<{ pages: number }>(
    `SELECT pg_relation_size($1::regclass) / current_setting('block_size')::bigint AS pages`,
    partitionOf(table, part),
  );
  return row?.pages ?? 0;
}

async function readPages(
  { pool, names, part }: PartReading,
  table: PartTable,
  { page, upTo, since }: { page: number; upTo: number; since: string | undefined },
): Promise<readonly MovedRow[]> {
  const columns = partTables[table];
  const isAdded = since === undefined ? "" : "AND age(xmin) <= age($3::text::xid8::xid)";
  const rows = await pool.all<MovedRow>(
    `SELECT ${selected(columns)} FROM ${partitionOf(table, part)}
     WHERE ctid >= $1::text::tid AND ctid < $2::text::tid ${isAdded}`,
    `(${page},0)`,
    `(${upTo},0)`,
    ...(since === undefined ? [] : [since]),
  );
  return withTexts(names, columns, rows);
}

/** What a partition has, for the comparison with a copy. */
export async function amountsIn({ pool, part }: PartReading): Promise<ReadonlyMap<string, number>> {
  const amounts = new Map<string, number>();
  const count = async (what: string, table: PartTable, amount = "count(*)", key = "project"): Promise<void> => {
    for (const row of await pool.all<{ key: number; n: number }>(
      `SELECT ${key} AS key, ${amount} AS n FROM ${partitionOf(table, part)} GROUP BY ${key}`,
    ))
      if (row.n > 0) amounts.set(`${what} ${row.key}`, row.n);
  };
  await count("events of project", "event");
  await count("events of group", "event", "count(*)", "grp");
  await count("traces of project", "span_block");
  await count("segments of project", "segment");
  await count("log lines of project", "log_block", "sum(lines)");
  await count("attachments of project", "attachment");
  await count("attached bytes of project", "attachment", "sum(octet_length(packed))");
  await count("second ids of project", "other_id");
  for (const fact of [0, 1, 2, 3])
    await count(`sessions with fact ${fact} of project`, "session_fact", `count(*) FILTER (WHERE fact = ${fact})`);
  return amounts;
}
