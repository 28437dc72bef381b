import type { ErasureMatch, ErasureOutcome } from "../../erase/erasure.ts";
import { nothingErased } from "../../erase/erasure.ts";
import { ErasureMatcher } from "../../erase/matcher.ts";
import { tablesWithProject } from "../../erase/tables-with-project.ts";
import { forgetUnusedNames, usesOfNames } from "../forget-lasting.ts";
import type { GroupIndex } from "../group-index.ts";
import { recount } from "../issues/merge-issues.ts";
import type { StoreFiles } from "../store-files.ts";
import type { WeekFile } from "../week/week-file.ts";
import { findFeedback } from "./count-lasting.ts";
import { deleteGroup } from "./forget-events.ts";

export interface EraseDeps {
  readonly files: StoreFiles;
  readonly groups: GroupIndex;
}

/** Groups that are deleted in one turn. */
const groupsAtOnce = 500;

/** Deletes what outlives the weeks. After the rows, because issues with events stay. */
export function eraseLasting({ files }: EraseDeps, project: number, match: ErasureMatch): ErasureOutcome {
  const { meta } = files;
  const matcher = new ErasureMatcher(match);
  for (const week of files.weeks()) week.database.transaction(() => forgetAliases(week, project, match));
  return meta.transaction(() => {
    const feedback = forgetFeedback(files, project, matcher);
    forgetVisitors(files, project, match);
    if (matcher.readsBodies) forgetMentions(files, matcher);
    const { issues, isUnfinished } = forgetGroups(files, project, match);
    if (match.all && !isUnfinished) forgetProject(files, project);
    return { counts: { ...nothingErased, feedback, issues }, isUnfinished };
  });
}

function forgetAliases({ database }: WeekFile, project: number, { all, visitors }: ErasureMatch): void {
  database.run(
    `DELETE FROM visitor_alias WHERE project = ?1
       AND (?2 OR visitor IN (SELECT value FROM json_each(?3)) OR alias IN (SELECT value FROM json_each(?3)))`,
    project,
    Number(all),
    JSON.stringify(visitors),
  );
  if (all) database.run("DELETE FROM session WHERE project = ?", project);
}

function forgetFeedback(files: StoreFiles, project: number, matcher: ErasureMatcher): number {
  let deleted = 0;
  for (const id of findFeedback(files, project, matcher))
    deleted += files.meta.run("DELETE FROM feedback WHERE id = ?", id).changes;
  return deleted;
}

/** Also of groups whose events retention has deleted. */
function forgetVisitors({ meta }: StoreFiles, project: number, { visitors }: ErasureMatch): void {
  if (visitors.length === 0) return;
  const list = JSON.stringify(visitors);
  const rows = meta.all<{ grp: number; issue: number; n: number }>(
    `SELECT group_visitor.grp, issue_group.issue, count(*) AS n FROM group_visitor
     JOIN issue_group ON issue_group.id = group_visitor.grp
     WHERE visitor IN (SELECT value FROM json_each(?)) AND project = ? GROUP BY 1, 2`,
    list,
    project,
  );
  for (const { grp, issue, n } of rows) {
    meta.run("DELETE FROM group_visitor WHERE grp = ? AND visitor IN (SELECT value FROM json_each(?))", grp, list);
    meta.run("UPDATE issue_group SET visitors = max(0, visitors - ?) WHERE id = ?", n, grp);
    recount(meta, issue);
  }
}

/** Names of routes and tags, and comments of people, that mention an address. */
function forgetMentions({ meta }: StoreFiles, matcher: ErasureMatcher): void {
  const names = meta
    .all<{ id: number; text: string }>("SELECT id, text FROM name")
    .filter(({ text }) => matcher.text(text));
  for (const { id } of names) {
    for (const use of usesOfNames) {
      const [, column = "", table = ""] = /^SELECT (\w+) FROM (\w+)$/.exec(use) ?? [];
      if (table !== "") meta.run(`DELETE FROM ${table} WHERE ${column} = ?`, id);
    }
  }
  const comments = meta.iterate<{ id: number; what: string }>(
    "SELECT id, what FROM issue_history WHERE what LIKE '%@%' OR what LIKE '%.%'",
  );
  const mentioning = [...comments].flatMap(({ id, what }) => (matcher.text(what) ? [id] : []));
  for (const id of mentioning) meta.run("DELETE FROM issue_history WHERE id = ?", id);
  for (const { id, route } of meta.all<{ id: number; route: string }>(
    "SELECT id, route FROM issue WHERE route IS NOT NULL",
  ))
    if (matcher.text(route)) meta.run("UPDATE issue SET route = NULL WHERE id = ?", id);
}

function forgetGroups(
  files: StoreFiles,
  project: number,
  match: ErasureMatch,
): { issues: number; isUnfinished: boolean } {
  const found = match.all
    ? files.meta
        .all<{ id: number }>("SELECT id FROM issue_group WHERE project = ? LIMIT ?", project, groupsAtOnce)
        .map(({ id }) => id)
    : match.groups;
  let issues = 0;
  for (const group of found) issues += deleteGroup(files, group);
  return { issues, isUnfinished: match.all && found.length === groupsAtOnce };
}

const tablesByProject = [
  "issue_history WHERE issue IN (SELECT id FROM issue WHERE project = ?)",
  ...[...tablesWithProject, "new_issues"].map((table) => `${table} WHERE project = ?`),
];

function forgetProject({ meta }: StoreFiles, project: number): void {
  for (const table of tablesByProject) meta.run(`DELETE FROM ${table}`, project);
  meta.run("DELETE FROM map_file WHERE hash NOT IN (SELECT hash FROM source_map)");
}

/** Names that only deleted rows used. */
const unusedInWeek = `DELETE FROM name WHERE id < (SELECT max(id) FROM name) AND id NOT IN (
  SELECT route FROM event UNION SELECT release FROM event UNION SELECT environment FROM event
  UNION SELECT route FROM segment UNION SELECT status FROM segment UNION SELECT release FROM segment
  UNION SELECT environment FROM segment)`;

/** Deletes what only erased rows used, then removes the remains of deleted rows from the files. */
export function finishErasure({ files, groups }: EraseDeps, parts: readonly string[]): ErasureOutcome {
  forgetUnusedNames(files);
  groups.forget();
  files.recentTexts.forget();
  let isUnfinished = !files.meta.removeRemains();
  for (const week of files.weeks()) {
    if (!parts.includes(week.week.name)) continue;
    week.database.transaction(() => week.database.run(unusedInWeek));
    week.forget();
    if (!week.database.removeRemains()) isUnfinished = true;
  }
  files.meta.sync();
  return { counts: nothingErased, isUnfinished };
}
