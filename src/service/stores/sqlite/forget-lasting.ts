import { dayMs } from "../../clock.ts";
import type { WhyGone } from "../store.ts";
import type { GroupIndex } from "./group-index.ts";
import type { StoreFiles } from "./store-files.ts";

// So many issues go in one transaction: what is filed meanwhile waits some ten milliseconds.
const issuesAtOnce = 1_000;
// And so many times in a row at most; the rest goes at the next turn.
const turns = 20;
// As many builds of a project as the page server keeps files of: open tabs may still have them.
const buildsKept = 3;
// Counters by the day go by so many days at once.
const daysAtOnce = 30;

/**
 * Makes what lasts take no more than this. First what can be missed goes: source maps of old builds, issues of which no
 * event is kept. Then what the newest builds but one brought, then counters by the day, and at last the newest maps.
 */
export function forgetLasting({ files, groups }: { files: StoreFiles; groups: GroupIndex }, toBytes: number): void {
  const isTooMuch = (): boolean => files.meta.usedBytes > toBytes;
  const forgetMaps = (kept: number) => repeat(isTooMuch, () => forgetBuilds(files, kept, { builds: 1, why: "bytes" }));
  let gone = forgetMaps(buildsKept);
  const oldest = files.weekList().at(-1)?.from ?? Number.MAX_SAFE_INTEGER;
  const issues = repeat(isTooMuch, () => forgetIssues(files, oldest), turns);
  if (issues > 0) {
    forgetUnusedNames(files);
    groups.forget();
    files.recentTexts.forget();
  }
  gone += issues + forgetMaps(1) + repeat(isTooMuch, () => forgetOldestDays(files), turns) + forgetMaps(0);
  // Hourly counters go all the time, and what they leave behind is used again; a file of which a good part is unused
  // gives it back.
  if (gone > 0 || files.meta.unusedBytes > toBytes / 10) files.meta.compact();
}

/** Returns the sum of what each turn did; a turn that does nothing is the last. */
function repeat(goOn: () => boolean, turn: () => number, most = Number.MAX_SAFE_INTEGER): number {
  let sum = 0;
  for (let n = 0; n < most && goOn(); n += 1) {
    const done = turn();
    if (done === 0) break;
    sum += done;
  }
  return sum;
}

/** Source maps of builds that were added before then; the newest builds of each project stay. */
export function forgetMapsBefore(files: StoreFiles, at: number): void {
  if (forgetBuilds(files, buildsKept, { addedBefore: at, why: "age" }) > 0) files.meta.compact();
}

/**
 * Builds beyond the newest of each project, those first that no event has named for longest. A map that several builds
 * share belongs to the one that brought it last.
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

/** Returns how many maps went. */
function forgetBuilds(
  files: StoreFiles,
  kept: number,
  {
    addedBefore = Number.MAX_SAFE_INTEGER,
    builds = Number.MAX_SAFE_INTEGER,
    why,
  }: { addedBefore?: number; builds?: number; why: WhyGone },
): number {
  const { meta } = files;
  return meta.transaction(() => {
    let maps = 0;
    for (const old of meta.all<{ project: number; build: string }>(oldBuilds, kept, addedBefore, builds))
      maps += meta.run(
        "DELETE FROM source_map WHERE project = ? AND coalesce(release, '') = ?",
        old.project,
        old.build,
      ).changes;
    if (maps > 0) meta.run("DELETE FROM map_file WHERE hash NOT IN (SELECT hash FROM source_map)");
    files.countGone("source-maps", why, maps);
    return maps;
  });
}

const tablesByDay = ["group_day", "count_day", "sketch_day"] as const;

/** Takes out the oldest days of all that is counted by the day. Returns how many days went. */
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
    // The newest stay: they are what is counted now.
    const before = Math.min(days.first + daysAtOnce, days.last);
    const n = before - days.first;
    if (n <= 0) return 0;
    for (const table of tablesByDay) meta.run(`DELETE FROM ${table} WHERE day < ?`, before);
    meta.run("DELETE FROM session_hour WHERE hour < ?", before * 24);
    meta.run("DELETE FROM feedback WHERE at < ?", before * dayMs);
    files.countGone("days", "bytes", n);
    return n;
  });
}

const tablesByGroup = [
  "group_hour",
  "group_day",
  "group_visitor",
  "group_visitor_sketch",
  "group_tag",
  "group_release",
  "fingerprint",
] as const;

/** Returns how many went. The newest number of a project stays, so that no number is given twice. */
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
    // Those that were merged into them went with them.
    const list = JSON.stringify(issues);
    const all = `SELECT id FROM issue WHERE id IN (SELECT value FROM json_each(?1))
      OR merged_into IN (SELECT value FROM json_each(?1))`;
    meta.run(`DELETE FROM issue_history WHERE issue IN (${all})`, list);
    meta.run(`DELETE FROM issue WHERE id IN (${all})`, list);
    files.countGone("issues", "bytes", issues.length);
    return issues.length;
  });
}

/** An event may have happened long before it came, and is kept by when it came. */
function issuesWithEvents(files: StoreFiles, groups: readonly { id: number; issue: number }[]): ReadonlySet<number> {
  const found = new Set<number>();
  for (const { database } of files.weeks()) {
    for (const { id, issue } of groups)
      if (!found.has(issue) && database.one("SELECT 1 FROM event WHERE grp = ? LIMIT 1", id) !== undefined)
        found.add(issue);
  }
  return found;
}

/** Every place of the meta file where a name is used by its number. */
const usesOfNames = [
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

function forgetUnusedNames({ meta, names }: StoreFiles): void {
  // The newest number stays, so that no number comes to mean another text: readers keep them in memory.
  meta.transaction(() =>
    meta.run(`DELETE FROM name WHERE id NOT IN (${usesOfNames.join(" UNION ")}) AND id < (SELECT max(id) FROM name)`),
  );
  names.forget();
  // What was deleted of the index is in it until its parts are laid together.
  meta.transaction(() => meta.run("INSERT INTO group_text (group_text) VALUES ('optimize')"));
}
