/** What else is kept of a project for longer than its events: releases, counters, feedback, tasks and source maps. */
export const projectTables = `CREATE TABLE holdfast.release (
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
CREATE TABLE holdfast.gone (what text NOT NULL, why text NOT NULL, n bigint NOT NULL, PRIMARY KEY (what, why));`;
