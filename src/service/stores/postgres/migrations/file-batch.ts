import { weekMs } from "../../weeks.ts";
import { type BatchTable, columnsOf, columnTypes, tables } from "../batch-columns.ts";
import { locks } from "../locks.ts";

/** The parameters of `file_batch` before the columns: writer, position before, position after, parts to look in. */
const firstColumn = 5;

/** Clocks of machines and two deliveries of one event differ by less. */
const nearEndMs = 60_000;
/** As many locks as one batch takes at most. */
const eventIdLocks = 1_024;

/**
 * One batch of one writer: one statement, one transaction, one round trip. It refuses with HF001 where the writer is
 * not where it believes to be, with HF002 where something is there already, with HF003 where a group is not there, and
 * with HF004 where a part is not there or has another time by now.
 */
export function fileBatch(version: 1 | 2 | 3 | 4): string {
  const types = ["int", "bigint", "bigint", "int[]", ...columnTypes()];
  const insert = (table: BatchTable, order = ""): string =>
    `INSERT INTO holdfast.${table} (${columnsOf(table).join(", ")}) SELECT ${columnsOf(table)
      .map((column) => castOf(table, column))
      .join(", ")} FROM unnest(${parametersOf(table)}) AS u (${columnsOf(table).join(", ")})${order}`;
  const counts = ["started", "errored", "crashed", "abnormal", ...(version < 4 ? [] : ["quarter"])];
  const sessionColumns = ["project", "hour", "release", "environment", ...counts];
  const ignoring = (table: BatchTable, order = ""): string => `${insert(table, order)} ON CONFLICT DO NOTHING;`;
  return `CREATE FUNCTION holdfast.file_batch_${version}(${types.join(", ")}) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE written int; searched int[] := $4;
BEGIN
  UPDATE holdfast.writer SET position = $3, seen_at = now() WHERE id = $1 AND position = $2;
  IF NOT FOUND THEN RAISE EXCEPTION 'another position' USING ERRCODE = 'HF001'; END IF;
  ${version === 1 ? "" : guardParts()}
  IF EXISTS (SELECT 1 FROM (SELECT DISTINCT unnest(${parameterOf("event", "grp")}) AS g) named
    WHERE NOT EXISTS (SELECT 1 FROM holdfast.issue_group WHERE id = named.g))
  THEN RAISE EXCEPTION 'unknown group' USING ERRCODE = 'HF003'; END IF;
  IF EXISTS (SELECT 1 FROM unnest(${parameterOf("event", "event_id")}, ${parameterOf("event", "project")}) AS u (i, p)
    JOIN holdfast.event e ON e.event_id = u.i AND e.project = u.p AND e.part = ANY (searched))
  THEN RAISE EXCEPTION 'duplicate' USING ERRCODE = 'HF002'; END IF;
  ${ignoring("event", " ORDER BY u.event_id")}
  GET DIAGNOSTICS written = ROW_COUNT;
  IF written <> cardinality(${parameterOf("event", "id")}) THEN RAISE EXCEPTION 'duplicate' USING ERRCODE = 'HF002'; END IF;
  ${ignoring("span_block", " ORDER BY u.trace_id, u.key")}
  GET DIAGNOSTICS written = ROW_COUNT;
  IF written <> cardinality(${parameterOf("span_block", "id")}) THEN RAISE EXCEPTION 'duplicate' USING ERRCODE = 'HF002'; END IF;
  ${ignoring("other_id", " ORDER BY u.other_id")}
  ${ignoring("visitor_alias", " ORDER BY u.alias, u.visitor")}
  ${insert("body_block")};
  ${insert("body_reference")};
  ${ignoring("segment", " ORDER BY u.trace_id, u.span_id")}
  WITH given AS (
    SELECT * FROM unnest(${parametersOf("session_fact")}) AS u (${columnsOf("session_fact").join(", ")})
  ), made AS (
    INSERT INTO holdfast.session_fact (project, part, session_id, fact)
    SELECT project, part, session_id, fact FROM given ORDER BY session_id, fact ON CONFLICT DO NOTHING
    RETURNING project, part, session_id, fact
  )
  INSERT INTO holdfast.session_delta (${sessionColumns.join(", ")})
  SELECT given.project, given.hour, given.release, given.environment,
    count(*) FILTER (WHERE given.fact = 0), count(*) FILTER (WHERE given.fact = 1),
    count(*) FILTER (WHERE given.fact = 2), count(*) FILTER (WHERE given.fact = 3)${version < 4 ? "" : ", given.quarter"}
  FROM made JOIN given USING (project, part, session_id, fact)
  GROUP BY given.project, given.hour, given.release, given.environment${version < 4 ? "" : ", given.quarter"};
  ${insert("log_block")};
  ${insert("attachment")};
  ${version >= 3 ? ignoring("feedback", " ORDER BY u.own_id") : `${insert("feedback")};`}
  INSERT INTO holdfast.delta (project, events, packed, writer, from_position)
  SELECT u.*, $1, $2 FROM unnest(${parametersOf("delta")}) AS u;
  ${insert("arrival")};
END $$`;
}

/**
 * An event id is unique in a part. Two deliveries of one event on both sides of the end of a part are found by looking
 * into later parts too, and, if they are filed in the same moment, by a lock of the id. Locks are taken in one order,
 * so that no two batches wait for each other. A part does not end early while a batch is filed.
 */
function guardParts(): string {
  const [part, at, id, project] = (["part", "received_at", "event_id", "project"] as const).map((column) =>
    parameterOf("event", column),
  );
  return `PERFORM pg_advisory_xact_lock_shared(${locks.schema}, 2);
  IF EXISTS (SELECT 1 FROM unnest(${part}, ${at}) AS u (part, at) LEFT JOIN holdfast.part p ON p.id = u.part
    WHERE p.id IS NULL OR u.at < p.starts_at OR u.at >= p.ends_at)
  THEN RAISE EXCEPTION 'another part' USING ERRCODE = 'HF004'; END IF;
  PERFORM pg_advisory_xact_lock(${locks.eventId}, near.n) FROM (
    SELECT DISTINCT (hashtextextended(u.id::text, u.project) & ${eventIdLocks - 1})::int AS n
    FROM unnest(${id}, ${project}, ${part}, ${at}) AS u (id, project, part, at) JOIN holdfast.part p ON p.id = u.part
    WHERE u.at < p.starts_at + ${nearEndMs} OR u.at >= p.ends_at - ${nearEndMs} ORDER BY n
  ) near;
  searched := searched || ARRAY(
    SELECT later.id FROM holdfast.part later WHERE EXISTS (
      SELECT 1 FROM holdfast.part p
      WHERE p.id = ANY (${part}) AND later.starts_at >= p.ends_at AND later.starts_at < p.ends_at + ${weekMs}
    )
  );`;
}

/** Lists inside of a column come as text. */
function castOf(table: BatchTable, column: string): string {
  if (table === "body_block" && column === "refs") return "u.refs::bigint[]";
  if (table === "log_block" && column === "traces") return "u.traces::uuid[]";
  return `u.${column}`;
}

function parametersOf(table: BatchTable): string {
  return columnsOf(table)
    .map((column) => parameterOf(table, column))
    .join(", ");
}

/** The parameter that has the values of this column. */
function parameterOf(table: BatchTable, column: string): string {
  const before = tables()
    .slice(0, tables().indexOf(table))
    .reduce((sum, other) => sum + columnsOf(other).length, 0);
  return `$${firstColumn + before + columnsOf(table).indexOf(column)}`;
}
