import type { LastingTable, MovedKind, MovedRow, MovedValue, OwnerRange } from "../../moved-rows.ts";
import { bytesOf, hexOf } from "../../values/row-values.ts";
import type { NameTable } from "../name-table.ts";
import type { StoreFiles } from "../store-files.ts";

/** Tables that SQLite keeps in two. */
const sources: Readonly<Record<string, string>> = {
  issue_group: "issue_group LEFT JOIN group_visitor_sketch ON group_visitor_sketch.grp = issue_group.id",
  group_text: "group_text_row JOIN group_text ON group_text.rowid = group_text_row.id",
};

export function readLasting(
  { meta, names }: StoreFiles,
  table: LastingTable,
  { after, upTo }: OwnerRange,
  atMost: number = -1,
): readonly MovedRow[] {
  const owner = `(${table.owner.join(", ")})`;
  const marks = `(${table.owner.map(() => "?").join(", ")})`;
  const limits = [
    ...(after === undefined ? [] : [`${owner} > ${marks}`]),
    ...(upTo === undefined ? [] : [`${owner} <= ${marks}`]),
  ];
  const rows = meta.all<MovedRow>(
    `SELECT ${Object.keys(table.columns).join(", ")} FROM ${sources[table.name] ?? table.name}
     ${limits.length === 0 ? "" : `WHERE ${limits.join(" AND ")}`}
     ${table.owner.length === 0 ? "" : `ORDER BY ${table.owner.join(", ")}`} LIMIT ?`,
    ...(after ?? []),
    ...(upTo ?? []),
    atMost,
  );
  return rows.map((row) => fromSqlite(table.columns, row, names));
}

export function fromSqlite(
  columns: Readonly<Record<string, MovedKind>>,
  row: MovedRow,
  names: NameTable,
): Record<string, MovedValue> {
  const moved: Record<string, MovedValue> = {};
  for (const [column, kind] of Object.entries(columns)) {
    const value = row[column] ?? null;
    if (value === null) moved[column] = null;
    else if (kind === "name") moved[column] = withoutNull(names.text(value as number) ?? null);
    else if (kind === "id" || kind === "hex") moved[column] = hexOf(value as Uint8Array);
    else moved[column] = withoutNull(value);
  }
  return moved;
}

/** The number of a name, the bytes of an id. */
export function toSqlite(kind: MovedKind, value: MovedValue | undefined, names: NameTable): MovedValue {
  if (kind === "name") return names.number((value ?? undefined) as string | undefined);
  if (value === null || value === undefined) return null;
  return kind === "id" || kind === "hex" ? bytesOf(value as string) : value;
}

/** PostgreSQL has no texts with U+0000, so that both stores are compared without it. */
function withoutNull(value: MovedValue): MovedValue {
  return typeof value === "string" && value.includes("\0") ? value.replaceAll("\0", "\uFFFD") : value;
}
