/** Issues, the groups that they consist of, and the counters of groups. */
export const issueTables = `CREATE TABLE holdfast.issue (
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
CREATE INDEX group_text_words ON holdfast.group_text USING gin (words) WITH (fastupdate = off);`;
