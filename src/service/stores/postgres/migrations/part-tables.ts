/** Events, spans, sessions and logs. They are deleted with the part of the time that they belong to. */
export const partitionedTables = `CREATE TABLE holdfast.event (
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
CREATE INDEX attachment_event ON holdfast.attachment (event_id, project);`;

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
