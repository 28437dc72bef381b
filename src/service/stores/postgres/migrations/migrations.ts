import { fileBatch } from "./file-batch.ts";
import { issueTables } from "./issue-tables.ts";
import { partitionedTables } from "./part-tables.ts";
import { projectTables } from "./project-tables.ts";
import { batchTables, writerTables } from "./writer-tables.ts";

/**
 * Each step brings the database from version n to n + 1, in one transaction. Steps are only ever appended. A step must
 * leave the processes of the version before able to go on: what they use goes in a later step.
 */
export const migrations: readonly string[] = [
  [writerTables, issueTables, projectTables, batchTables, partitionedTables, fileBatch(1)].join("\n\n"),
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
  // As in a data folder. Processes of the version before file sessions without a quarter.
  `CREATE TABLE holdfast.traffic_quarter (
  project int NOT NULL, quarter int NOT NULL, errors bigint NOT NULL, error_pages bigint NOT NULL,
  visits bigint NOT NULL, failed_visits bigint NOT NULL, PRIMARY KEY (project, quarter)
) WITH (fillfactor = 50);
ALTER TABLE holdfast.session_delta ADD quarter int;

${fileBatch(4)}`,
  // Visitors with an error in each hour, as a sketch.
  `CREATE TABLE holdfast.affected_hour (
  project int NOT NULL, hour int NOT NULL, packed bytea NOT NULL, PRIMARY KEY (project, hour)
) WITH (fillfactor = 50);
ALTER TABLE holdfast.affected_hour ALTER packed SET STORAGE EXTERNAL;`,
  // As in the data folder of a service without PostgreSQL: names of people, their devices, and who was refused.
  `ALTER TABLE holdfast.account ADD name text;
ALTER TABLE holdfast.session ADD device text, ADD network text;
CREATE TABLE holdfast.refusal (
  quarter bigint NOT NULL, who text NOT NULL, project int NOT NULL, why text NOT NULL, count int NOT NULL,
  at bigint NOT NULL, PRIMARY KEY (quarter, who, project, why)
);
CREATE INDEX refusal_at ON holdfast.refusal (at);`,
  // Compiling the plan took 150 ms for every batch. The planner believes it is worth it: the costs of what
  // `enable_seqscan = off` forbids are astronomical.
  `ALTER FUNCTION holdfast.file_batch_4 SET jit = off;`,
  // As in a data folder: visitors who got no further, and the books of error pages.
  `ALTER TABLE holdfast.issue_group ADD stuck bigint NOT NULL DEFAULT 0;
ALTER TABLE holdfast.issue ADD stuck bigint NOT NULL DEFAULT 0;
CREATE INDEX issue_stuck ON holdfast.issue (project, status, (stuck * 2147483648 + last_seen / 1000), id);
CREATE TABLE holdfast.balance_page (
  project int NOT NULL, digest text NOT NULL, at bigint NOT NULL, hour int NOT NULL, route text NOT NULL,
  side text NOT NULL, source text NOT NULL, chain text NOT NULL, next text, cause text, filed_at bigint, grp bigint,
  visitor bigint, due bigint NOT NULL, PRIMARY KEY (project, digest)
);
CREATE INDEX balance_page_hour ON holdfast.balance_page (hour, project);
CREATE INDEX balance_page_due ON holdfast.balance_page (due) WHERE filed_at IS NULL;
CREATE INDEX balance_page_next ON holdfast.balance_page (next, at);
CREATE TABLE holdfast.balance_source (
  project int NOT NULL, source text NOT NULL, waiting_since bigint, stated_at bigint NOT NULL,
  PRIMARY KEY (project, source)
);
CREATE TABLE holdfast.balance_hour (
  project int NOT NULL, hour int NOT NULL, missing int NOT NULL, event_id text NOT NULL, PRIMARY KEY (project, hour)
);`,
  // As in a data folder: the books of submissions and navigations. Differences have a book, so another table has them.
  `CREATE TABLE holdfast.balance_tally (
  project int NOT NULL, book text NOT NULL, hour int NOT NULL, source text NOT NULL, changes bigint NOT NULL,
  ends text NOT NULL, open text NOT NULL, PRIMARY KEY (project, book, hour, source)
);
CREATE INDEX balance_tally_hour ON holdfast.balance_tally (hour);
CREATE TABLE holdfast.balance_difference (
  project int NOT NULL, book text NOT NULL, hour int NOT NULL, missing int NOT NULL, event_id text NOT NULL,
  PRIMARY KEY (project, book, hour)
);
INSERT INTO holdfast.balance_difference SELECT project, 'error-pages', hour, missing, event_id FROM holdfast.balance_hour;
DROP TABLE holdfast.balance_hour;
CREATE TABLE holdfast.balance_changes (one int PRIMARY KEY CHECK (one = 1), n bigint NOT NULL);
INSERT INTO holdfast.balance_changes VALUES (1, 0);`,
  // As in a data folder: tokens of people and projects, and codes that a command line exchanges for one.
  `CREATE TABLE holdfast.token (
  id bigint PRIMARY KEY, hash text NOT NULL UNIQUE, name text NOT NULL,
  email text REFERENCES holdfast.account ON DELETE CASCADE, project int, scopes text NOT NULL, created bigint NOT NULL,
  made_by text NOT NULL, expires bigint, used bigint
);
CREATE INDEX token_email ON holdfast.token (email);
CREATE INDEX token_project ON holdfast.token (project);
CREATE TABLE holdfast.login_code (
  hash text PRIMARY KEY, email text NOT NULL REFERENCES holdfast.account ON DELETE CASCADE, name text NOT NULL,
  scopes text NOT NULL, expires bigint, challenge text NOT NULL, ends bigint NOT NULL
);`,
  // As in the data folder of a service without PostgreSQL: people of an identity provider, and when their sessions end.
  `ALTER TABLE holdfast.session ADD ends bigint;
CREATE TABLE holdfast.identity (
  issuer text NOT NULL, subject text NOT NULL, email text NOT NULL REFERENCES holdfast.account ON DELETE CASCADE,
  PRIMARY KEY (issuer, subject)
);
CREATE INDEX identity_email ON holdfast.identity (email);`,
  // As in a data folder: the address of an issue's ticket.
  `ALTER TABLE holdfast.issue ADD ticket text;`,
  // What was erased, as hashes: what arrives late or is read again from a journal is dropped.
  `CREATE TABLE holdfast.erased (
  project int NOT NULL, kind text NOT NULL, hash bigint NOT NULL, at bigint NOT NULL, PRIMARY KEY (project, kind, hash)
);`,
  // As in a data folder: second factors, and people who have typed a password and no code yet.
  `CREATE TABLE holdfast.totp (
  email text PRIMARY KEY REFERENCES holdfast.account ON DELETE CASCADE, secret text NOT NULL, step bigint NOT NULL,
  confirmed int NOT NULL
);
CREATE TABLE holdfast.recovery_code (
  hash text PRIMARY KEY, email text NOT NULL REFERENCES holdfast.account ON DELETE CASCADE
);
CREATE INDEX recovery_code_email ON holdfast.recovery_code (email);
CREATE TABLE holdfast.sign_in_step (
  hash text PRIMARY KEY, email text NOT NULL REFERENCES holdfast.account ON DELETE CASCADE, ends bigint NOT NULL
);`,
];
