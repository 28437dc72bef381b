/**
 * Each list is the migration history of one kind of file: step n migrates a file of version n to version n + 1. Steps
 * are only ever appended.
 *
 * Repeated texts (routes, releases, environments) are stored once per file in `name`. Each file has its own, so that a
 * week can be deleted or copied alone.
 */
const names = `
CREATE TABLE name (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE applied (one INTEGER PRIMARY KEY CHECK (one = 1), position INTEGER NOT NULL);
INSERT INTO applied VALUES (1, 0);
`;

/** Issues, counters and everything else that outlives an event. */
export const metaMigrations: readonly string[] = [
  `${names}
CREATE TABLE issue (
  id INTEGER PRIMARY KEY, project INTEGER NOT NULL, number INTEGER NOT NULL,
  status TEXT NOT NULL, state TEXT NOT NULL,
  type TEXT, title TEXT NOT NULL, culprit TEXT, level TEXT NOT NULL, platform TEXT, route TEXT,
  first_seen INTEGER NOT NULL, last_seen INTEGER NOT NULL, events INTEGER NOT NULL, visitors INTEGER NOT NULL,
  first_release TEXT, last_release TEXT, last_event BLOB NOT NULL, assignee TEXT, merged_into INTEGER
);
CREATE UNIQUE INDEX issue_number ON issue (project, number);
CREATE INDEX issue_last_seen ON issue (project, status, last_seen, id);
CREATE INDEX issue_first_seen ON issue (project, status, first_seen, id);
CREATE INDEX issue_events ON issue (project, status, events, id);
CREATE INDEX issue_visitors ON issue (project, status, visitors, id);
CREATE INDEX issue_first_release ON issue (project, first_release);

CREATE TABLE issue_history (id INTEGER PRIMARY KEY, issue INTEGER NOT NULL, at INTEGER NOT NULL, by TEXT NOT NULL, what TEXT NOT NULL);
CREATE INDEX issue_history_issue ON issue_history (issue, id);

CREATE TABLE issue_group (
  id INTEGER PRIMARY KEY, issue INTEGER NOT NULL, project INTEGER NOT NULL,
  version INTEGER NOT NULL, rule TEXT NOT NULL, parts TEXT NOT NULL, texts INTEGER NOT NULL DEFAULT 0,
  events INTEGER NOT NULL DEFAULT 0, visitors INTEGER NOT NULL DEFAULT 0, first_seen INTEGER NOT NULL, last_seen INTEGER NOT NULL
);
CREATE INDEX issue_group_issue ON issue_group (issue);
CREATE TABLE fingerprint (project INTEGER NOT NULL, hash BLOB NOT NULL, grp INTEGER NOT NULL, PRIMARY KEY (project, hash)) WITHOUT ROWID;
CREATE TABLE group_hour (
  grp INTEGER NOT NULL, hour INTEGER NOT NULL, environment INTEGER NOT NULL, release INTEGER NOT NULL, n INTEGER NOT NULL,
  PRIMARY KEY (grp, hour, environment, release)
) WITHOUT ROWID;
CREATE TABLE group_day (
  grp INTEGER NOT NULL, day INTEGER NOT NULL, environment INTEGER NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (grp, day, environment)
) WITHOUT ROWID;
CREATE TABLE group_visitor (grp INTEGER NOT NULL, visitor INTEGER NOT NULL, PRIMARY KEY (grp, visitor)) WITHOUT ROWID;
CREATE TABLE group_visitor_sketch (grp INTEGER PRIMARY KEY, registers BLOB NOT NULL);
CREATE TABLE group_tag (
  grp INTEGER NOT NULL, key INTEGER NOT NULL, value INTEGER NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (grp, key, value)
) WITHOUT ROWID;
CREATE INDEX group_tag_value ON group_tag (key, value, grp);
CREATE TABLE group_release (
  grp INTEGER NOT NULL, release INTEGER NOT NULL, first_seen INTEGER NOT NULL, last_seen INTEGER NOT NULL, n INTEGER NOT NULL,
  PRIMARY KEY (grp, release)
) WITHOUT ROWID;
CREATE INDEX group_release_release ON group_release (release, grp);
CREATE TABLE group_text_row (id INTEGER PRIMARY KEY, grp INTEGER NOT NULL);
CREATE INDEX group_text_row_group ON group_text_row (grp);
CREATE VIRTUAL TABLE group_text USING fts5 (text);

CREATE TABLE release (
  project INTEGER NOT NULL, name TEXT NOT NULL, first_seen INTEGER NOT NULL, last_seen INTEGER NOT NULL, events INTEGER NOT NULL,
  PRIMARY KEY (project, name)
) WITHOUT ROWID;
CREATE TABLE sketch_hour (project INTEGER NOT NULL, hour INTEGER NOT NULL, route INTEGER NOT NULL, packed BLOB NOT NULL, PRIMARY KEY (project, hour, route)) WITHOUT ROWID;
CREATE TABLE sketch_day (project INTEGER NOT NULL, day INTEGER NOT NULL, route INTEGER NOT NULL, packed BLOB NOT NULL, PRIMARY KEY (project, day, route)) WITHOUT ROWID;
CREATE TABLE sketch_release (project INTEGER NOT NULL, release INTEGER NOT NULL, packed BLOB NOT NULL, PRIMARY KEY (project, release)) WITHOUT ROWID;
CREATE TABLE count_hour (
  project INTEGER NOT NULL, hour INTEGER NOT NULL, name INTEGER NOT NULL, route INTEGER NOT NULL, label INTEGER NOT NULL, n REAL NOT NULL,
  PRIMARY KEY (project, hour, name, route, label)
) WITHOUT ROWID;
CREATE TABLE count_day (
  project INTEGER NOT NULL, day INTEGER NOT NULL, name INTEGER NOT NULL, route INTEGER NOT NULL, label INTEGER NOT NULL, n REAL NOT NULL,
  PRIMARY KEY (project, day, name, route, label)
) WITHOUT ROWID;
CREATE TABLE session_hour (
  project INTEGER NOT NULL, hour INTEGER NOT NULL, release INTEGER NOT NULL, environment INTEGER NOT NULL,
  started INTEGER NOT NULL, errored INTEGER NOT NULL, crashed INTEGER NOT NULL, abnormal INTEGER NOT NULL,
  PRIMARY KEY (project, hour, release, environment)
) WITHOUT ROWID;
CREATE TABLE discard_hour (
  project INTEGER NOT NULL, hour INTEGER NOT NULL, reason INTEGER NOT NULL, category INTEGER NOT NULL, n INTEGER NOT NULL,
  PRIMARY KEY (project, hour, reason, category)
) WITHOUT ROWID;
CREATE TABLE feedback (id INTEGER PRIMARY KEY, project INTEGER NOT NULL, at INTEGER NOT NULL, event_id BLOB, name TEXT, email TEXT, url TEXT, message TEXT NOT NULL);
CREATE INDEX feedback_event ON feedback (project, event_id);
CREATE INDEX feedback_at ON feedback (project, at);
CREATE TABLE monitor (
  project INTEGER NOT NULL, name TEXT NOT NULL, environment TEXT NOT NULL, last_status TEXT NOT NULL, last_at INTEGER NOT NULL,
  last_duration REAL, ok INTEGER NOT NULL, failed INTEGER NOT NULL, PRIMARY KEY (project, name, environment)
) WITHOUT ROWID;
CREATE TABLE week (name TEXT PRIMARY KEY, starts_at INTEGER NOT NULL, ends_at INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE map_file (hash BLOB PRIMARY KEY, packed BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE source_map (project INTEGER NOT NULL, debug_id BLOB NOT NULL, release TEXT, hash BLOB NOT NULL, PRIMARY KEY (project, debug_id)) WITHOUT ROWID`,
  // Details of a release: built files in its stacks, its commits, and issues resolved in it.
  `CREATE TABLE release_chunk (
  project INTEGER NOT NULL, release INTEGER NOT NULL, debug_id BLOB NOT NULL, file TEXT NOT NULL,
  mapped INTEGER NOT NULL, unmapped INTEGER NOT NULL, last_event BLOB NOT NULL, PRIMARY KEY (project, release, debug_id)
) WITHOUT ROWID;
CREATE TABLE release_commits (project INTEGER NOT NULL, release TEXT NOT NULL, commits TEXT NOT NULL, PRIMARY KEY (project, release)) WITHOUT ROWID;
ALTER TABLE issue ADD COLUMN fixed_in TEXT GENERATED ALWAYS AS (CASE status WHEN 'resolved' THEN json_extract(state, '$.fixed.release') END) VIRTUAL;
ALTER TABLE issue ADD COLUMN fixed_after TEXT GENERATED ALWAYS AS (CASE status WHEN 'resolved' THEN json_extract(state, '$.fixed.after') END) VIRTUAL;
ALTER TABLE issue ADD COLUMN regressed_in TEXT GENERATED ALWAYS AS (CASE status WHEN 'regressed' THEN json_extract(state, '$.release') END) VIRTUAL;
CREATE INDEX issue_fixed_in ON issue (project, fixed_in) WHERE fixed_in IS NOT NULL;
CREATE INDEX issue_fixed_after ON issue (project, fixed_after) WHERE fixed_after IS NOT NULL;
CREATE INDEX issue_regressed_in ON issue (project, regressed_in) WHERE regressed_in IS NOT NULL`,
  // The issues of a release are counted in the index alone: with the state in the row, 40,000 issues took 270 ms.
  `DROP INDEX issue_first_release;
CREATE INDEX issue_first_release ON issue (project, first_release, status)`,
  // Fields of the newest event of a group, for the issue that owns the group, also after a merge or split.
  `ALTER TABLE issue_group ADD COLUMN type TEXT;
ALTER TABLE issue_group ADD COLUMN title TEXT;
ALTER TABLE issue_group ADD COLUMN culprit TEXT;
ALTER TABLE issue_group ADD COLUMN level TEXT;
ALTER TABLE issue_group ADD COLUMN last_release TEXT;
ALTER TABLE issue_group ADD COLUMN last_event BLOB`,
  // Schedule of a task, as JSON.
  "ALTER TABLE monitor ADD COLUMN plan TEXT",
  // New issues of the current hour.
  "CREATE TABLE new_issues (project INTEGER PRIMARY KEY, hour INTEGER NOT NULL, n INTEGER NOT NULL)",
  // When a build added a map, so that those of old builds can be deleted.
  "ALTER TABLE source_map ADD COLUMN added_at INTEGER NOT NULL DEFAULT 0",
  // Rows of a week to delete, recorded before their deletion; and deleted amounts by reason.
  `ALTER TABLE week ADD COLUMN gone_before INTEGER NOT NULL DEFAULT 0;
CREATE TABLE gone (what TEXT NOT NULL, why TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (what, why)) WITHOUT ROWID`,
  // Runs of a task and what their evaluation has found, both as JSON; and when tasks were evaluated last.
  `ALTER TABLE monitor ADD COLUMN first_at INTEGER;
ALTER TABLE monitor ADD COLUMN muted INTEGER NOT NULL DEFAULT 0;
ALTER TABLE monitor ADD COLUMN runs TEXT NOT NULL DEFAULT '[]';
ALTER TABLE monitor ADD COLUMN watch TEXT;
CREATE TABLE watched (at INTEGER NOT NULL)`,
  // Alerts look for regressions every few seconds.
  `CREATE INDEX issue_history_regressed ON issue_history (id)
  WHERE by = 'events' AND json_extract(what, '$.to.kind') = 'regressed'`,
  // Ids by which senders know their feedback, what else is known about it, and when a person has put it aside.
  `ALTER TABLE feedback ADD COLUMN own_id BLOB;
ALTER TABLE feedback ADD COLUMN facts TEXT;
ALTER TABLE feedback ADD COLUMN archived_at INTEGER;
CREATE UNIQUE INDEX feedback_own_id ON feedback (project, own_id) WHERE own_id IS NOT NULL;
CREATE INDEX feedback_archived ON feedback (project, archived_at IS NULL, at, id)`,
  // What happens in each quarter of an hour. Nothing is known of the time before this step.
  `CREATE TABLE traffic_quarter (
  project INTEGER NOT NULL, quarter INTEGER NOT NULL, errors INTEGER NOT NULL, error_pages INTEGER NOT NULL,
  visits INTEGER NOT NULL, failed_visits INTEGER NOT NULL, PRIMARY KEY (project, quarter)
) WITHOUT ROWID`,
  // Visitors with an error in each hour, as a sketch.
  `CREATE TABLE affected_hour (project INTEGER NOT NULL, hour INTEGER NOT NULL, packed BLOB NOT NULL, PRIMARY KEY (project, hour)) WITHOUT ROWID`,
  // Visitors who got no further, and the order of the issues by them, then by their newest event.
  `ALTER TABLE issue_group ADD COLUMN stuck INTEGER NOT NULL DEFAULT 0;
ALTER TABLE issue ADD COLUMN stuck INTEGER NOT NULL DEFAULT 0;
ALTER TABLE issue ADD COLUMN stuck_order INTEGER GENERATED ALWAYS AS (stuck * 2147483648 + last_seen / 1000) VIRTUAL;
CREATE INDEX issue_stuck ON issue (project, status, stuck_order, id)`,
  // The address of an issue's ticket elsewhere.
  "ALTER TABLE issue ADD COLUMN ticket TEXT",
  // What was erased, as hashes: what arrives late or is read again from the journal is dropped.
  `CREATE TABLE erased (
  project INTEGER NOT NULL, kind TEXT NOT NULL, hash INTEGER NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (project, kind, hash)
) WITHOUT ROWID`,
];

/** Events, spans and logs that were accepted in one week. */
export const weekMigrations: readonly string[] = [
  `${names}
CREATE TABLE event (
  id INTEGER PRIMARY KEY, event_id BLOB NOT NULL, project INTEGER NOT NULL, grp INTEGER NOT NULL,
  at INTEGER NOT NULL, received_at INTEGER NOT NULL, level INTEGER NOT NULL,
  route INTEGER NOT NULL, release INTEGER NOT NULL, environment INTEGER NOT NULL, trace_id BLOB, visitor INTEGER
);
CREATE UNIQUE INDEX event_event_id ON event (event_id, project);
CREATE INDEX event_group ON event (grp, at);
CREATE INDEX event_trace ON event (trace_id) WHERE trace_id IS NOT NULL;
CREATE INDEX event_visitor ON event (visitor, at) WHERE visitor IS NOT NULL;
CREATE TABLE body (id INTEGER PRIMARY KEY, packed BLOB NOT NULL);
CREATE TABLE reference_body (grp INTEGER PRIMARY KEY, packed BLOB NOT NULL);
CREATE TABLE span_block (id INTEGER PRIMARY KEY, project INTEGER NOT NULL, trace_id BLOB NOT NULL, key INTEGER NOT NULL, at INTEGER NOT NULL, packed BLOB NOT NULL);
CREATE UNIQUE INDEX span_block_trace ON span_block (trace_id, project, key);
CREATE TABLE segment (
  trace_id BLOB NOT NULL, span_id BLOB NOT NULL, project INTEGER NOT NULL, block INTEGER NOT NULL,
  route INTEGER NOT NULL, kind TEXT NOT NULL, at INTEGER NOT NULL, duration REAL NOT NULL, status INTEGER NOT NULL,
  release INTEGER NOT NULL, environment INTEGER NOT NULL, visitor INTEGER,
  PRIMARY KEY (trace_id, span_id, project)
) WITHOUT ROWID;
CREATE INDEX segment_route ON segment (project, route, at);
CREATE INDEX segment_block ON segment (block);
CREATE INDEX segment_visitor ON segment (visitor, at) WHERE visitor IS NOT NULL;
CREATE TABLE session (
  project INTEGER NOT NULL, session_id TEXT NOT NULL,
  started_by INTEGER, errored_by INTEGER, crashed_by INTEGER, abnormal_by INTEGER, PRIMARY KEY (project, session_id)
) WITHOUT ROWID;
CREATE TABLE log_block (id INTEGER PRIMARY KEY, project INTEGER NOT NULL, from_at INTEGER NOT NULL, to_at INTEGER NOT NULL, lines INTEGER NOT NULL, packed BLOB NOT NULL);
CREATE INDEX log_block_at ON log_block (project, to_at);
CREATE TABLE log_trace (trace_id BLOB NOT NULL, block INTEGER NOT NULL, PRIMARY KEY (trace_id, block)) WITHOUT ROWID;
CREATE TABLE attachment (id INTEGER PRIMARY KEY, project INTEGER NOT NULL, event_id BLOB NOT NULL, filename TEXT NOT NULL, content_type TEXT, packed BLOB NOT NULL);
CREATE INDEX attachment_event ON attachment (event_id, project)`,
  `CREATE TABLE visitor_alias (
  project INTEGER NOT NULL, alias INTEGER NOT NULL, visitor INTEGER NOT NULL, PRIMARY KEY (project, alias, visitor)
) WITHOUT ROWID`,
  // From this version on, bodies are compressed together; `body` contains older ones, compressed alone. `groups` lists
  // the references that form the dictionary.
  `CREATE TABLE body_block (id INTEGER PRIMARY KEY, groups TEXT NOT NULL, packed BLOB NOT NULL);
ALTER TABLE event ADD COLUMN place INTEGER`,
  // The same for spans. `packed` contains older ones, compressed alone, and is empty if there is a place.
  "ALTER TABLE span_block ADD COLUMN place INTEGER",
  // Second ids of events whose envelope and payload have different ones. `event` is the id of the row.
  `CREATE TABLE other_id (other_id BLOB NOT NULL, project INTEGER NOT NULL, event INTEGER NOT NULL, PRIMARY KEY (other_id, project)) WITHOUT ROWID;
CREATE INDEX other_id_event ON other_id (event)`,
  // Blocks of one batch share a row, whose id is the number of the first one. For each, its bytes and the number of its
  // groups; null in older rows, which have one block.
  "ALTER TABLE body_block ADD COLUMN blocks TEXT",
];
