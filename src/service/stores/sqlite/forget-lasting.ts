import { dayMs } from "../../clock.ts";
import type { DeletionReason } from "../records.ts";
import type { GroupIndex } from "./group-index.ts";
import type { StoreFiles } from "./store-files.ts";

// Issues deleted in one transaction. Filing waits about 10 ms meanwhile.
const issuesAtOnce = 1_000;
// Transactions in a row. The rest follows at the next turn.
const turns = 20;
// Builds of a project whose files the page server still keeps, because open tabs may use them.
const retainedBuilds = 3;
// Days of daily counters deleted at once.
const daysAtOnce = 30;

/**
 * Shrinks the long-lived data to a size. Deletes the dispensable first: source maps of old builds, issues without
 * stored events. Then the maps of the newest builds but one, then daily counters, and last the newest maps.
 */
export function forgetLasting({ files, groups }: { files: StoreFiles; groups: GroupIndex }, toBytes: number): void {
  const isTooMuch = (): boolean => files.meta.usedBytes > toBytes;
  const forgetMaps = (retained: number) =>
    repeat(isTooMuch, () => forgetBuilds(files, retained, { builds: 1, why: "bytes" }));
  let deleted = forgetMaps(retainedBuilds);
  const oldest = files.weekList().at(-1)?.from ?? Number.MAX_SAFE_INTEGER;
  const issues = repeat(isTooMuch, () => forgetIssues(files, oldest), turns);
  if (issues > 0) {
    forgetUnusedNames(files);
    groups.forget();
    files.recentTexts.forget();
  }
  deleted += issues + forgetMaps(1) + repeat(isTooMuch, () => forgetOldestDays(files), turns) + forgetMaps(0);
  // Hourly counters are deleted continuously, and their pages are reused. A file with many free pages is compacted.
  if (deleted > 0 || files.meta.unusedBytes > toBytes / 10) files.meta.compact();
}

/** Returns the sum of all turns. A turn that does nothing is the last. */
function repeat(shouldContinue: () => boolean, turn: () => number, most = Number.MAX_SAFE_INTEGER): number {
  let sum = 0;
  for (let n = 0; n < most && shouldContinue(); n += 1) {
    const done = turn();
    if (done === 0) break;
    sum += done;
  }
  return sum;
}

/** Deletes source maps of builds that were added before then. The newest builds of each project stay. */
export function forgetMapsBefore(files: StoreFiles, at: number): void {
  if (forgetBuilds(files, retainedBuilds, { addedBefore: at, why: "age" }) > 0) files.meta.compact();
}

/**
 * Builds beyond the newest of each project, those unused by events for longest first. A map that several builds share
 * belongs to the last one that added it.
 */
const oldBuilds = `SELECT project, build FROM (
    SELECT project, build, max(added) AS added, max(used) AS used,
      row_number() OVER (PARTITION BY project ORDER BY max(added) DESC, build DESC) AS place
    FROM (
      SELECT source_map.project, coalesce(source_map.release, '') AS build, added_at AS added,
        coalesce(release.last_seen, 0) AS used
      FROM source_map
      LEFT JOIN release_chunk AS chunk ON chunk.project = source_map.project AND chunk.debug_id = source_map.debug_id
      LEFT JOIN name ON name.id = chunk.release
      LEFT JOIN release ON release.project = source_map.project AND release.name = name.text
    ) GROUP BY project, build
  ) WHERE place > ?1 AND added < ?2 ORDER BY max(added, used) LIMIT ?3`;

/** Returns the number of deleted maps. */
function forgetBuilds(
  files: StoreFiles,
  retained: number,
  {
    addedBefore = Number.MAX_SAFE_INTEGER,
    builds = Number.MAX_SAFE_INTEGER,
    why,
  }: { addedBefore?: number; builds?: number; why: DeletionReason },
): number {
  const { meta } = files;
  return meta.transaction(() => {
    let maps = 0;
    for (const old of meta.all<{ project: number; build: string }>(oldBuilds, retained, addedBefore, builds))
      maps += meta.run(
        "DELETE FROM source_map WHERE project = ? AND coalesce(release, '') = ?",
        old.project,
        old.build,
      ).changes;
    if (maps > 0) meta.run("DELETE FROM map_file WHERE hash NOT IN (SELECT hash FROM source_map)");
    files.countDeleted("source-maps", why, maps);
    return maps;
  });
}

const tablesByDay = ["group_day", "count_day", "sketch_day"] as const;

/** Deletes the oldest days of all daily counters. Returns the number of deleted days. */
function forgetOldestDays(files: StoreFiles): number {
  const { meta } = files;
  return meta.transaction(() => {
    const all = tablesByDay
      .map((table) => `SELECT min(day) AS day, max(day) AS last FROM ${table}`)
      .join(" UNION ALL ");
    const days = meta.one<{ first: number | null; last: number | null }>(
      `SELECT min(day) AS first, max(last) AS last FROM (${all})`,
    );
    if (days === undefined || days.first === null || days.last === null) return 0;
    // The newest day stays, because it is still counting.
    const before = Math.min(days.first + daysAtOnce, days.last);
    const n = before - days.first;
    if (n <= 0) return 0;
    for (const table of tablesByDay) meta.run(`DELETE FROM ${table} WHERE day < ?`, before);
    meta.run("DELETE FROM session_hour WHERE hour < ?", before * 24);
    meta.run("DELETE FROM feedback WHERE at < ?", before * dayMs);
    files.countDeleted("days", "bytes", n);
    return n;
  });
}

export const tablesByGroup = [
  "group_hour",
  "group_day",
  "group_visitor",
  "group_visitor_sketch",
  "group_tag",
  "group_release",
  "fingerprint",
] as const;

/** Returns the number of deleted issues. The highest number of a project stays, so that no number is reused. */
function forgetIssues(files: StoreFiles, lastSeenBefore: number): number {
  const { meta } = files;
  return meta.transaction(() => {
    const found = meta
      .all<{ id: number }>(
        `SELECT id FROM issue WHERE last_seen < ? AND status <> 'merged'
           AND number < (SELECT max(number) FROM issue AS other WHERE other.project = issue.project)
         ORDER BY last_seen LIMIT ?`,
        lastSeenBefore,
        issuesAtOnce,
      )
      .map(({ id }) => id);
    const groupsOf = (issues: readonly number[]): { id: number; issue: number }[] =>
      meta.all(
        "SELECT id, issue FROM issue_group WHERE issue IN (SELECT value FROM json_each(?))",
        JSON.stringify(issues),
      );
    const withEvents = issuesWithEvents(files, groupsOf(found));
    const issues = found.filter((id) => !withEvents.has(id));
    if (issues.length === 0) return 0;
    const grp = JSON.stringify(groupsOf(issues).map(({ id }) => id));
    for (const table of tablesByGroup)
      meta.run(`DELETE FROM ${table} WHERE grp IN (SELECT value FROM json_each(?))`, grp);
    const texts = "SELECT id FROM group_text_row WHERE grp IN (SELECT value FROM json_each(?))";
    meta.run(`DELETE FROM group_text WHERE rowid IN (${texts})`, grp);
    meta.run("DELETE FROM group_text_row WHERE grp IN (SELECT value FROM json_each(?))", grp);
    meta.run("DELETE FROM issue_group WHERE id IN (SELECT value FROM json_each(?))", grp);
    // Also deletes the issues merged into them.
    const list = JSON.stringify(issues);
    const all = `SELECT id FROM issue WHERE id IN (SELECT value FROM json_each(?1))
      OR merged_into IN (SELECT value FROM json_each(?1))`;
    meta.run(`DELETE FROM issue_history WHERE issue IN (${all})`, list);
    meta.run(`DELETE FROM issue WHERE id IN (${all})`, list);
    files.countDeleted("issues", "bytes", issues.length);
    return issues.length;
  });
}

/** An event may have happened long before it arrived, and is stored by its arrival. */
function issuesWithEvents(files: StoreFiles, groups: readonly { id: number; issue: number }[]): ReadonlySet<number> {
  const found = new Set<number>();
  for (const { database } of files.weeks()) {
    for (const { id, issue } of groups)
      if (!found.has(issue) && database.one("SELECT 1 FROM event WHERE grp = ? LIMIT 1", id) !== undefined)
        found.add(issue);
  }
  return found;
}

/** All columns of the meta file that refer to a name. */
export const usesOfNames: readonly string[] = [
  "SELECT key FROM group_tag",
  "SELECT value FROM group_tag",
  "SELECT environment FROM group_hour",
  "SELECT release FROM group_hour",
  "SELECT environment FROM group_day",
  "SELECT release FROM group_release",
  "SELECT route FROM sketch_hour",
  "SELECT route FROM sketch_day",
  "SELECT release FROM sketch_release",
  ...["count_hour", "count_day"].flatMap((table) =>
    ["name", "route", "label"].map((use) => `SELECT ${use} FROM ${table}`),
  ),
  "SELECT release FROM session_hour",
  "SELECT environment FROM session_hour",
  "SELECT reason FROM discard_hour",
  "SELECT category FROM discard_hour",
  "SELECT release FROM release_chunk",
];

/** Also removes the words of deleted texts from the index. */
export function forgetUnusedNames({ meta, names }: StoreFiles): void {
  // The highest id stays, so that no id is reused: readers cache them.
  meta.transaction(() =>
    meta.run(`DELETE FROM name WHERE id NOT IN (${usesOfNames.join(" UNION ")}) AND id < (SELECT max(id) FROM name)`),
  );
  names.forget();
  // Deleted entries stay in the index until its segments are merged.
  meta.transaction(() => meta.run("INSERT INTO group_text (group_text) VALUES ('optimize')"));
}
