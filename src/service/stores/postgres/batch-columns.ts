/**
 * What one call of `file_batch_1` writes: for each table its columns, and the type of each. The function is made from
 * this list by the first migration, so the list never changes; another list is another function with another number.
 */
export const batchColumns = {
  event: {
    id: "bigint",
    at: "bigint",
    received_at: "bigint",
    grp: "bigint",
    visitor: "bigint",
    block: "bigint",
    project: "int",
    part: "int",
    route: "int",
    release: "int",
    environment: "int",
    event_id: "uuid",
    trace_id: "uuid",
    level: "int2",
    slot: "int2",
  },
  other_id: { other_id: "uuid", project: "int", part: "int", event: "bigint" },
  visitor_alias: { project: "int", part: "int", alias: "bigint", visitor: "bigint" },
  body_block: { id: "bigint", part: "int", refs: "text", packed: "bytea" },
  body_reference: { id: "bigint", grp: "bigint", part: "int", packed: "bytea" },
  span_block: {
    id: "bigint",
    at: "bigint",
    key: "bigint",
    block: "bigint",
    project: "int",
    part: "int",
    trace_id: "uuid",
    slot: "int2",
  },
  segment: {
    at: "bigint",
    duration: "float8",
    block: "bigint",
    visitor: "bigint",
    project: "int",
    part: "int",
    route: "int",
    status: "int",
    release: "int",
    environment: "int",
    trace_id: "uuid",
    span_id: "bytea",
    kind: "text",
  },
  session_fact: {
    project: "int",
    part: "int",
    session_id: "text",
    fact: "int2",
    hour: "int",
    release: "text",
    environment: "text",
    quarter: "int",
  },
  log_block: {
    id: "bigint",
    project: "int",
    part: "int",
    from_at: "bigint",
    to_at: "bigint",
    lines: "int",
    traces: "text",
    packed: "bytea",
  },
  attachment: {
    id: "bigint",
    project: "int",
    part: "int",
    event_id: "uuid",
    filename: "text",
    content_type: "text",
    packed: "bytea",
  },
  feedback: {
    id: "bigint",
    project: "int",
    at: "bigint",
    event_id: "uuid",
    name: "text",
    email: "text",
    url: "text",
    message: "text",
    own_id: "uuid",
    facts: "text",
  },
  delta: { project: "int", events: "int", packed: "bytea" },
  arrival: { project: "int", first_id: "bigint", last_id: "bigint" },
} as const;

export type BatchTable = keyof typeof batchColumns;
export type Column<Table extends BatchTable> = keyof (typeof batchColumns)[Table];

/** One row, as it is laid into the columns. */
export type BatchRow<Table extends BatchTable> = Readonly<Record<Column<Table>, string | number | null | Uint8Array>>;

export type BatchRows = { readonly [Table in BatchTable]: BatchRow<Table>[] };

export function noRows(): BatchRows {
  // The compiler does not follow the names of the tables through the entries.
  return Object.fromEntries(tables().map((table) => [table, []])) as unknown as BatchRows;
}

export function tables(): readonly BatchTable[] {
  return Object.keys(batchColumns) as BatchTable[];
}

export function columnsOf(table: BatchTable): readonly string[] {
  return Object.keys(batchColumns[table]);
}

/** The types of all columns, in the order in which the function takes them. */
export function columnTypes(): readonly string[] {
  return tables().flatMap((table) => Object.values(batchColumns[table]).map((type) => `${type}[]`));
}

/** One list of values for each column, in the same order. */
export function columnValues(rows: BatchRows): (string | number | null | Uint8Array)[][] {
  return tables().flatMap((table) => {
    const list = rows[table] as readonly Readonly<Record<string, string | number | null | Uint8Array>>[];
    return columnsOf(table).map((column) => list.map((row) => row[column] ?? null));
  });
}
