import { blockOf, writeBlock } from "../../bodies/body-block.ts";
import { pack, unpack } from "../../bodies/packing.ts";
import {
  type EventKey,
  type MovedRow,
  type PartRows,
  type PartTable,
  partTables,
  type RowChunk,
} from "../../moved-rows.ts";
import { linesOf } from "../../values/log-lines.ts";
import { bytesOf, hexOf } from "../../values/row-values.ts";
import type { WeekFile } from "../week/week-file.ts";
import { fromSqlite } from "./read-lasting.ts";

/** Rows of a chunk, of each table. An attachment may have megabytes. */
const perChunk = { event: 2_000, span_block: 2_000, log_block: 200, attachment: 20 } as const;
const keyedPerChunk = 5_000;
const facts = ["started_by", "errored_by", "crashed_by", "abnormal_by"] as const;

/** Rows up to `rows` were read, and sessions and aliases of items up to `keyed`. */
interface Cursor {
  readonly rows: number;
  readonly keyed: number;
}

/**
 * Reads what has come since the cursor, in the order of arrival. `end` is the first row that is not counted yet: after
 * a crash, a week may have rows that the journal brings again.
 */
export function* readPart(week: WeekFile, text: string | undefined, end: number): Generator<RowChunk> {
  let cursor: Cursor = text === undefined ? { rows: -1, keyed: -1 } : JSON.parse(text);
  const last = Math.min(end, appliedIn(week)) - 1;
  const references = new Set<number>();
  while (cursor.rows < last) {
    const upTo = endOfChunk(week, cursor.rows, last);
    const rows = readRows(week, cursor.rows, upTo, references);
    cursor = { ...cursor, rows: upTo };
    yield { rows, cursor: JSON.stringify(cursor) };
  }
  if (cursor.keyed >= last) return;
  for (const rows of readKeyed(week, cursor.keyed, last)) yield { rows, cursor: JSON.stringify(cursor) };
  yield { rows: {}, cursor: JSON.stringify({ ...cursor, keyed: last }) };
}

function appliedIn({ database }: WeekFile): number {
  return database.one<{ position: number }>("SELECT position FROM applied")?.position ?? 0;
}

function endOfChunk({ database }: WeekFile, after: number, last: number): number {
  const ends = Object.entries(perChunk).flatMap(
    ([table, rows]) =>
      database.one<{ id: number }>(
        `SELECT id FROM ${table} WHERE id > ? AND id <= ? ORDER BY id LIMIT 1 OFFSET ?`,
        after,
        last,
        rows - 1,
      )?.id ?? [],
  );
  return Math.min(last, ...ends);
}

function readRows(week: WeekFile, after: number, upTo: number, references: Set<number>): PartRows {
  const between = (table: string, column = "id"): MovedRow[] =>
    week.database.all<MovedRow>(`SELECT * FROM ${table} WHERE ${column} > ? AND ${column} <= ?`, after, upTo);
  const canonical = (table: PartTable, rows: readonly MovedRow[]): MovedRow[] =>
    rows.map((row) => fromSqlite(partTables[table], row, week.names));
  const events = between("event");
  const spans = between("span_block");
  const bodies = new Bodies(week, references);
  const alone = new Set(between("body").map(({ id }) => id as number));
  const located = events.map((row) => ({ ...row, ...bodies.locateEvent(row, alone.has(row.id as number)) }));
  const locatedSpans = spans.map((row) => ({ ...row, ...bodies.locateSpans(row) }));
  return {
    event: canonical("event", located),
    span_block: canonical("span_block", locatedSpans),
    body_block: bodies.blocks(),
    body_reference: bodies.newReferences(),
    other_id: canonical("other_id", between("other_id", "event")),
    segment: canonical("segment", between("segment", "block")),
    attachment: canonical("attachment", between("attachment")),
    log_block: canonical(
      "log_block",
      between("log_block").map((row) => ({ ...row, traces: tracesOf(row.packed as Uint8Array) })),
    ),
  };
}

function tracesOf(packed: Uint8Array): string {
  return [...new Set(linesOf(packed).flatMap(({ traceId }) => traceId ?? []))].join(",");
}

/** Blocks that some rows need, with their references. */
class Bodies {
  readonly #week: WeekFile;
  readonly #sent: Set<number>;
  readonly #wanted = new Set<number>();
  readonly #made: MovedRow[] = [];
  readonly #references = new Set<number>();

  constructor(week: WeekFile, sent: Set<number>) {
    this.#week = week;
    this.#sent = sent;
  }

  locateEvent(row: MovedRow, isAlone: boolean): { block: number | null; slot: number | null } {
    const [id, grp, place] = [row.id as number, row.grp as number, row.place as number | null];
    if (place !== null) return this.#at(place);
    if (!isAlone) return { block: null, slot: null };
    const body = this.#week.bodies.read({ id, grp, place });
    return this.#alone(-2 * id - 1, body.kind === "whole" ? writeBlock([body.body]) : undefined);
  }

  locateSpans(row: MovedRow): { block: number | null; slot: number | null } {
    const place = row.place as number | null;
    if (place !== null) return this.#at(place);
    const bytes = unpack(row.packed as Uint8Array);
    const block = -2 * (row.id as number) - 2;
    return this.#alone(block, bytes === undefined ? undefined : writeBlock([{ form: "filed", bytes }]));
  }

  #at(place: number): { block: number; slot: number } {
    const { block, slot } = blockOf(place);
    this.#wanted.add(block);
    return { block, slot: Math.abs(slot) };
  }

  /**
   * Bodies of older files were compressed one by one. Each gets a block of its own, below 0 where no other is. Of a
   * damaged one there is none, and it stays damaged.
   */
  #alone(block: number, content: Buffer | undefined): { block: number; slot: number } {
    if (content !== undefined) this.#made.push({ id: block, refs: "", packed: pack(content) });
    return { block, slot: 0 };
  }

  blocks(): MovedRow[] {
    const found = [...this.#wanted].flatMap((id) => {
      const block = this.#week.bodies.packedBlock(id);
      if (block === undefined) return [];
      for (const reference of block.groups) this.#references.add(reference);
      return [{ id, refs: block.groups.join(","), packed: block.packed }];
    });
    return [...found, ...this.#made];
  }

  /** A reference has the number of its group. */
  newReferences(): MovedRow[] {
    return [...this.#references].flatMap((id) => {
      if (this.#sent.has(id)) return [];
      this.#sent.add(id);
      const row = this.#week.database.one<{ packed: Uint8Array }>(
        "SELECT packed FROM reference_body WHERE grp = ?",
        id,
      );
      return row === undefined ? [] : [{ id, grp: id, packed: row.packed }];
    });
  }
}

/** Sessions with facts that are new, and all aliases: they have no order of arrival. */
function* readKeyed({ database }: WeekFile, after: number, last: number): Generator<PartRows> {
  let sessions: MovedRow[] = [];
  const isNew = facts.map((fact) => `(${fact} > ${after} AND ${fact} <= ${last})`).join(" OR ");
  for (const row of database.iterate<MovedRow>(`SELECT * FROM session WHERE ${isNew}`)) {
    for (const [fact, column] of facts.entries()) {
      const by = row[column] as number | null;
      if (by !== null && by > after && by <= last)
        sessions.push({ project: row.project ?? 0, session_id: row.session_id ?? "", fact });
    }
    if (sessions.length < keyedPerChunk) continue;
    yield { session_fact: sessions };
    sessions = [];
  }
  if (sessions.length > 0) yield { session_fact: sessions };
  let aliases: MovedRow[] = [];
  for (const row of database.iterate<MovedRow>("SELECT project, alias, visitor FROM visitor_alias")) {
    aliases.push({ ...row });
    if (aliases.length < keyedPerChunk) continue;
    yield { visitor_alias: aliases };
    aliases = [];
  }
  if (aliases.length > 0) yield { visitor_alias: aliases };
}

/** What a partition has before the row `end`, for the comparison with a copy. */
export function amountsIn({ database }: WeekFile, end: number): ReadonlyMap<string, number> {
  const amounts = new Map<string, number>();
  const count = (what: string, from: string, amount = "count(*)", key = "project"): void => {
    for (const row of database.all<{ key: number; n: number }>(
      `SELECT ${key} AS key, ${amount} AS n FROM ${from} < ? GROUP BY ${key}`,
      end,
    ))
      if (row.n > 0) amounts.set(`${what} ${row.key}`, row.n);
  };
  count("events of project", "event WHERE id");
  count("events of group", "event WHERE id", "count(*)", "grp");
  count("traces of project", "span_block WHERE id");
  count("segments of project", "segment WHERE block");
  count("log lines of project", "log_block WHERE id", "sum(lines)");
  count("attachments of project", "attachment WHERE id");
  count("attached bytes of project", "attachment WHERE id", "sum(length(packed))");
  count("second ids of project", "other_id WHERE event");
  for (const [fact, column] of facts.entries())
    count(`sessions with fact ${fact} of project`, `session WHERE ${column}`);
  return amounts;
}

export function eventIdsIn(
  { database }: WeekFile,
  { after, end, atMost }: { after: EventKey | undefined; end: number; atMost: number },
): EventKey[] {
  return database
    .all<{ event_id: Uint8Array; project: number }>(
      `SELECT event_id, project FROM event WHERE (event_id, project) > (?, ?) AND id < ?
       ORDER BY event_id, project LIMIT ?`,
      bytesOf(after?.eventId ?? ""),
      after?.project ?? 0,
      end,
      atMost,
    )
    .map(({ event_id, project }) => ({ eventId: hexOf(event_id), project }));
}
