import { type FilterTerm, type IssueFilter, selectedStates } from "../../filter-language.ts";
import { type IssueRow, issueRecordOf } from "../../issue-row.ts";
import type {
  GroupRecord,
  HistoryEntry,
  IssueNews,
  IssueRecord,
  IssueReleaseRecord,
  SeriesPoint,
  TagCount,
} from "../../records.ts";
import { unitOf } from "../../series-step.ts";
import type { IssuePage, IssueQuery, IssueSort, SeriesQuery } from "../../store-requests.ts";
import { hexOf } from "../../values/row-values.ts";
import { visitorHash } from "../../values/visitor-hash.ts";
import type { StoreFiles } from "../store-files.ts";

const sortColumns: Readonly<Record<IssueSort, string>> = {
  stuck: "stuck_order",
  "last-seen": "last_seen",
  "first-seen": "first_seen",
  events: "events",
  visitors: "visitors",
};

/**
 * Reads a page of the list. Each state is read by its own index and the results are merged, so that nothing is sorted.
 */
export function readIssues(files: StoreFiles, query: IssueQuery): IssuePage {
  const column = sortColumns[query.sort];
  const where = conditionsOf(files, query.project, query.filter);
  const { after, before } = query;
  const from = before ?? after;
  const bound = from ? `AND (${column}, id) ${before ? ">" : "<"} (?, ?)` : "";
  const order = before ? "ASC" : "DESC";
  const cursor = from ? [from.value, from.id] : [];
  const rows: SqliteIssueRow[] = [];
  for (const state of selectedStates(query.filter)) {
    rows.push(
      ...files.meta.all<SqliteIssueRow>(
        `SELECT issue.*, ${column} AS sorted FROM issue WHERE project = ? AND status = ? ${bound} ${where.sql} ORDER BY ${column} ${order}, id ${order} LIMIT ?`,
        query.project,
        state,
        ...cursor,
        ...where.values,
        query.limit + 1,
      ),
    );
  }
  rows.sort((a, b) => b.sorted - a.sorted || b.id - a.id);
  if (before) return { issues: rows.slice(-query.limit).map(issueOf) };
  const page = rows.slice(0, query.limit);
  const last = page.at(-1);
  const issues = page.map(issueOf);
  return rows.length > query.limit && last ? { issues, next: { value: last.sorted, id: last.id } } : { issues };
}

export function countIssues(files: StoreFiles, project: number, filter: IssueFilter, atMost: number): number {
  const where = conditionsOf(files, project, filter);
  const states = selectedStates(filter);
  const row = files.meta.one<{ n: number }>(
    `SELECT count(*) AS n FROM (SELECT 1 FROM issue WHERE project = ? AND status IN (${states.map(() => "?").join(", ")}) ${where.sql} LIMIT ?)`,
    project,
    ...states,
    ...where.values,
    atMost,
  );
  return row?.n ?? 0;
}

const searched =
  "id IN (SELECT g.issue FROM group_text JOIN group_text_row r ON r.id = group_text.rowid JOIN issue_group g ON g.id = r.grp WHERE group_text MATCH ?)";

interface SqliteIssueRow extends IssueRow {
  last_event: Uint8Array;
  sorted: number;
}

function issueOf(row: SqliteIssueRow): IssueRecord {
  return issueRecordOf(row, hexOf(row.last_event));
}

interface Conditions {
  sql: string;
  values: (string | number)[];
}

function conditionsOf(files: StoreFiles, project: number, filter: IssueFilter): Conditions {
  const conditions: Conditions = { sql: "", values: [] };
  const add = (not: boolean, sql: string, ...values: (string | number)[]): void => {
    conditions.sql += ` AND ${not ? "NOT " : ""}(${sql})`;
    conditions.values.push(...values);
  };
  for (const term of filter.terms) addTerm(files, project, term, add);
  const matches = (not: boolean) =>
    filter.words.filter((word) => word.not === not).flatMap(({ text }) => matchOf(text) ?? []);
  // All wanted words in one query, so that the index intersects their lists.
  if (matches(false).length > 0) add(false, searched, matches(false).join(" AND "));
  for (const match of matches(true)) add(true, searched, match);
  return conditions;
}

function addTerm(
  files: StoreFiles,
  project: number,
  { field, key, value, not }: FilterTerm,
  add: (not: boolean, sql: string, ...values: (string | number)[]) => void,
): void {
  const pattern = globOf(value);
  switch (field) {
    case "level":
    case "type":
    case "platform":
      add(not, `coalesce(${field}, '') GLOB ?`, pattern);
      break;
    case "assigned":
      add(
        not,
        value === "none" ? "assignee IS NULL" : "coalesce(assignee, '') GLOB ?",
        ...(value === "none" ? [] : [pattern]),
      );
      break;
    case "first-release":
      add(not, isRelease("first_release"), pattern, versionGlob(pattern));
      break;
    case "regressed-in":
      add(not, isRelease("regressed_in"), pattern, versionGlob(pattern));
      break;
    case "resolved-in":
      add(not, resolvedIn, pattern, versionGlob(pattern), project, project, value);
      break;
    case "release":
      add(
        not,
        `id IN (SELECT g.issue FROM group_release r JOIN issue_group g ON g.id = r.grp WHERE r.release IN (SELECT id FROM name WHERE ${isRelease("text")}))`,
        pattern,
        versionGlob(pattern),
      );
      break;
    case "user":
      if (value === "*") add(not, "visitors > 0");
      else
        add(
          not,
          "id IN (SELECT issue FROM issue_group WHERE id IN (SELECT value FROM json_each(?)))",
          groupsMetBy(files, project, value),
        );
      break;
    case "route":
    case "environment":
    case "tag":
      add(
        not,
        "id IN (SELECT g.issue FROM group_tag t JOIN issue_group g ON g.id = t.grp WHERE t.key = ? AND t.value IN (SELECT id FROM name WHERE text GLOB ?))",
        files.names.find(key ?? field) ?? -1,
        pattern,
      );
      break;
  }
}

/** Matches a release by its whole name, or by its version alone: `1.4*` also means `shop@1.4.2`. */
function isRelease(column: string): string {
  return `(coalesce(${column}, '') GLOB ? OR coalesce(${column}, '') GLOB ?)`;
}

function versionGlob(pattern: string): string {
  return `*@${pattern}`;
}

/** Resolved in this release by name, or as the one after the newest known at the time of resolving. */
const resolvedIn = `${isRelease("fixed_in")} OR coalesce(fixed_after = (
  SELECT name FROM release WHERE project = ? AND first_seen < (SELECT first_seen FROM release WHERE project = ? AND name = ?)
  ORDER BY first_seen DESC LIMIT 1), 0)`;

/** Only a hash of visitors is stored, so they are found by a whole identity, never by a part of it. */
function groupsMetBy(files: StoreFiles, project: number, user: string): string {
  const groups = new Set<number>();
  const hash = visitorHash(user);
  for (const week of files.weeks()) {
    const rows = week.database.all<{ grp: number }>(
      `SELECT DISTINCT grp FROM event WHERE project = ?1 AND visitor IN
         (SELECT ?2 UNION ALL SELECT visitor FROM visitor_alias WHERE project = ?1 AND alias = ?2)`,
      project,
      hash,
    );
    for (const { grp } of rows) groups.add(grp);
  }
  return JSON.stringify([...groups]);
}

/** `*` is the filter's wildcard. All other GLOB characters are literal. */
function globOf(value: string): string {
  return value.replace(/[?[\]]/g, (character) => `[${character}]`);
}

/** Matches words with this prefix, adjacent if the text had several: `cart.ts` is the phrase "cart ts". */
function matchOf(text: string): string | undefined {
  const words = text.replace(/[^\p{L}\p{N}_]+/gu, " ").trim();
  return words === "" ? undefined : `"${words}"*`;
}

export function readIssue(
  files: StoreFiles,
  project: number,
  by: { id: number } | { number: number },
): IssueRecord | undefined {
  const row =
    "id" in by
      ? files.meta.one<SqliteIssueRow>(
          "SELECT issue.*, 0 AS sorted FROM issue WHERE id = ? AND project = ?",
          by.id,
          project,
        )
      : files.meta.one<SqliteIssueRow>(
          "SELECT issue.*, 0 AS sorted FROM issue WHERE number = ? AND project = ?",
          by.number,
          project,
        );
  return row === undefined ? undefined : issueOf(row);
}

export function readHistory({ meta }: StoreFiles, project: number, issue: number): readonly HistoryEntry[] {
  const rows = meta.all<{ at: number; by: string; what: string }>(
    "SELECT at, by, what FROM issue_history WHERE issue = (SELECT id FROM issue WHERE id = ? AND project = ?) ORDER BY id",
    issue,
    project,
  );
  // This store has written it from the same union.
  return rows.map(({ at, by, what }) => ({ at, by, what: JSON.parse(what) as HistoryEntry["what"] }));
}

export function readIssueNews({ meta }: StoreFiles, project: number, after: number, limit: number): IssueNews {
  const last = meta.one<{ number: number; regression: number }>(
    `SELECT coalesce((SELECT max(number) FROM issue WHERE project = ?1), 0) AS number,
       coalesce((SELECT max(h.id) ${regressionsOf}), 0) AS regression`,
    project,
  );
  const regressed = meta.all<{ change: number; issue: number; at: number }>(
    `SELECT h.id AS change, h.issue, h.at ${regressionsOf} AND h.id > ?2 ORDER BY h.id LIMIT ?3`,
    project,
    after,
    limit,
  );
  return { lastNumber: last?.number ?? 0, lastRegression: last?.regression ?? 0, regressed };
}

/** As in the index of regressions. */
const regressionsOf = `FROM issue_history h JOIN issue ON issue.id = h.issue
  WHERE issue.project = ?1 AND h.by = 'events' AND json_extract(h.what, '$.to.kind') = 'regressed'`;

export function readGroups({ meta }: StoreFiles, project: number, issue: number): readonly GroupRecord[] {
  const rows = meta.all<Omit<GroupRecord, "parts"> & { parts: string }>(
    `SELECT id, issue, events, first_seen AS firstSeen, last_seen AS lastSeen, rule, parts, version
     FROM issue_group WHERE issue = ? AND project = ? ORDER BY events DESC`,
    issue,
    project,
  );
  return rows.map((row) => ({ ...row, parts: JSON.parse(row.parts) as string[] }));
}

export function groupIds({ meta }: StoreFiles, project: number, issue: number): number[] {
  const sql = "SELECT id FROM issue_group WHERE issue = ? AND project = ?";
  return meta.all<{ id: number }>(sql, issue, project).map(({ id }) => id);
}

export function readSeries(
  { meta }: StoreFiles,
  { project, issues, step, from, to }: SeriesQuery,
): ReadonlyMap<number, readonly SeriesPoint[]> {
  const unit = unitOf(step);
  const rows = meta.all<{ issue: number; at: number; n: number }>(
    `SELECT g.issue AS issue, c.${step} AS at, sum(c.n) AS n FROM issue_group g JOIN group_${step} c ON c.grp = g.id
     WHERE g.issue IN (SELECT value FROM json_each(?)) AND g.project = ? AND c.${step} BETWEEN ? AND ?
     GROUP BY g.issue, c.${step} ORDER BY c.${step}`,
    JSON.stringify(issues),
    project,
    Math.floor(from / unit),
    Math.floor(to / unit),
  );
  const series = new Map<number, SeriesPoint[]>(issues.map((issue) => [issue, []]));
  for (const { issue, at, n } of rows) series.get(issue)?.push({ at: at * unit, n });
  return series;
}

export function readTags({ meta, names }: StoreFiles, project: number, issue: number): readonly TagCount[] {
  const rows = meta.all<{ key: number; value: number; n: number }>(
    `SELECT t.key, t.value, sum(t.n) AS n FROM issue_group g JOIN group_tag t ON t.grp = g.id
     WHERE g.issue = ? AND g.project = ? GROUP BY t.key, t.value ORDER BY t.key, n DESC`,
    issue,
    project,
  );
  return rows.map(({ key, value, n }) => ({ key: names.text(key) ?? "", value: names.text(value) ?? "(others)", n }));
}

export function hasTag({ meta, names }: StoreFiles, project: number, key: string): boolean {
  const found = meta.one(
    "SELECT 1 FROM group_tag t JOIN issue_group g ON g.id = t.grp WHERE t.key = ? AND g.project = ? LIMIT 1",
    names.find(key) ?? -1,
    project,
  );
  return found !== undefined;
}

export function readIssueReleases(
  { meta, names }: StoreFiles,
  project: number,
  issue: number,
): readonly IssueReleaseRecord[] {
  const rows = meta.all<{ release: number; firstSeen: number; lastSeen: number; events: number }>(
    `SELECT r.release, min(r.first_seen) AS firstSeen, max(r.last_seen) AS lastSeen, sum(r.n) AS events
     FROM issue_group g JOIN group_release r ON r.grp = g.id
     WHERE g.issue = ? AND g.project = ? GROUP BY r.release ORDER BY firstSeen`,
    issue,
    project,
  );
  return rows.map(({ release, ...rest }) => ({ release: names.text(release) ?? "", ...rest }));
}
