import { weekMs } from "../weeks.ts";
import { type BatchTable, columnsOf, columnTypes, tables } from "./batch-columns.ts";
import { locks } from "./locks.ts";

/** The parameters of `file_batch` before the columns: writer, position before, position after, parts to look in. */
const firstColumn = 5;

/** Clocks of machines and two deliveries of one event differ by less. */
const nearEndMs = 60_000;
/** As many locks as one batch takes at most. */
const eventIdLocks = 1_024;

/**
 * Each step brings the database from version n to n + 1, in one transaction. Steps are only ever appended. A step must
 * leave the processes of the version before able to go on: what they use goes in a later step.
 */
export const migrations: readonly string[] = [
  `CREATE TABLE holdfast.writer (
  id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL UNIQUE, position bigint NOT NULL DEFAULT 0,
  confirmed bigint NOT NULL DEFAULT 0, seen_at timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 50);
CREATE SEQUENCE holdfast.row_block;
CREATE TABLE holdfast.name (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, text text NOT NULL UNIQUE);
CREATE TABLE holdfast.part (
  id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL UNIQUE,
  starts_at bigint NOT NULL, ends_at bigint NOT NULL
);
CREATE TABLE holdfast.project_number (
  project int PRIMARY KEY, last_issue int NOT NULL DEFAULT 0, hour bigint NOT NULL DEFAULT 0, new_in_hour int NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

CREATE TABLE holdfast.issue (
  id bigint PRIMARY KEY, project int NOT NULL, number int NOT NULL, status text NOT NULL, state text NOT NULL,
  type text, title text NOT NULL, culprit text, level text NOT NULL, platform text, route text,
  first_seen bigint NOT NULL, last_seen bigint NOT NULL, events bigint NOT NULL, visitors bigint NOT NULL,
  first_release text, last_release text, last_event uuid NOT NULL, assignee text, merged_into bigint,
  fixed_in text, fixed_after text, regressed_in text, UNIQUE (project, number)
) WITH (fillfactor = 60);
CREATE INDEX issue_last_seen ON holdfast.issue (project, status, last_seen, id);
CREATE INDEX issue_first_seen ON holdfast.issue (project, status, first_seen, id);
CREATE INDEX issue_events ON holdfast.issue (project, status, events, id);
CREATE INDEX issue_visitors ON holdfast.issue (project, status, visitors, id);
CREATE INDEX issue_first_release ON holdfast.issue (project, first_release, status);
CREATE INDEX issue_fixed_in ON holdfast.issue (project, fixed_in) WHERE fixed_in IS NOT NULL;
CREATE INDEX issue_fixed_after ON holdfast.issue (project, fixed_after) WHERE fixed_after IS NOT NULL;
CREATE INDEX issue_regressed_in ON holdfast.issue (project, regressed_in) WHERE regressed_in IS NOT NULL;
CREATE INDEX issue_merged_into ON holdfast.issue (merged_into) WHERE merged_into IS NOT NULL;
CREATE TABLE holdfast.issue_history (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, issue bigint NOT NULL, at bigint NOT NULL, by text NOT NULL,
  what text NOT NULL
);
CREATE INDEX issue_history_issue ON holdfast.issue_history (issue, id);
CREATE TABLE holdfast.issue_group (
  id bigint PRIMARY KEY, issue bigint NOT NULL, project int NOT NULL, version int NOT NULL, rule text NOT NULL,
  parts text NOT NULL, texts int NOT NULL DEFAULT 0, events bigint NOT NULL DEFAULT 0, visitors bigint NOT NULL DEFAULT 0,
  registers bytea, first_seen bigint NOT NULL, last_seen bigint NOT NULL,
  type text, title text, culprit text, level text, last_release text, last_event uuid
) WITH (fillfactor = 60);
CREATE INDEX issue_group_issue ON holdfast.issue_group (issue);
ALTER TABLE holdfast.issue_group ALTER registers SET STORAGE EXTERNAL;
CREATE TABLE holdfast.fingerprint (project int NOT NULL, hash bytea NOT NULL, grp bigint NOT NULL, PRIMARY KEY (project, hash));
CREATE INDEX fingerprint_group ON holdfast.fingerprint (grp);
CREATE TABLE holdfast.group_hour (
  grp bigint NOT NULL, hour int NOT NULL, environment int NOT NULL, release int NOT NULL, n bigint NOT NULL,
  PRIMARY KEY (grp, hour, environment, release)
) WITH (fillfactor = 80);
CREATE TABLE holdfast.group_day (
  grp bigint NOT NULL, day int NOT NULL, environment int NOT NULL, n bigint NOT NULL, PRIMARY KEY (grp, day, environment)
) WITH (fillfactor = 80);
CREATE TABLE holdfast.group_visitor (grp bigint NOT NULL, visitor bigint NOT NULL, PRIMARY KEY (grp, visitor));
CREATE TABLE holdfast.group_tag (
  grp bigint NOT NULL, key int NOT NULL, value int NOT NULL, n bigint NOT NULL, PRIMARY KEY (grp, key, value)
) WITH (fillfactor = 70);
CREATE INDEX group_tag_value ON holdfast.group_tag (key, value, grp);
CREATE TABLE holdfast.group_release (
  grp bigint NOT NULL, release int NOT NULL, first_seen bigint NOT NULL, last_seen bigint NOT NULL, n bigint NOT NULL,
  PRIMARY KEY (grp, release)
) WITH (fillfactor = 70);
CREATE INDEX group_release_release ON holdfast.group_release (release, grp);
CREATE TABLE holdfast.group_text (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, grp bigint NOT NULL, text text NOT NULL, words tsvector NOT NULL
);
CREATE INDEX group_text_group ON holdfast.group_text (grp);
CREATE INDEX group_text_words ON holdfast.group_text USING gin (words) WITH (fastupdate = off);

CREATE TABLE holdfast.release (
  project int NOT NULL, name text NOT NULL, first_seen bigint NOT NULL, last_seen bigint NOT NULL, events bigint NOT NULL,
  PRIMARY KEY (project, name)
) WITH (fillfactor = 50);
CREATE TABLE holdfast.release_chunk (
  project int NOT NULL, release int NOT NULL, debug_id text NOT NULL, file text NOT NULL,
  mapped bigint NOT NULL, unmapped bigint NOT NULL, last_event uuid NOT NULL, PRIMARY KEY (project, release, debug_id)
);
CREATE TABLE holdfast.release_commits (
  project int NOT NULL, release text NOT NULL, commits text NOT NULL, PRIMARY KEY (project, release)
);
CREATE TABLE holdfast.sketch_hour (
  project int NOT NULL, hour int NOT NULL, route int NOT NULL, packed bytea NOT NULL, PRIMARY KEY (project, hour, route)
) WITH (fillfactor = 70);
CREATE TABLE holdfast.sketch_day (
  project int NOT NULL, day int NOT NULL, route int NOT NULL, packed bytea NOT NULL, PRIMARY KEY (project, day, route)
) WITH (fillfactor = 70);
CREATE TABLE holdfast.sketch_release (
  project int NOT NULL, release int NOT NULL, packed bytea NOT NULL, PRIMARY KEY (project, release)
) WITH (fillfactor = 50);
CREATE TABLE holdfast.count_hour (
  project int NOT NULL, hour int NOT NULL, name int NOT NULL, route int NOT NULL, label int NOT NULL, n float8 NOT NULL,
  PRIMARY KEY (project, hour, name, route, label)
) WITH (fillfactor = 70);
CREATE TABLE holdfast.count_day (
  project int NOT NULL, day int NOT NULL, name int NOT NULL, route int NOT NULL, label int NOT NULL, n float8 NOT NULL,
  PRIMARY KEY (project, day, name, route, label)
) WITH (fillfactor = 70);
CREATE TABLE holdfast.session_hour (
  project int NOT NULL, hour int NOT NULL, release int NOT NULL, environment int NOT NULL,
  started bigint NOT NULL, errored bigint NOT NULL, crashed bigint NOT NULL, abnormal bigint NOT NULL,
  PRIMARY KEY (project, hour, release, environment)
) WITH (fillfactor = 70);
CREATE TABLE holdfast.discard_hour (
  project int NOT NULL, hour int NOT NULL, reason int NOT NULL, category int NOT NULL, n bigint NOT NULL,
  PRIMARY KEY (project, hour, reason, category)
) WITH (fillfactor = 70);
CREATE TABLE holdfast.feedback (
  id bigint PRIMARY KEY, project int NOT NULL, at bigint NOT NULL, event_id uuid, name text, email text, url text,
  message text NOT NULL
);
CREATE INDEX feedback_event ON holdfast.feedback (project, event_id);
CREATE INDEX feedback_at ON holdfast.feedback (project, at);
CREATE TABLE holdfast.monitor (
  project int NOT NULL, name text NOT NULL, environment text NOT NULL, last_status text NOT NULL, last_at bigint NOT NULL,
  last_duration float8, ok bigint NOT NULL, failed bigint NOT NULL, plan text, PRIMARY KEY (project, name, environment)
);
CREATE TABLE holdfast.map_file (hash bytea PRIMARY KEY, packed bytea NOT NULL);
ALTER TABLE holdfast.map_file ALTER packed SET STORAGE EXTERNAL;
CREATE TABLE holdfast.source_map (
  project int NOT NULL, debug_id text NOT NULL, release text, hash bytea NOT NULL, added_at bigint NOT NULL,
  PRIMARY KEY (project, debug_id)
);
CREATE TABLE holdfast.gone (what text NOT NULL, why text NOT NULL, n bigint NOT NULL, PRIMARY KEY (what, why));

CREATE TABLE holdfast.delta (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, project int NOT NULL, events int NOT NULL, packed bytea NOT NULL,
  writer int NOT NULL, from_position bigint NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
ALTER TABLE holdfast.delta ALTER packed SET STORAGE EXTERNAL;
CREATE INDEX delta_project ON holdfast.delta (project, id);
CREATE TABLE holdfast.session_delta (
  project int NOT NULL, hour int NOT NULL, release text, environment text,
  started int NOT NULL, errored int NOT NULL, crashed int NOT NULL, abnormal int NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
CREATE INDEX session_delta_project ON holdfast.session_delta (project);
CREATE TABLE holdfast.arrival (
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(), project int NOT NULL, first_id bigint NOT NULL, last_id bigint NOT NULL,
  at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX arrival_project ON holdfast.arrival (project, xid);

CREATE TABLE holdfast.event (
  id bigint NOT NULL, at bigint NOT NULL, received_at bigint NOT NULL, grp bigint NOT NULL, visitor bigint, block bigint,
  project int NOT NULL, part int NOT NULL, route int NOT NULL, release int NOT NULL, environment int NOT NULL,
  event_id uuid NOT NULL, trace_id uuid, level int2 NOT NULL, slot int2
) PARTITION BY LIST (part);
CREATE UNIQUE INDEX event_event_id ON holdfast.event (event_id, project, part);
CREATE INDEX event_group ON holdfast.event (grp, at, id);
CREATE INDEX event_trace ON holdfast.event (trace_id) WHERE trace_id IS NOT NULL;
CREATE INDEX event_visitor ON holdfast.event (visitor, at) WHERE visitor IS NOT NULL;
CREATE INDEX event_id ON holdfast.event (project, id);
CREATE TABLE holdfast.other_id (
  other_id uuid NOT NULL, project int NOT NULL, part int NOT NULL, event bigint NOT NULL, PRIMARY KEY (other_id, project, part)
) PARTITION BY LIST (part);
CREATE INDEX other_id_event ON holdfast.other_id (event);
CREATE TABLE holdfast.visitor_alias (
  project int NOT NULL, part int NOT NULL, alias bigint NOT NULL, visitor bigint NOT NULL,
  PRIMARY KEY (project, alias, visitor, part)
) PARTITION BY LIST (part);
CREATE TABLE holdfast.body_block (
  id bigint NOT NULL, part int NOT NULL, refs bigint[] NOT NULL, packed bytea NOT NULL, PRIMARY KEY (part, id)
) PARTITION BY LIST (part);
ALTER TABLE holdfast.body_block ALTER packed SET STORAGE EXTERNAL;
CREATE TABLE holdfast.body_reference (
  id bigint NOT NULL, grp bigint NOT NULL, part int NOT NULL, packed bytea NOT NULL, PRIMARY KEY (part, id)
) PARTITION BY LIST (part);
ALTER TABLE holdfast.body_reference ALTER packed SET STORAGE EXTERNAL;
CREATE INDEX body_reference_group ON holdfast.body_reference (grp);
CREATE TABLE holdfast.span_block (
  id bigint NOT NULL, at bigint NOT NULL, key bigint NOT NULL, block bigint NOT NULL, project int NOT NULL,
  part int NOT NULL, trace_id uuid NOT NULL, slot int2 NOT NULL
) PARTITION BY LIST (part);
CREATE UNIQUE INDEX span_block_trace ON holdfast.span_block (trace_id, project, key, part);
CREATE TABLE holdfast.segment (
  at bigint NOT NULL, duration float8 NOT NULL, block bigint NOT NULL, visitor bigint, project int NOT NULL,
  part int NOT NULL, route int NOT NULL, status int NOT NULL, release int NOT NULL, environment int NOT NULL,
  trace_id uuid NOT NULL, span_id bytea NOT NULL, kind text NOT NULL
) PARTITION BY LIST (part);
CREATE UNIQUE INDEX segment_span ON holdfast.segment (trace_id, span_id, project, part);
CREATE INDEX segment_route ON holdfast.segment (project, route, at);
CREATE INDEX segment_visitor ON holdfast.segment (visitor, at) WHERE visitor IS NOT NULL;
CREATE INDEX segment_block ON holdfast.segment (project, block);
CREATE TABLE holdfast.session_fact (
  project int NOT NULL, part int NOT NULL, session_id text NOT NULL, fact int2 NOT NULL,
  PRIMARY KEY (project, session_id, fact, part)
) PARTITION BY LIST (part);
CREATE TABLE holdfast.log_block (
  id bigint NOT NULL, project int NOT NULL, part int NOT NULL, from_at bigint NOT NULL, to_at bigint NOT NULL,
  lines int NOT NULL, traces uuid[] NOT NULL, packed bytea NOT NULL, PRIMARY KEY (project, id, part)
) PARTITION BY LIST (part);
ALTER TABLE holdfast.log_block ALTER packed SET STORAGE EXTERNAL;
CREATE INDEX log_block_at ON holdfast.log_block (project, to_at);
CREATE INDEX log_block_trace ON holdfast.log_block USING gin (traces) WITH (fastupdate = off);
CREATE TABLE holdfast.attachment (
  id bigint NOT NULL, project int NOT NULL, part int NOT NULL, event_id uuid NOT NULL, filename text NOT NULL,
  content_type text, packed bytea NOT NULL
) PARTITION BY LIST (part);
ALTER TABLE holdfast.attachment ALTER packed SET STORAGE EXTERNAL;
CREATE INDEX attachment_event ON holdfast.attachment (event_id, project);

${fileBatch(1)}`,
  // As in the data folder of a service without PostgreSQL: `src/service/accounts/open-database.ts`.
  `CREATE TABLE holdfast.account (email text PRIMARY KEY, password text NOT NULL, roles text NOT NULL);
CREATE TABLE holdfast.session (
  hash text PRIMARY KEY, email text NOT NULL REFERENCES holdfast.account ON DELETE CASCADE, began bigint NOT NULL,
  used bigint NOT NULL
);
CREATE INDEX session_email ON holdfast.session (email);
CREATE TABLE holdfast.device (
  hash text PRIMARY KEY, email text NOT NULL REFERENCES holdfast.account ON DELETE CASCADE, used bigint NOT NULL
);
CREATE INDEX device_email ON holdfast.device (email);
CREATE TABLE holdfast.attempt (name text PRIMARY KEY, count int NOT NULL, failed bigint NOT NULL, until bigint NOT NULL);
CREATE INDEX attempt_failed ON holdfast.attempt (failed);
CREATE TABLE holdfast.invite (hash text PRIMARY KEY, email text, roles text NOT NULL, ends bigint NOT NULL);
CREATE TABLE holdfast.project_invite (
  hash text PRIMARY KEY, email text NOT NULL, project int NOT NULL, role text NOT NULL, ends bigint NOT NULL
);
CREATE TABLE holdfast.audit (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at bigint NOT NULL, by text NOT NULL, project int, what text NOT NULL
);
CREATE INDEX audit_project ON holdfast.audit (project, id);
CREATE TABLE holdfast.document (name text PRIMARY KEY, value jsonb NOT NULL, version bigint NOT NULL);`,
  `CREATE TABLE holdfast.lease (name text PRIMARY KEY, holder text NOT NULL, term bigint NOT NULL, until timestamptz NOT NULL);
ALTER TABLE holdfast.delta ADD at timestamptz NOT NULL DEFAULT now();
ALTER TABLE holdfast.session_delta ADD at timestamptz NOT NULL DEFAULT now();

${fileBatch(2)}`,
  // What machines share beside the reports: files for the tabs of other builds, and what the doctor compares.
  `CREATE TABLE holdfast.browser_build (
  application text NOT NULL, build text NOT NULL, used_at timestamptz NOT NULL, PRIMARY KEY (application, build)
);
CREATE TABLE holdfast.browser_file (
  application text NOT NULL, build text NOT NULL, path text NOT NULL, type text NOT NULL, hash text NOT NULL,
  bytes bigint NOT NULL, encodings text[] NOT NULL, PRIMARY KEY (application, build, path),
  FOREIGN KEY (application, build) REFERENCES holdfast.browser_build ON DELETE CASCADE
);
CREATE INDEX browser_file_hash ON holdfast.browser_file (application, hash);
CREATE TABLE holdfast.browser_content (
  application text NOT NULL, hash text NOT NULL, encoding text NOT NULL, content bytea NOT NULL,
  PRIMARY KEY (application, hash, encoding)
);
ALTER TABLE holdfast.browser_content ALTER content SET STORAGE EXTERNAL;
CREATE TABLE holdfast.machine (
  writer text PRIMARY KEY, host text NOT NULL, kind text NOT NULL, version text NOT NULL, build text, secret text,
  seen_at timestamptz NOT NULL DEFAULT now()
);`,
  // Runs of a task and what their evaluation has found, both as JSON; and when tasks were evaluated last.
  `ALTER TABLE holdfast.monitor ADD first_at bigint, ADD muted int NOT NULL DEFAULT 0,
  ADD runs text NOT NULL DEFAULT '[]', ADD watch text;
CREATE TABLE holdfast.watched (at bigint NOT NULL);`,
  // Messages of alerts until they are sent, and how far each rule has looked.
  `CREATE INDEX issue_history_regressed ON holdfast.issue_history (id)
  WHERE by = 'events' AND what::jsonb #>> '{to,kind}' = 'regressed';
CREATE TABLE holdfast.alert_notice (
  id text PRIMARY KEY, project int NOT NULL, channel text NOT NULL, subject text NOT NULL, state text NOT NULL,
  tries int NOT NULL, message text NOT NULL, due_at bigint NOT NULL, created_at bigint NOT NULL, ended_at bigint,
  why text, failed_at bigint
);
CREATE INDEX alert_notice_due ON holdfast.alert_notice (state, due_at);
CREATE INDEX alert_notice_created ON holdfast.alert_notice (project, created_at);
CREATE INDEX alert_notice_subject ON holdfast.alert_notice (channel, subject, created_at);
CREATE TABLE holdfast.alert_cursor (
  project int NOT NULL, name text NOT NULL, value bigint NOT NULL, PRIMARY KEY (project, name)
);`,
  // Chunks of uploads until their bundle is assembled, in base64.
  `CREATE TABLE holdfast.upload_chunk (
  project int NOT NULL, hash text NOT NULL, content text NOT NULL, bytes bigint NOT NULL, added_at bigint NOT NULL,
  PRIMARY KEY (project, hash)
);
ALTER TABLE holdfast.upload_chunk ALTER content SET STORAGE EXTERNAL;
CREATE TABLE holdfast.upload_bundle (
  project int NOT NULL, hash text NOT NULL, added_at bigint NOT NULL, PRIMARY KEY (project, hash)
);`,
  // As in the data folder of a service without PostgreSQL: `src/service/shared/schedule-claims.ts`.
  `CREATE TABLE holdfast.schedule (
  application text NOT NULL, name text NOT NULL, due_at bigint NOT NULL, holder text NOT NULL, until bigint NOT NULL,
  PRIMARY KEY (application, name)
);`,
  // As in a data folder: ids of feedback, what else is known about it, and when a person has put it aside.
  `ALTER TABLE holdfast.feedback ADD own_id uuid, ADD facts text, ADD archived_at bigint;
CREATE UNIQUE INDEX feedback_own_id ON holdfast.feedback (project, own_id) WHERE own_id IS NOT NULL;
CREATE INDEX feedback_archived ON holdfast.feedback (project, (archived_at IS NULL), at, id);

${fileBatch(3)}`,
];

/** The tables of which each part of the time has its own. */
export const partitioned: readonly string[] = [
  "event",
  "other_id",
  "visitor_alias",
  "body_block",
  "body_reference",
  "span_block",
  "segment",
  "session_fact",
  "log_block",
  "attachment",
];

/**
 * One batch of one writer: one statement, one transaction, one round trip. It refuses with HF001 where the writer is
 * not where it believes to be, with HF002 where something is there already, with HF003 where a group is not there, and
 * with HF004 where a part is not there or has another time by now.
 */
function fileBatch(version: 1 | 2 | 3): string {
  const types = ["int", "bigint", "bigint", "int[]", ...columnTypes()];
  const insert = (table: BatchTable, order = ""): string =>
    `INSERT INTO holdfast.${table} (${columnsOf(table).join(", ")}) SELECT ${columnsOf(table)
      .map((column) => castOf(table, column))
      .join(", ")} FROM unnest(${parametersOf(table)}) AS u (${columnsOf(table).join(", ")})${order}`;
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
  INSERT INTO holdfast.session_delta
  SELECT given.project, given.hour, given.release, given.environment,
    count(*) FILTER (WHERE given.fact = 0), count(*) FILTER (WHERE given.fact = 1),
    count(*) FILTER (WHERE given.fact = 2), count(*) FILTER (WHERE given.fact = 3)
  FROM made JOIN given USING (project, part, session_id, fact)
  GROUP BY given.project, given.hour, given.release, given.environment;
  ${insert("log_block")};
  ${insert("attachment")};
  ${version === 3 ? ignoring("feedback", " ORDER BY u.own_id") : `${insert("feedback")};`}
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
