import { dayMs, hourMs } from "../../../clock.ts";
import { stacksPerGroup } from "../../counter-limits.ts";
import { shownAgain, titleFor } from "../../erase/shown-again.ts";
import type { StoredJson } from "../../filed.ts";
import { otherNames } from "../../flood.ts";
import { eventOfJson } from "../../values/event-json.ts";
import { tagsOfEvent } from "../../values/event-texts.ts";
import { hexOf } from "../../values/row-values.ts";
import { tablesByGroup } from "../forget-lasting.ts";
import { recount } from "../issues/merge-issues.ts";
import type { EventRow } from "../read/read-events.ts";
import type { StoreFiles } from "../store-files.ts";

/** An event that was deleted, as far as counters know it. */
export interface GoneEvent {
  readonly eventId: string;
  readonly group: number;
  readonly at: number;
  readonly visitor: number | null;
  readonly route: string | undefined;
  readonly release: string | undefined;
  readonly environment: string | undefined;
  readonly body: StoredJson | undefined;
}

/**
 * Takes events out of the counters, tags and texts of their groups, after their rows were deleted. A group of which no
 * event is left goes too, with its issue. Returns the number of deleted issues.
 */
export function forgetEvents(files: StoreFiles, gone: readonly GoneEvent[]): number {
  let issues = 0;
  for (const [group, events] of Map.groupBy(gone, (event) => event.group)) {
    const newest = newestOf(files, group);
    if (newest.length === 0) {
      issues += deleteGroup(files, group);
      continue;
    }
    for (const event of events) uncount(files, event);
    forgetVisitors(files, group, new Set(events.map(({ visitor }) => visitor)));
    files.meta.run("UPDATE issue_group SET events = max(0, events - ?) WHERE id = ?", events.length, group);
    showAgain(files, group, newest);
    const owner = files.meta.one<{ issue: number }>("SELECT issue FROM issue_group WHERE id = ?", group);
    if (owner !== undefined) recount(files.meta, owner.issue);
  }
  return issues;
}

function uncount(
  { meta, names }: StoreFiles,
  { group, at, release, environment, route, body, eventId }: GoneEvent,
): void {
  const number = (text: string | undefined): number =>
    text === undefined ? 0 : (names.find(text) ?? names.find(otherNames) ?? 0);
  const [env, rel] = [number(environment), number(release)];
  meta.run(
    "UPDATE group_hour SET n = n - 1 WHERE grp = ? AND hour = ? AND environment = ? AND release = ?",
    group,
    Math.floor(at / hourMs),
    env,
    rel,
  );
  meta.run(
    "UPDATE group_day SET n = n - 1 WHERE grp = ? AND day = ? AND environment = ?",
    group,
    Math.floor(at / dayMs),
    env,
  );
  meta.run("UPDATE group_release SET n = n - 1 WHERE grp = ? AND release = ?", group, rel);
  const event = body && eventOfJson(body, eventId);
  for (const [key, value] of event === undefined ? [] : tagsOfEvent(event, route)) {
    const keyNumber = names.find(key);
    const valueNumber = names.find(value) ?? 0;
    if (keyNumber !== undefined)
      meta.run("UPDATE group_tag SET n = n - 1 WHERE grp = ? AND key = ? AND value = ?", group, keyNumber, valueNumber);
  }
  for (const table of ["group_hour", "group_day", "group_release", "group_tag"])
    meta.run(`DELETE FROM ${table} WHERE grp = ? AND n <= 0`, group);
}

/** A sketch of more than a thousand visitors has nothing of a single one. */
function forgetVisitors(files: StoreFiles, group: number, visitors: ReadonlySet<number | null>): void {
  const { meta } = files;
  for (const visitor of visitors) {
    if (visitor === null || hasEventsOf(files, group, visitor)) continue;
    const { changes } = meta.run("DELETE FROM group_visitor WHERE grp = ? AND visitor = ?", group, visitor);
    if (changes > 0) meta.run("UPDATE issue_group SET visitors = max(0, visitors - 1) WHERE id = ?", group);
  }
}

function hasEventsOf(files: StoreFiles, group: number, visitor: number): boolean {
  for (const { database } of files.weeks())
    if (database.one("SELECT 1 FROM event WHERE grp = ? AND visitor = ? LIMIT 1", group, visitor) !== undefined)
      return true;
  return false;
}

interface RemainingRow {
  readonly row: EventRow;
  readonly route: string | undefined;
  readonly release: string | undefined;
  readonly body: StoredJson | undefined;
}

/** The newest remaining events of a group. */
function newestOf(files: StoreFiles, group: number): readonly RemainingRow[] {
  const found: RemainingRow[] = [];
  for (const week of files.weeks()) {
    const rows = week.database.all<EventRow>(
      "SELECT * FROM event WHERE grp = ? ORDER BY at DESC LIMIT ?",
      group,
      stacksPerGroup,
    );
    for (const row of rows) {
      const reading = week.bodies.read(row);
      const body = reading.kind === "whole" ? { ...reading.body, bytes: Buffer.from(reading.body.bytes) } : undefined;
      found.push({ row, route: week.names.text(row.route), release: week.names.text(row.release), body });
    }
    if (found.length >= stacksPerGroup) break;
  }
  return found.toSorted((a, b) => b.row.at - a.row.at).slice(0, stacksPerGroup);
}

/** Titles and texts are those of remaining events: the group may have shown a deleted one. */
function showAgain(files: StoreFiles, group: number, newest: readonly RemainingRow[]): void {
  const { meta } = files;
  const shown = shownAgain(
    newest.flatMap(({ row, route, release, body }) => {
      const event = body && eventOfJson(body, hexOf(row.event_id));
      return event === undefined ? [] : [{ row: { ...row, releaseName: release }, event, route }];
    }),
  );
  deleteTexts(files, group);
  if (shown === undefined) {
    // No remaining event has a body, so nothing says whose the texts are.
    meta.run("UPDATE issue_group SET title = coalesce(type, ''), culprit = NULL, texts = 0 WHERE id = ?", group);
    return;
  }
  const { row, event, texts } = shown;
  const { rule } = meta.one<{ rule: string }>("SELECT rule FROM issue_group WHERE id = ?", group) ?? {};
  const title = titleFor(rule, shown.title);
  meta.run(
    `UPDATE issue_group SET type = ?, title = ?, culprit = ?, level = ?, last_release = ?, last_event = ?, last_seen = ?,
       texts = ? WHERE id = ?`,
    title.type ?? null,
    title.text,
    title.culprit ?? null,
    event.level,
    row.releaseName ?? null,
    row.event_id,
    row.at,
    texts.length,
    group,
  );
  for (const text of texts) {
    const made = meta.one<{ id: number }>("INSERT INTO group_text_row (grp) VALUES (?) RETURNING id", group);
    meta.run("INSERT INTO group_text (rowid, text) VALUES (?, ?)", made?.id ?? 0, text);
  }
}

function deleteTexts({ meta }: StoreFiles, group: number): void {
  meta.run("DELETE FROM group_text WHERE rowid IN (SELECT id FROM group_text_row WHERE grp = ?)", group);
  meta.run("DELETE FROM group_text_row WHERE grp = ?", group);
}

/** Returns the number of deleted issues, 0 or 1: an issue may have other groups. */
export function deleteGroup(files: StoreFiles, group: number): number {
  const { meta } = files;
  const owner = meta.one<{ issue: number }>("SELECT issue FROM issue_group WHERE id = ?", group);
  if (owner === undefined) return 0;
  deleteTexts(files, group);
  for (const table of tablesByGroup) meta.run(`DELETE FROM ${table} WHERE grp = ?`, group);
  meta.run("DELETE FROM issue_group WHERE id = ?", group);
  const { issue } = owner;
  // The shell of an issue that was merged into another one.
  if (group !== issue) deleteIssue(files, group);
  const next = meta.one<{ id: number }>("SELECT id FROM issue_group WHERE issue = ? ORDER BY last_seen DESC", issue);
  if (next === undefined) return deleteIssue(files, issue);
  recount(meta, issue);
  if (group === issue)
    meta.run(
      "UPDATE issue SET (type, title, culprit) = (SELECT type, title, culprit FROM issue_group WHERE id = ?) WHERE id = ?",
      next.id,
      issue,
    );
  return 0;
}

/** Issues without groups only. Remembers the number, so that it is not used again. */
export function deleteIssue({ meta }: StoreFiles, issue: number): number {
  meta.run("INSERT OR IGNORE INTO erased SELECT project, 'number', number, last_seen FROM issue WHERE id = ?", issue);
  meta.run("UPDATE issue SET merged_into = NULL WHERE merged_into = ?", issue);
  meta.run("DELETE FROM issue_history WHERE issue = ?", issue);
  return meta.run("DELETE FROM issue WHERE id = ?", issue).changes;
}
