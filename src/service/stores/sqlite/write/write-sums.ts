import { dayMs, hourMs } from "../../../clock.ts";
import { afterEvents } from "../../../issues/issue-state.ts";
import { mergeSketchSet, packSketches, type SketchSet, unpackSketches } from "../../../sketches/quantile-sketch.ts";
import { type BatchSums, type GroupSums, type ShownEvent, titleAndRoute } from "../../batch-sums.ts";
import { stacksPerGroup, textsPerGroup, valuesPerTag } from "../../counter-limits.ts";
import type { FiledFeedback } from "../../filed.ts";
import { otherNames } from "../../flood.ts";
import { stateOf } from "../../issue-row.ts";
import type { StoreLimits } from "../../limits.ts";
import { bytesOf } from "../../values/row-values.ts";
import type { Database } from "../database.ts";
import { addGroupVisitors, countIssueVisitors } from "../group-visitors.ts";
import { assignRegressed } from "../issues/assign-by-rule.ts";
import { addHistory } from "../issues/issue-history.ts";
import { showNewest } from "../issues/merge-issues.ts";
import { releaseOrder } from "../issues/release-order.ts";
import { writeCheckIn } from "../monitors.ts";
import type { StoreFiles } from "../store-files.ts";
import { addChunk } from "./release-chunks.ts";
import { writeTraffic } from "./traffic.ts";

/** Adds the sums of a batch to the counters, and updates the states of issues. Returns the regressed issues. */
export function writeSums(files: StoreFiles, sums: BatchSums, limits: StoreLimits): readonly number[] {
  for (const release of sums.releases.values()) {
    if (files.names.number(release.name) === files.names.find(otherNames)) continue;
    files.meta.run(
      `INSERT INTO release VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
         first_seen = min(first_seen, excluded.first_seen), last_seen = max(last_seen, excluded.last_seen), events = events + excluded.events`,
      release.project,
      release.name,
      release.firstAt,
      release.lastAt,
      release.events,
    );
  }
  const regressed = new Set<number>();
  for (const [group, groupSums] of sums.groups) {
    const change = writeGroup(files, group, groupSums);
    const issue = change && updateIssue(files, change, groupSums);
    if (issue !== undefined) regressed.add(issue);
  }
  writeSketches(files, sums);
  writeCounts(files, sums);
  writeTraffic(files, sums);
  for (const checkIn of sums.checkIns) writeCheckIn(files, checkIn, limits);
  for (const chunk of sums.chunks.values()) addChunk(files, chunk);
  return [...regressed];
}

/** Returns how the group has changed, for its issue. */
function writeGroup(files: StoreFiles, group: number, sums: GroupSums): GroupChange | undefined {
  const { meta, names } = files;
  for (const { hour, environment, release, n } of sums.hours.values()) {
    meta.run(
      "INSERT INTO group_hour VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET n = n + excluded.n",
      group,
      hour,
      names.number(environment),
      names.number(release),
      n,
    );
  }
  for (const { day, environment, n } of sums.days.values()) {
    meta.run(
      "INSERT INTO group_day VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET n = n + excluded.n",
      group,
      day,
      names.number(environment),
      n,
    );
  }
  for (const [release, { firstAt, lastAt, n }] of sums.releases) {
    if (release === undefined) continue;
    meta.run(
      `INSERT INTO group_release VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
         first_seen = min(first_seen, excluded.first_seen), last_seen = max(last_seen, excluded.last_seen), n = n + excluded.n`,
      group,
      names.number(release),
      firstAt,
      lastAt,
      n,
    );
  }
  for (const [key, values] of sums.tags) for (const [value, n] of values) addTag(files, group, { key, value, n });
  const known = meta.one<KnownGroup>(knownGroup, group);
  if (known === undefined) return undefined;
  const texts = addTexts(files, group, known.texts, sums);
  const visitors = addGroupVisitors(meta, group, known.visitors, sums.visitors);
  const isNewest = sums.last.at >= known.lastSeen;
  meta.run(
    `UPDATE issue_group SET events = events + ?, visitors = ?, texts = texts + ?,
       first_seen = min(first_seen, ?), last_seen = max(last_seen, ?)${isNewest ? shownColumns : ""} WHERE id = ?`,
    sums.events,
    visitors,
    texts,
    sums.firstAt,
    sums.last.at,
    ...(isNewest ? shownValues(sums.last) : []),
    group,
  );
  return { group, known, visitors, isNewest };
}

const knownGroup = `SELECT g.texts, g.visitors, g.last_seen AS lastSeen, issue.id AS issue, issue.events, issue.state,
    issue.first_seen AS issueFirstSeen, issue.visitors AS issueVisitors,
    (SELECT count(*) FROM issue_group AS one WHERE one.issue = g.issue) AS groupsOfIssue
  FROM issue_group AS g JOIN issue ON issue.id = g.issue WHERE g.id = ?`;

interface KnownGroup {
  texts: number;
  visitors: number;
  lastSeen: number;
  issue: number;
  /** Events and state of the issue. */
  events: number;
  state: string;
  issueFirstSeen: number;
  issueVisitors: number;
  groupsOfIssue: number;
}

interface GroupChange {
  readonly group: number;
  /** Before the change. */
  readonly known: KnownGroup;
  readonly visitors: number;
  /** Whether the last event of the batch is the newest of the group. */
  readonly isNewest: boolean;
}

/** What a group shows of its newest event, and its issue too. */
const shownColumns = ", type = ?, title = ?, culprit = ?, level = ?, last_release = ?, last_event = ?";

function shownValues({ title, level, release, eventId }: ShownEvent): (string | Uint8Array | null)[] {
  return [title.type ?? null, title.text, title.culprit ?? null, level, release ?? null, bytesOf(eventId)];
}

interface TagSum {
  key: string;
  value: string;
  n: number;
}

function addTag({ meta, names }: StoreFiles, group: number, { key, value, n }: TagSum): void {
  const keyNumber = names.number(key);
  const known = names.find(value);
  const add = (valueNumber: number): boolean =>
    meta.run("UPDATE group_tag SET n = n + ? WHERE grp = ? AND key = ? AND value = ?", n, group, keyNumber, valueNumber)
      .changes > 0;
  if (known !== undefined && add(known)) return;
  const values =
    meta.one<{ n: number }>("SELECT count(*) AS n FROM group_tag WHERE grp = ? AND key = ?", group, keyNumber)?.n ?? 0;
  if (values < valuesPerTag) {
    meta.run(
      "INSERT INTO group_tag VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET n = n + excluded.n",
      group,
      keyNumber,
      names.number(value),
      n,
    );
  } else if (!add(0)) {
    // Value 0 means no text: it counts all others together.
    meta.run("INSERT INTO group_tag VALUES (?, ?, 0, ?)", group, keyNumber, n);
  }
}

/** Indexes the whole text of a group's first event, and the titles, routes and frames of later ones. */
function addTexts(files: StoreFiles, group: number, known: number, { texts, stacks, last }: GroupSums): number {
  const { meta, recentTexts } = files;
  const fresh = known === 0 ? [last.searchText] : [];
  // The whole text of an event contains its title and route.
  if (known === 0) recentTexts.isNew(`${group} ${titleAndRoute(last)}`);
  const add = (found: Iterable<string>, atMost: number): void => {
    for (const text of found) {
      if (known + fresh.length >= atMost) return;
      if (recentTexts.isNew(`${group} ${text}`) && !isKnown(meta, group, text)) fresh.push(text);
    }
  };
  add(texts, textsPerGroup);
  add(stacks, stacksPerGroup);
  for (const text of fresh) {
    const row = meta.one<{ id: number }>("INSERT INTO group_text_row (grp) VALUES (?) RETURNING id", group);
    meta.run("INSERT INTO group_text (rowid, text) VALUES (?, ?)", row?.id ?? 0, text);
  }
  return fresh.length;
}

function isKnown(meta: Database, group: number, text: string): boolean {
  const sql =
    "SELECT 1 FROM group_text_row r JOIN group_text ON group_text.rowid = r.id WHERE r.grp = ? AND group_text.text = ?";
  return meta.one(sql, group, text) !== undefined;
}

/** Updates the numbers and the state of the issue that owns a group. Returns it if it regressed. */
function updateIssue(files: StoreFiles, change: GroupChange, sums: GroupSums): number | undefined {
  const { meta } = files;
  const { known } = change;
  const issue = { id: known.issue, state: known.state };
  // An issue that is nothing but this group, as nearly all are, needs one statement instead of four.
  const isOnly = known.groupsOfIssue === 1 && issue.id === change.group && change.isNewest;
  const visitors = isOnly ? change.visitors : countIssueVisitors(meta, issue.id);
  const numbers = { events: known.events + sums.events, visitors };
  const { last } = sums;
  // SQLite writes each index of a column that a statement names, and these two rarely change.
  const isEarlier = sums.firstAt < known.issueFirstSeen;
  const hasNewVisitors = visitors !== known.issueVisitors;
  meta.run(
    `UPDATE issue SET events = ?, last_seen = max(last_seen, ?)${isEarlier ? ", first_seen = ?" : ""}
       ${hasNewVisitors ? ", visitors = ?" : ""}${isOnly ? shownColumns : ""} WHERE id = ?`,
    numbers.events,
    last.at,
    ...(isEarlier ? [sums.firstAt] : []),
    ...(hasNewVisitors ? [visitors] : []),
    ...(isOnly ? shownValues(last) : []),
    issue.id,
  );
  if (!isOnly) showNewest(meta, issue.id);
  const before = stateOf(issue.state);
  const after = afterEvents(before, {
    byRelease: sums.releases,
    numbers,
    compareReleases: releaseOrder(files, sums.project),
  });
  if (after === before) return undefined;
  meta.run("UPDATE issue SET status = ?, state = ? WHERE id = ?", after.kind, JSON.stringify(after), issue.id);
  addHistory(meta, issue.id, { by: "events", at: last.receivedAt }, { kind: "state", from: before, to: after });
  if (after.kind !== "regressed") return undefined;
  assignRegressed(meta, issue.id, last);
  return issue.id;
}

function writeSketches({ meta, names }: StoreFiles, sums: BatchSums): void {
  for (const { project, hour, route, set } of sums.sketches.values()) {
    const name = names.number(route);
    const day = Math.floor((hour * hourMs) / dayMs);
    const ofHour = meta.one<Packed>(
      "SELECT packed FROM sketch_hour WHERE project = ? AND hour = ? AND route = ?",
      project,
      hour,
      name,
    );
    meta.run("INSERT OR REPLACE INTO sketch_hour VALUES (?, ?, ?, ?)", project, hour, name, added(ofHour, set));
    const ofDay = meta.one<Packed>(
      "SELECT packed FROM sketch_day WHERE project = ? AND day = ? AND route = ?",
      project,
      day,
      name,
    );
    meta.run("INSERT OR REPLACE INTO sketch_day VALUES (?, ?, ?, ?)", project, day, name, added(ofDay, set));
  }
  for (const { project, release, set } of sums.releaseSketches.values()) {
    const name = names.number(release);
    const known = meta.one<Packed>(
      "SELECT packed FROM sketch_release WHERE project = ? AND release = ?",
      project,
      name,
    );
    meta.run("INSERT OR REPLACE INTO sketch_release VALUES (?, ?, ?)", project, name, added(known, set));
  }
}

interface Packed {
  packed: Uint8Array;
}

function added(known: Packed | undefined, set: SketchSet): Uint8Array {
  if (known === undefined) return packSketches(set);
  const sum = unpackSketches(known.packed);
  mergeSketchSet(sum, set);
  return packSketches(sum);
}

function writeCounts({ meta, names }: StoreFiles, sums: BatchSums): void {
  for (const { project, hour, name, route, label, n } of sums.counts.values()) {
    const key = [names.number(name), names.number(route), names.number(label)] as const;
    meta.run(
      "INSERT INTO count_hour VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET n = n + excluded.n",
      project,
      hour,
      ...key,
      n,
    );
    const day = Math.floor(hour / 24);
    meta.run(
      "INSERT INTO count_day VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET n = n + excluded.n",
      project,
      day,
      ...key,
      n,
    );
  }
  for (const { project, hour, release, environment, started, errored, crashed, abnormal } of sums.sessions.values()) {
    meta.run(
      `INSERT INTO session_hour VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET started = started + excluded.started,
         errored = errored + excluded.errored, crashed = crashed + excluded.crashed, abnormal = abnormal + excluded.abnormal`,
      project,
      hour,
      names.number(release),
      names.number(environment),
      started,
      errored,
      crashed,
      abnormal,
    );
  }
  for (const { project, hour, reason, category, n } of sums.discards.values()) {
    meta.run(
      "INSERT INTO discard_hour VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET n = n + excluded.n",
      project,
      hour,
      names.number(reason),
      names.number(category),
      n,
    );
  }
}

export function writeFeedback(
  { meta }: StoreFiles,
  { rowId, project, at, eventId, name, email, url, message, ownId, facts }: FiledFeedback,
  feedbackPerProject: number,
): void {
  meta.run(
    `INSERT OR IGNORE INTO feedback (id, project, at, event_id, name, email, url, message, own_id, facts)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    rowId,
    project,
    at,
    eventId === undefined ? null : bytesOf(eventId),
    name ?? null,
    email ?? null,
    url ?? null,
    message,
    ownId === undefined ? null : bytesOf(ownId),
    JSON.stringify(facts),
  );
  meta.run(
    "DELETE FROM feedback WHERE project = ?1 AND at < (SELECT at FROM feedback WHERE project = ?1 ORDER BY at DESC LIMIT 1 OFFSET ?2)",
    project,
    feedbackPerProject - 1,
  );
}
