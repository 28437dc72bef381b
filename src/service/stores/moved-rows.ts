/** A value of a moved row, the same whichever store it comes from. Ids are hexadecimal text. */
export type MovedValue = string | number | null | Uint8Array;
export type MovedRow = Readonly<Record<string, MovedValue>>;

/**
 * How a store keeps a value: `name` by number in its table of names, `id` as 16 bytes or a uuid, `hex` as bytes or
 * text. `numbers` and `ids` are lists, here joined by commas.
 */
export type MovedKind = "number" | "real" | "text" | "name" | "id" | "hex" | "bytes" | "numbers" | "ids";

type Columns = Readonly<Record<string, MovedKind>>;

/** A table that outlives the partitions. All rows with the same owner are compared and replaced together. */
export interface LastingTable {
  readonly name: string;
  /** Numbers or bytes, which both stores sort alike. */
  readonly owner: readonly string[];
  readonly columns: Columns;
}

const shown = {
  type: "text",
  title: "text",
  culprit: "text",
  level: "text",
  last_release: "text",
  last_event: "id",
} as const;

export const lastingTables: readonly LastingTable[] = [
  {
    name: "issue",
    owner: ["id"],
    columns: {
      ...shown,
      id: "number",
      project: "number",
      number: "number",
      status: "text",
      state: "text",
      platform: "text",
      route: "text",
      first_seen: "number",
      last_seen: "number",
      events: "number",
      visitors: "number",
      stuck: "number",
      first_release: "text",
      assignee: "text",
      ticket: "text",
      merged_into: "number",
    },
  },
  {
    name: "issue_history",
    owner: ["id"],
    columns: { id: "number", issue: "number", at: "number", by: "text", what: "text" },
  },
  {
    name: "issue_group",
    owner: ["id"],
    columns: {
      ...shown,
      id: "number",
      issue: "number",
      project: "number",
      version: "number",
      rule: "text",
      parts: "text",
      texts: "number",
      events: "number",
      visitors: "number",
      stuck: "number",
      registers: "bytes",
      first_seen: "number",
      last_seen: "number",
    },
  },
  {
    name: "fingerprint",
    owner: ["project", "hash"],
    columns: { project: "number", hash: "bytes", grp: "number" },
  },
  {
    name: "group_hour",
    owner: ["grp"],
    columns: { grp: "number", hour: "number", environment: "name", release: "name", n: "number" },
  },
  { name: "group_day", owner: ["grp"], columns: { grp: "number", day: "number", environment: "name", n: "number" } },
  { name: "group_visitor", owner: ["grp"], columns: { grp: "number", visitor: "number" } },
  { name: "group_tag", owner: ["grp"], columns: { grp: "number", key: "name", value: "name", n: "number" } },
  {
    name: "group_release",
    owner: ["grp"],
    columns: { grp: "number", release: "name", first_seen: "number", last_seen: "number", n: "number" },
  },
  { name: "group_text", owner: ["grp"], columns: { grp: "number", text: "text" } },
  {
    name: "release",
    owner: ["project"],
    columns: { project: "number", name: "text", first_seen: "number", last_seen: "number", events: "number" },
  },
  {
    name: "release_chunk",
    owner: ["project"],
    columns: {
      project: "number",
      release: "name",
      debug_id: "hex",
      file: "text",
      mapped: "number",
      unmapped: "number",
      last_event: "id",
    },
  },
  {
    name: "release_commits",
    owner: ["project"],
    columns: { project: "number", release: "text", commits: "text" },
  },
  {
    name: "sketch_hour",
    owner: ["project", "hour"],
    columns: { project: "number", hour: "number", route: "name", packed: "bytes" },
  },
  {
    name: "sketch_day",
    owner: ["project", "day"],
    columns: { project: "number", day: "number", route: "name", packed: "bytes" },
  },
  {
    name: "sketch_release",
    owner: ["project"],
    columns: { project: "number", release: "name", packed: "bytes" },
  },
  {
    name: "count_hour",
    owner: ["project", "hour"],
    columns: { project: "number", hour: "number", name: "name", route: "name", label: "name", n: "real" },
  },
  {
    name: "count_day",
    owner: ["project", "day"],
    columns: { project: "number", day: "number", name: "name", route: "name", label: "name", n: "real" },
  },
  {
    name: "session_hour",
    owner: ["project", "hour"],
    columns: {
      project: "number",
      hour: "number",
      release: "name",
      environment: "name",
      started: "number",
      errored: "number",
      crashed: "number",
      abnormal: "number",
    },
  },
  {
    name: "traffic_quarter",
    owner: ["project", "quarter"],
    columns: {
      project: "number",
      quarter: "number",
      errors: "number",
      error_pages: "number",
      visits: "number",
      failed_visits: "number",
    },
  },
  {
    name: "affected_hour",
    owner: ["project", "hour"],
    columns: { project: "number", hour: "number", packed: "bytes" },
  },
  {
    name: "discard_hour",
    owner: ["project", "hour"],
    columns: { project: "number", hour: "number", reason: "name", category: "name", n: "number" },
  },
  {
    name: "feedback",
    owner: ["id"],
    columns: {
      id: "number",
      project: "number",
      at: "number",
      event_id: "id",
      name: "text",
      email: "text",
      url: "text",
      message: "text",
      own_id: "id",
      facts: "text",
      archived_at: "number",
    },
  },
  {
    name: "monitor",
    owner: ["project"],
    columns: {
      project: "number",
      name: "text",
      environment: "text",
      last_status: "text",
      last_at: "number",
      last_duration: "real",
      ok: "number",
      failed: "number",
      plan: "text",
      first_at: "number",
      muted: "number",
      runs: "text",
      watch: "text",
    },
  },
  { name: "watched", owner: [], columns: { at: "number" } },
  { name: "map_file", owner: ["hash"], columns: { hash: "bytes", packed: "bytes" } },
  {
    name: "source_map",
    owner: ["project"],
    columns: { project: "number", debug_id: "hex", release: "text", hash: "bytes", added_at: "number" },
  },
  { name: "new_issues", owner: ["project"], columns: { project: "number", hour: "number", n: "number" } },
  { name: "gone", owner: [], columns: { what: "text", why: "text", n: "number" } },
  {
    name: "erased",
    owner: ["project"],
    columns: { project: "number", kind: "text", hash: "number", at: "number" },
  },
];

/** Tables of which each partition has its own. */
export type PartTable =
  | "body_reference"
  | "body_block"
  | "event"
  | "other_id"
  | "visitor_alias"
  | "span_block"
  | "segment"
  | "session_fact"
  | "log_block"
  | "attachment";

export const partTables: Readonly<Record<PartTable, Columns>> = {
  body_reference: { id: "number", grp: "number", packed: "bytes" },
  body_block: { id: "number", refs: "numbers", packed: "bytes" },
  event: {
    id: "number",
    at: "number",
    received_at: "number",
    grp: "number",
    visitor: "number",
    block: "number",
    project: "number",
    route: "name",
    release: "name",
    environment: "name",
    event_id: "id",
    trace_id: "id",
    level: "number",
    slot: "number",
  },
  other_id: { other_id: "id", project: "number", event: "number" },
  visitor_alias: { project: "number", alias: "number", visitor: "number" },
  span_block: {
    id: "number",
    at: "number",
    key: "number",
    block: "number",
    project: "number",
    trace_id: "id",
    slot: "number",
  },
  segment: {
    at: "number",
    duration: "real",
    block: "number",
    visitor: "number",
    project: "number",
    route: "name",
    status: "name",
    release: "name",
    environment: "name",
    trace_id: "id",
    span_id: "bytes",
    kind: "text",
  },
  session_fact: { project: "number", session_id: "text", fact: "number" },
  log_block: {
    id: "number",
    project: "number",
    from_at: "number",
    to_at: "number",
    lines: "number",
    traces: "ids",
    packed: "bytes",
  },
  attachment: {
    id: "number",
    project: "number",
    event_id: "id",
    filename: "text",
    content_type: "text",
    packed: "bytes",
  },
};

export type PartRows = Partial<Record<PartTable, readonly MovedRow[]>>;

export function partTableNames(): readonly PartTable[] {
  return Object.keys(partTables) as PartTable[];
}

export interface MovedPart {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** Some rows of a partition, and where reading goes on after them. */
export interface RowChunk {
  readonly rows: PartRows;
  readonly cursor: string;
}

/** Some owners of a table: those after one, up to and including another. */
export interface OwnerRange {
  readonly after?: readonly MovedValue[] | undefined;
  readonly upTo?: readonly MovedValue[] | undefined;
}

export interface EventKey {
  readonly eventId: string;
  readonly project: number;
}

/** A store as a move reads it. Another process may write to it meanwhile. */
export interface MoveReader {
  /** The same for the same store, wherever it is read. */
  identity(): Promise<string>;
  /** Oldest first. */
  parts(): Promise<readonly MovedPart[]>;
  /** Rows that were added since the cursor, or all. Ends with what is there now. */
  rows(part: MovedPart, cursor: string | undefined): AsyncIterable<RowChunk>;
  /** Rows of a table in the order of their owners. With `atMost`, it may end in the middle of an owner. */
  lasting(table: LastingTable, range: OwnerRange, atMost?: number): Promise<readonly MovedRow[]>;
  /** Above every id in it. */
  idsEnd(): Promise<number>;
  /** Amounts in a partition, by what is counted. */
  amounts(part: MovedPart): Promise<ReadonlyMap<string, number>>;
  /** Second ids of the events in these rows. */
  otherIds(part: MovedPart, rows: readonly number[]): Promise<ReadonlyMap<number, string>>;
  /** Sorted by id and project. */
  eventIds(part: MovedPart, after: EventKey | undefined, atMost: number): Promise<readonly EventKey[]>;
  close(): Promise<void>;
}

/** The store that a move fills. No other process uses it before the move is finished. */
export interface MoveTarget extends MoveReader {
  /** Whether an earlier move into it is to be continued. Refuses a store that has something else in it. */
  begin(source: string): Promise<"begun" | "continued">;
  /** Where reading of a partition goes on. Creates the partition, and takes over its changed limits. */
  cursor(part: MovedPart): Promise<string | undefined>;
  /** Adds the rows that are not there yet and moves the cursor, or does neither. */
  add(part: MovedPart, chunk: RowChunk): Promise<void>;
  /** Deletes a partition with its cursor. */
  removePart(part: MovedPart): Promise<void>;
  /** Deletes the rows of these owners, and adds the rows. */
  replace(table: LastingTable, owners: readonly (readonly MovedValue[])[], rows: readonly MovedRow[]): Promise<void>;
  /** Makes it a store that a service opens. */
  finish(end: MoveEnd): Promise<void>;
}

export interface MoveEnd {
  readonly idsEnd: number;
  /** Journal position before which everything is in the store, and the data folder that the journal is in. */
  readonly journal: { readonly writer: string; readonly position: number } | undefined;
}

export function ownerOf(table: LastingTable, row: MovedRow): readonly MovedValue[] {
  return table.owner.map((column) => row[column] ?? null);
}

export function keyOfValues(values: readonly MovedValue[]): string {
  return JSON.stringify(
    values.map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value)),
  );
}
