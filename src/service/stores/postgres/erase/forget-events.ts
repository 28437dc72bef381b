import { dayMs, hourMs } from "../../../clock.ts";
import { stacksPerGroup } from "../../counter-limits.ts";
import { shownAgain, titleFor } from "../../erase/shown-again.ts";
import type { StoredJson } from "../../filed.ts";
import { eventOfJson } from "../../values/event-json.ts";
import { tagsOfEvent } from "../../values/event-texts.ts";
import type { Queries } from "../connect/connections.ts";
import { recount } from "../issues/merge-issues.ts";
import { readBodies } from "../read/read-bodies.ts";
import { indexOf } from "../search-words.ts";
import { tablesOfGroups } from "../upkeep.ts";
import type { EraseState } from "./erase-state.ts";

/** An event that was deleted, as far as counters know it. */
export interface GoneEvent {
  readonly eventId: string;
  readonly group: number;
  readonly at: number;
  readonly visitor: number | null;
  readonly route: string | undefined;
  readonly release: number;
  readonly environment: number;
  readonly body: StoredJson | undefined;
}

/**
 * Takes events out of the counters, tags and texts of their groups, after their rows were deleted. A group of which no
 * event is left shows nothing any more, and goes at the end.
 */
export async function forgetEvents(queries: Queries, state: EraseState, gone: readonly GoneEvent[]): Promise<void> {
  for (const [group, events] of Map.groupBy(gone, (event) => event.group)) {
    for (const event of events) await uncount(queries, state, event);
    for (const table of ["group_hour", "group_day", "group_release", "group_tag"])
      await queries.run(`DELETE FROM holdfast.${table} WHERE grp = $1 AND n <= 0`, group);
    const visitors = new Set(events.flatMap(({ visitor }) => visitor ?? []));
    await forgetVisitors(queries, group, [...visitors]);
    await queries.run(
      "UPDATE holdfast.issue_group SET events = greatest(0, events - $2) WHERE id = $1",
      group,
      events.length,
    );
    await showAgain(queries, state, group);
  }
}

async function uncount(
  queries: Queries,
  { names }: EraseState,
  { group, at, release, environment, route, body, eventId }: GoneEvent,
): Promise<void> {
  await queries.run(
    "UPDATE holdfast.group_hour SET n = n - 1 WHERE grp = $1 AND hour = $2 AND environment = $3 AND release = $4",
    group,
    Math.floor(at / hourMs),
    environment,
    release,
  );
  await queries.run(
    "UPDATE holdfast.group_day SET n = n - 1 WHERE grp = $1 AND day = $2 AND environment = $3",
    group,
    Math.floor(at / dayMs),
    environment,
  );
  await queries.run("UPDATE holdfast.group_release SET n = n - 1 WHERE grp = $1 AND release = $2", group, release);
  const event = body && eventOfJson(body, eventId);
  const tags = event === undefined ? [] : tagsOfEvent(event, route);
  for (const [, value] of tags) names.add(value);
  if (route !== undefined) names.add(route);
  await queries.run(
    `UPDATE holdfast.group_tag t SET n = t.n - 1 FROM unnest($2::text[], $3::text[]) AS u (key, value)
     JOIN holdfast.name k ON k.text = u.key LEFT JOIN holdfast.name v ON v.text = u.value
     WHERE t.grp = $1 AND t.key = k.id AND t.value = coalesce(v.id, 0)`,
    group,
    tags.map(([key]) => key),
    tags.map(([, value]) => value),
  );
}

/** A sketch of more than a thousand visitors has nothing of a single one. */
async function forgetVisitors(queries: Queries, group: number, visitors: readonly number[]): Promise<void> {
  const deleted = await queries.run(
    `DELETE FROM holdfast.group_visitor v WHERE grp = $1 AND visitor = ANY ($2::bigint[])
       AND NOT EXISTS (SELECT 1 FROM holdfast.event e WHERE e.grp = v.grp AND e.visitor = v.visitor)`,
    group,
    visitors,
  );
  if (deleted > 0)
    await queries.run(
      "UPDATE holdfast.issue_group SET visitors = greatest(0, visitors - $2) WHERE id = $1",
      group,
      deleted,
    );
}

interface RemainingRow {
  event_id: string;
  at: number;
  route: string | null;
  release: string | null;
  part: number;
  block: number | null;
  slot: number | null;
}

/** Titles and texts are those of remaining events: the group may have shown a deleted one. */
async function showAgain(queries: Queries, state: EraseState, group: number): Promise<void> {
  const rows = await queries.all<RemainingRow>(
    `SELECT e.event_id, e.at, r.text AS route, l.text AS release, e.part, e.block, e.slot FROM holdfast.event e
     LEFT JOIN holdfast.name r ON r.id = e.route LEFT JOIN holdfast.name l ON l.id = e.release
     WHERE e.grp = $1 ORDER BY e.at DESC, e.id DESC LIMIT $2`,
    group,
    stacksPerGroup,
  );
  const bodyAt = await readBodies(queries, rows);
  const shown = shownAgain(
    rows.flatMap((row) => {
      const reading = bodyAt(row);
      const event = reading.kind === "whole" ? eventOfJson(reading.body, row.event_id) : undefined;
      return event === undefined ? [] : [{ row, event, route: row.route ?? undefined }];
    }),
  );
  const owner = await queries.one<{ issue: number; rule: string }>(
    "SELECT issue, rule FROM holdfast.issue_group WHERE id = $1",
    group,
  );
  if (owner === undefined) return;
  if (rows.length === 0) state.emptied.add(group);
  await queries.run("DELETE FROM holdfast.group_text WHERE grp = $1", group);
  const texts = shown?.texts ?? [];
  const title = shown && titleFor(owner.rule, shown.title);
  await queries.run(
    `UPDATE holdfast.issue_group SET type = $2, title = $3, culprit = $4, level = coalesce($5, level), last_release = $6,
       last_event = coalesce($7::uuid, last_event), last_seen = coalesce($8, last_seen), texts = $9 WHERE id = $1`,
    group,
    title?.type ?? null,
    title?.text ?? "",
    title?.culprit ?? null,
    shown?.event.level ?? null,
    shown?.row.release ?? null,
    shown?.row.event_id ?? null,
    shown?.row.at ?? null,
    texts.length,
  );
  await queries.run(
    "INSERT INTO holdfast.group_text (grp, text, words) SELECT $1, * FROM unnest($2::text[], $3::tsvector[])",
    group,
    texts,
    texts.map(indexOf),
  );
  await recount(queries, owner.issue);
}

/** Deletes groups of which no event is left, and names that only they used. Returns the number of deleted issues. */
export async function dropEmptied(queries: Queries, { emptied, names }: EraseState): Promise<number> {
  let issues = 0;
  for (const group of emptied) {
    const isUsed = await queries.one("SELECT 1 FROM holdfast.event WHERE grp = $1 LIMIT 1", group);
    if (isUsed === undefined) issues += await deleteGroup(queries, group);
  }
  emptied.clear();
  await dropNames(queries, [...names]);
  names.clear();
  return issues;
}

/** Returns the number of deleted issues, 0 or 1: an issue may have other groups. */
export async function deleteGroup(queries: Queries, group: number): Promise<number> {
  const owner = await queries.one<{ issue: number }>(
    "DELETE FROM holdfast.issue_group WHERE id = $1 RETURNING issue",
    group,
  );
  if (owner === undefined) return 0;
  for (const table of tablesOfGroups) await queries.run(`DELETE FROM holdfast.${table} WHERE grp = $1`, group);
  const { issue } = owner;
  // The shell of an issue that was merged into another one.
  if (group !== issue) await deleteIssue(queries, group);
  const next = await queries.one<{ id: number }>(
    "SELECT id FROM holdfast.issue_group WHERE issue = $1 ORDER BY last_seen DESC LIMIT 1",
    issue,
  );
  if (next === undefined) return deleteIssue(queries, issue);
  await recount(queries, issue);
  if (group === issue)
    await queries.run(
      `UPDATE holdfast.issue i SET type = g.type, title = coalesce(g.title, ''), culprit = g.culprit
       FROM holdfast.issue_group g WHERE i.id = $1 AND g.id = $2`,
      issue,
      next.id,
    );
  return 0;
}

async function deleteIssue(queries: Queries, issue: number): Promise<number> {
  await queries.run("UPDATE holdfast.issue SET merged_into = NULL WHERE merged_into = $1", issue);
  await queries.run("DELETE FROM holdfast.issue_history WHERE issue = $1", issue);
  return queries.run("DELETE FROM holdfast.issue WHERE id = $1", issue);
}

/** All columns that refer to a name. */
export const usesOfNames: readonly (readonly [table: string, column: string])[] = [
  ["group_tag", "key"],
  ["group_tag", "value"],
  ["group_hour", "environment"],
  ["group_hour", "release"],
  ["group_day", "environment"],
  ["group_release", "release"],
  ["sketch_hour", "route"],
  ["sketch_day", "route"],
  ["sketch_release", "release"],
  ...(["count_hour", "count_day"] as const).flatMap((table) =>
    ["name", "route", "label"].map((column) => [table, column] as const),
  ),
  ["session_hour", "release"],
  ["session_hour", "environment"],
  ["discard_hour", "reason"],
  ["discard_hour", "category"],
  ["release_chunk", "release"],
  ...["route", "release", "environment"].map((column) => ["event", column] as const),
  ...["route", "status", "release", "environment"].map((column) => ["segment", column] as const),
];

async function dropNames(queries: Queries, texts: readonly string[]): Promise<void> {
  if (texts.length === 0) return;
  const used = usesOfNames.map(([table, column]) => `SELECT 1 FROM holdfast.${table} WHERE ${column} = n.id`);
  await queries.run(
    `DELETE FROM holdfast.name n WHERE text = ANY ($1::text[]) AND ${used.map((use) => `NOT EXISTS (${use})`).join(" AND ")}`,
    texts,
  );
}
