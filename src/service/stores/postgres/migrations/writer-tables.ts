/** Who writes, how far each writer is, and what is handed out once: ids of rows, names, parts and issue numbers. */
export const writerTables = `CREATE TABLE holdfast.writer (
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
) WITH (fillfactor = 50);`;

/** Counts of batches until they are added to the counters, and the order in which batches came. */
export const batchTables = `CREATE TABLE holdfast.delta (
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
CREATE INDEX arrival_project ON holdfast.arrival (project, xid);`;
