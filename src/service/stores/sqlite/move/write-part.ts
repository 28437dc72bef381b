import { bodyIndexOf } from "../../bodies/body-block.ts";
import { type MovedRow, type MovedValue, type PartTable, partTables, type RowChunk } from "../../moved-rows.ts";
import { bytesOf } from "../../values/row-values.ts";
import type { WeekFile } from "../week/week-file.ts";
import { toSqlite } from "./read-lasting.ts";

const facts = ["started_by", "errored_by", "crashed_by", "abnormal_by"] as const;
// Reported by a row of another store: no row of this one has the number.
const elsewhere = 0;

/** Adds what is not there yet. Call inside a transaction. */
export function writeRows(week: WeekFile, { rows }: RowChunk): void {
  for (const [table, list] of Object.entries(rows)) for (const row of list) write[table as PartTable](week, row);
}

type Write = (week: WeekFile, row: MovedRow) => void;

const write: Readonly<Record<PartTable, Write>> = {
  body_reference: ({ database }, { id, packed }) =>
    insert(database, "reference_body", { grp: id ?? 0, packed: packed ?? null }),
  body_block: ({ database }, { id, refs, packed }) =>
    insert(database, "body_block", { id: id ?? 0, groups: `[${refs}]`, packed: packed ?? null }),
  event: (week, row) => {
    const { block: _, slot: __, ...values } = valuesOf(week, "event", row);
    insert(week.database, "event", { ...values, place: placeOf(row) });
  },
  other_id: (week, row) => insert(week.database, "other_id", valuesOf(week, "other_id", row)),
  visitor_alias: (week, row) => insert(week.database, "visitor_alias", valuesOf(week, "visitor_alias", row)),
  span_block: (week, row) => {
    const { block: _, slot: __, ...values } = valuesOf(week, "span_block", row);
    insert(week.database, "span_block", { ...values, packed: new Uint8Array(), place: placeOf(row) });
  },
  segment: (week, row) => insert(week.database, "segment", valuesOf(week, "segment", row)),
  session_fact: ({ database }, { project, session_id, fact }) => {
    const column = facts[fact as number] ?? "started_by";
    database.run(
      `INSERT INTO session (project, session_id, ${column}) VALUES (?, ?, ${elsewhere})
       ON CONFLICT DO UPDATE SET ${column} = coalesce(${column}, ${elsewhere})`,
      project ?? 0,
      session_id ?? "",
    );
  },
  log_block: (week, row) => {
    const { traces, ...values } = valuesOf(week, "log_block", row);
    insert(week.database, "log_block", values);
    for (const trace of String(traces).split(",").filter(Boolean))
      insert(week.database, "log_trace", { trace_id: bytesOf(trace), block: row.id ?? 0 });
  },
  attachment: (week, row) => insert(week.database, "attachment", valuesOf(week, "attachment", row)),
};

function valuesOf({ names }: WeekFile, table: PartTable, row: MovedRow): Record<string, MovedValue> {
  return Object.fromEntries(
    Object.entries(partTables[table]).map(([column, kind]) => [column, toSqlite(kind, row[column], names)]),
  );
}

function placeOf({ block, slot }: MovedRow): number | null {
  return block === null || slot === null ? null : bodyIndexOf(block as number, slot as number);
}

function insert(database: WeekFile["database"], table: string, values: Readonly<Record<string, MovedValue>>): void {
  const columns = Object.keys(values);
  database.run(
    `INSERT OR IGNORE INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
    ...Object.values(values),
  );
}
