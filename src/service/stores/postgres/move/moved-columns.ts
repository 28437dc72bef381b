import type { LastingTable, MovedKind, MovedRow, MovedValue } from "../../moved-rows.ts";
import type { NameNumbers, Names } from "../names.ts";

/** `words` are for the search index. */
export type ColumnKind = MovedKind | "words";
type Columns = Readonly<Record<string, ColumnKind>>;

/** Columns of a query that reads moved rows. Lists come as text. */
export function selected(columns: Columns): string {
  return Object.entries(columns)
    .map(([column, kind]) => {
      if (kind === "numbers") return `array_to_string(${column}, ',') AS ${column}`;
      if (kind === "ids") return `replace(array_to_string(${column}, ','), '-', '') AS ${column}`;
      return column;
    })
    .join(", ");
}

/** Replaces the numbers of names by their texts. */
export async function withTexts(names: Names, columns: Columns, rows: readonly MovedRow[]): Promise<MovedRow[]> {
  const named = namedColumns(columns);
  if (named.length === 0) return [...rows];
  const text = await names.read(rows.flatMap((row) => named.map((column) => row[column] as number)));
  return rows.map((row) => ({
    ...row,
    ...Object.fromEntries(named.map((column) => [column, text(row[column] as number) ?? null])),
  }));
}

/** Numbers of all names in some rows, which are made if necessary. */
export function makeNames(
  names: Names,
  tables: readonly (readonly [Columns, readonly MovedRow[]])[],
): Promise<NameNumbers> {
  const texts = tables.flatMap(([columns, rows]) => {
    const named = namedColumns(columns);
    return rows.flatMap((row) => named.flatMap((column) => (row[column] as string | null) ?? []));
  });
  return names.make(texts);
}

function namedColumns(columns: Columns): readonly string[] {
  return Object.keys(columns).filter((column) => columns[column] === "name");
}

const types: Readonly<Record<ColumnKind, string>> = {
  number: "bigint",
  real: "float8",
  text: "text",
  name: "int",
  id: "uuid",
  hex: "text",
  bytes: "bytea",
  numbers: "text",
  ids: "text",
  words: "tsvector",
};

const casts: Partial<Record<ColumnKind, string>> = { numbers: "::bigint[]", ids: "::uuid[]" };

/** Values of one column, for `unnest`. */
type List = readonly (string | number | null | Uint8Array)[];

/** A statement that adds rows, leaving out those that are there, and its values. */
export function insertion(
  table: string,
  columns: Columns,
  rows: readonly MovedRow[],
  numbers: NameNumbers,
): { sql: string; values: readonly List[] } {
  const entries = Object.entries(columns);
  const list = entries.map(([column]) => column).join(", ");
  return {
    sql: `INSERT INTO holdfast.${table} (${list}) OVERRIDING SYSTEM VALUE
      SELECT ${entries.map(([column, kind]) => `${column}${casts[kind] ?? ""}`).join(", ")}
      FROM unnest(${entries.map(([, kind], n) => `$${n + 1}::${types[kind]}[]`).join(", ")}) AS u (${list})
      ON CONFLICT DO NOTHING`,
    values: entries.map(([column, kind]) => rows.map((row) => columnValue(kind, row[column], numbers))),
  };
}

function columnValue(kind: ColumnKind, value: MovedValue | undefined, numbers: NameNumbers): MovedValue {
  if (kind === "name") return numbers.number((value ?? undefined) as string | undefined);
  if (kind === "numbers" || kind === "ids") return `{${value}}`;
  return value ?? null;
}

/** A condition on the owner columns, with parameters from `first` on. */
export function ownerCondition(table: LastingTable, comparison: ">" | "<=", first: number): string {
  return `(${table.owner.join(", ")}) ${comparison} (${table.owner
    .map((column, n) => `$${first + n}::${types[table.columns[column] ?? "number"]}`)
    .join(", ")})`;
}

/** A condition that finds the rows of some owners, each of whose columns is a list. */
export function ownersCondition(table: LastingTable): string {
  const lists = table.owner.map((column, n) => `$${n + 1}::${types[table.columns[column] ?? "number"]}[]`).join(", ");
  return `(${table.owner.join(", ")}) IN (SELECT * FROM unnest(${lists}))`;
}
