import { type ErasureMatch, type ErasureOutcome, nothingErased } from "../../erase/erasure.ts";
import { ErasureMatcher } from "../../erase/matcher.ts";
import { tablesWithProject } from "../../erase/tables-with-project.ts";
import type { Queries } from "../connect/connections.ts";
import { recount } from "../issues/merge-issues.ts";
import { findFeedback } from "./count-lasting.ts";
import type { EraseState } from "./erase-state.ts";
import { deleteGroup, usesOfNames } from "./forget-events.ts";

/** Groups that are deleted in one transaction. */
const groupsAtOnce = 500;

/** Deletes what outlives the parts. After the rows, because issues with events stay. */
export async function eraseLasting(
  queries: Queries,
  state: EraseState,
  project: number,
  match: ErasureMatch,
): Promise<ErasureOutcome> {
  const matcher = new ErasureMatcher(match);
  await queries.run(
    `DELETE FROM holdfast.visitor_alias
     WHERE project = $1 AND ($2 OR visitor = ANY ($3::bigint[]) OR alias = ANY ($3::bigint[]))`,
    project,
    match.all,
    match.visitors,
  );
  const feedback = await forgetFeedback(queries, project, matcher);
  await forgetVisitors(queries, project, match);
  if (matcher.readsBodies) await forgetMentions(queries, state, matcher);
  const { issues, isUnfinished } = await forgetGroups(queries, project, match);
  if (match.all && !isUnfinished) await forgetProject(queries, project);
  return { counts: { ...nothingErased, feedback, issues }, isUnfinished };
}

async function forgetFeedback(queries: Queries, project: number, matcher: ErasureMatcher): Promise<number> {
  const ids = await findFeedback(queries, project, matcher);
  return queries.run("DELETE FROM holdfast.feedback WHERE id = ANY ($1::bigint[])", ids);
}

/** Also of groups whose events retention has deleted. */
async function forgetVisitors(queries: Queries, project: number, { visitors }: ErasureMatch): Promise<void> {
  if (visitors.length === 0) return;
  const rows = await queries.all<{ grp: number; issue: number; n: number }>(
    `WITH gone AS (DELETE FROM holdfast.group_visitor v USING holdfast.issue_group g
       WHERE g.id = v.grp AND g.project = $1 AND v.visitor = ANY ($2::bigint[]) RETURNING v.grp, g.issue)
     SELECT grp, issue, count(*) AS n FROM gone GROUP BY 1, 2`,
    project,
    visitors,
  );
  for (const { grp, issue, n } of rows) {
    await queries.run("UPDATE holdfast.issue_group SET visitors = greatest(0, visitors - $2) WHERE id = $1", grp, n);
    await recount(queries, issue);
  }
}

/** Names of routes and tags, and comments of people, that mention an address. */
async function forgetMentions(queries: Queries, { names }: EraseState, matcher: ErasureMatcher): Promise<void> {
  const all = await queries.all<{ id: number; text: string }>(
    "SELECT id, text FROM holdfast.name WHERE text ~ '[@.:]|%40'",
  );
  const found = all.filter(({ text }) => matcher.text(text));
  for (const { text } of found) names.add(text);
  if (found.length > 0)
    for (const [table, column] of usesOfNames)
      if (table !== "event" && table !== "segment")
        await queries.run(
          `DELETE FROM holdfast.${table} WHERE ${column} = ANY ($1::int[])`,
          found.map(({ id }) => id),
        );
  const comments = await queries.all<{ id: number; what: string }>(
    "SELECT id, what FROM holdfast.issue_history WHERE what ~ '[@.:]' AND what LIKE '%\"comment\"%'",
  );
  await queries.run(
    "DELETE FROM holdfast.issue_history WHERE id = ANY ($1::bigint[])",
    comments.flatMap(({ id, what }) => (matcher.text(what) ? [id] : [])),
  );
  const routes = await queries.all<{ id: number; route: string }>(
    "SELECT id, route FROM holdfast.issue WHERE route ~ '[@.:]|%40'",
  );
  await queries.run(
    "UPDATE holdfast.issue SET route = NULL WHERE id = ANY ($1::bigint[])",
    routes.flatMap(({ id, route }) => (matcher.text(route) ? [id] : [])),
  );
}

async function forgetGroups(
  queries: Queries,
  project: number,
  match: ErasureMatch,
): Promise<{ issues: number; isUnfinished: boolean }> {
  const rows = match.all
    ? await queries.all<{ id: number }>(
        "SELECT id FROM holdfast.issue_group WHERE project = $1 LIMIT $2",
        project,
        groupsAtOnce,
      )
    : match.groups.map((id) => ({ id }));
  let issues = 0;
  for (const { id } of rows) issues += await deleteGroup(queries, id);
  return { issues, isUnfinished: match.all && rows.length === groupsAtOnce };
}

const tablesByProject = [...tablesWithProject, "session_fact"];

async function forgetProject(queries: Queries, project: number): Promise<void> {
  await queries.run(
    "DELETE FROM holdfast.issue_history WHERE issue IN (SELECT id FROM holdfast.issue WHERE project = $1)",
    project,
  );
  for (const table of tablesByProject) await queries.run(`DELETE FROM holdfast.${table} WHERE project = $1`, project);
  await queries.run(
    "DELETE FROM holdfast.map_file f WHERE NOT EXISTS (SELECT 1 FROM holdfast.source_map m WHERE m.hash = f.hash)",
  );
}
