import { type FilterTerm, type IssueFilter, selectedStates } from "../../filter-language.ts";
import { type IssueRow, issueRecordOf, whatOf } from "../../issue-row.ts";
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
import { visitorHash } from "../../values/visitor-hash.ts";
import { questionOf } from "../search-words.ts";
import type { ReadDeps } from "./reader.ts";

const sortColumns: Readonly<Record<IssueSort, string>> = {
  stuck: "(stuck * 2147483648 + last_seen / 1000)",
  "last-seen": "last_seen",
  "first-seen": "first_seen",
  events: "events",
  visitors: "visitors",
};

interface PostgresIssueRow extends IssueRow {
  last_event: string;
  sorted: number;
}

/**
 * A page of the list. Each state is read along its own index and the pages are laid together, so that none is sorted.
 * An issue without events belongs to a batch that is still to come.
 */
export async function readIssues({ pool }: ReadDeps, query: IssueQuery): Promise<IssuePage> {
  const column = sortColumns[query.sort];
  const conditions = new Conditions(query.project);
  conditions.addFilter(query.filter);
  const { after, before } = query;
  const from = before ?? after;
  const order = before ? "ASC" : "DESC";
  if (from)
    conditions.add(
      false,
      `(${column}, id) ${before ? ">" : "<"} (${conditions.value(from.value)}, ${conditions.value(from.id)})`,
    );
  const limit = conditions.value(query.limit + 1);
  const branches = selectedStates(query.filter).map(
    (state) => `(SELECT issue.*, ${column} AS sorted FROM holdfast.issue
      WHERE project = $1 AND status = '${state}' AND events > 0 ${conditions.sql}
      ORDER BY ${column} ${order}, id ${order} LIMIT ${limit})`,
  );
  const rows = await pool.all<PostgresIssueRow>(
    `SELECT * FROM (${branches.join(" UNION ALL ")}) found ORDER BY sorted ${order}, id ${order} LIMIT ${limit}`,
    ...conditions.values,
  );
  const page = rows.slice(0, query.limit);
  if (before) return { issues: page.toReversed().map(issueOf) };
  const last = page.at(-1);
  const issues = page.map(issueOf);
  return rows.length > query.limit && last ? { issues, next: { value: last.sorted, id: last.id } } : { issues };
}

export async function countIssues(
  { pool }: ReadDeps,
  project: number,
  filter: IssueFilter,
  atMost: number,
): Promise<number> {
  const conditions = new Conditions(project);
  conditions.addFilter(filter);
  const row = await pool.one<{ n: number }>(
    `SELECT count(*) AS n FROM (SELECT 1 FROM holdfast.issue
       WHERE project = $1 AND status = ANY (${conditions.value(selectedStates(filter))}) AND events > 0 ${conditions.sql}
       LIMIT ${conditions.value(atMost)}) found`,
    ...conditions.values,
  );
  return row?.n ?? 0;
}

const searched = (value: string): string =>
  `id IN (SELECT g.issue FROM holdfast.group_text t JOIN holdfast.issue_group g ON g.id = t.grp
    WHERE t.words @@ ${value}::tsquery)`;

/** The conditions of a list, and their values; the first is the project. */
class Conditions {
  sql = "";
  readonly values: (string | number | readonly string[])[];

  constructor(project: number) {
    this.values = [project];
  }

  /** The parameter that stands for a value. */
  value(value: string | number | readonly string[]): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  add(not: boolean, sql: string): void {
    this.sql += ` AND ${not ? "NOT " : ""}(${sql})`;
  }

  addFilter(filter: IssueFilter): void {
    for (const term of filter.terms) this.#addTerm(term);
    const questions = (not: boolean): string[] =>
      filter.words.filter((word) => word.not === not).flatMap(({ text }) => questionOf(text) ?? []);
    const wanted = questions(false).map((question) => `(${question})`);
    // All wanted words in one question: a text must have them all.
    if (wanted.length > 0) this.add(false, searched(this.value(wanted.join(" & "))));
    for (const question of questions(true)) this.add(true, searched(this.value(question)));
  }

  #addTerm({ field, key, value, not }: FilterTerm): void {
    const pattern = likeOf(value);
    switch (field) {
      case "level":
      case "type":
      case "platform":
        return this.add(not, `coalesce(${field}, '') LIKE ${this.value(pattern)}`);
      case "assigned":
        return this.add(
          not,
          value === "none" ? "assignee IS NULL" : `coalesce(assignee, '') LIKE ${this.value(pattern)}`,
        );
      case "first-release":
        return this.add(not, this.#isRelease("first_release", pattern));
      case "regressed-in":
        return this.add(not, this.#isRelease("regressed_in", pattern));
      case "resolved-in":
        return this.add(not, this.#isResolvedIn(value, pattern));
      case "release":
        return this.add(
          not,
          `id IN (SELECT g.issue FROM holdfast.group_release r JOIN holdfast.issue_group g ON g.id = r.grp
            WHERE r.release IN (SELECT id FROM holdfast.name WHERE ${this.#isRelease("text", pattern)}))`,
        );
      case "user":
        return this.add(not, value === "*" ? "visitors > 0" : this.#isMetBy(value));
      case "route":
      case "environment":
      case "tag":
        return this.add(
          not,
          `id IN (SELECT g.issue FROM holdfast.group_tag t JOIN holdfast.issue_group g ON g.id = t.grp
            WHERE t.key = (SELECT id FROM holdfast.name WHERE text = ${this.value(key ?? field)})
              AND t.value IN (SELECT id FROM holdfast.name WHERE text LIKE ${this.value(pattern)}))`,
        );
    }
  }

  /** A release is found by its whole name, and by its version alone: `1.4*` means `shop@1.4.2` too. */
  #isRelease(column: string, pattern: string): string {
    const text = `coalesce(${column}, '')`;
    return `(${text} LIKE ${this.value(pattern)} OR ${text} LIKE ${this.value(`%@${pattern}`)})`;
  }

  /** In it by name, or in the one that followed the newest that was known when it was resolved. */
  #isResolvedIn(release: string, pattern: string): string {
    return `${this.#isRelease("fixed_in", pattern)} OR coalesce(fixed_after = (
      SELECT name FROM holdfast.release WHERE project = $1 AND first_seen < (
        SELECT first_seen FROM holdfast.release WHERE project = $1 AND name = ${this.value(release)})
      ORDER BY first_seen DESC LIMIT 1), false)`;
  }

  /** Visitors are known by a hash alone, so that they are found only by what identifies them, never by a part of it. */
  #isMetBy(user: string): string {
    const hash = this.value(visitorHash(user));
    return `id IN (SELECT g.issue FROM holdfast.issue_group g WHERE g.id IN (
      SELECT e.grp FROM holdfast.event e WHERE e.project = $1 AND e.visitor IN (
        SELECT ${hash}::bigint UNION ALL
        SELECT a.visitor FROM holdfast.visitor_alias a WHERE a.project = $1 AND a.alias = ${hash}::bigint)))`;
  }
}

/** `*` is ours; everything else that LIKE would read as a pattern is meant literally. */
function likeOf(value: string): string {
  return value.replace(/[\\%_]/g, (character) => `\\${character}`).replaceAll("*", "%");
}

export async function readIssue(
  { pool }: ReadDeps,
  project: number,
  by: { id: number } | { number: number },
): Promise<IssueRecord | undefined> {
  const [column, value] = "id" in by ? ["id", by.id] : ["number", by.number];
  const row = await pool.one<PostgresIssueRow>(
    `SELECT * FROM holdfast.issue WHERE ${column} = $1 AND project = $2 AND (events > 0 OR status = 'merged')`,
    value,
    project,
  );
  return row === undefined ? undefined : issueOf(row);
}

function issueOf(row: PostgresIssueRow): IssueRecord {
  return issueRecordOf(row, row.last_event);
}

export async function readHistory(
  { pool }: ReadDeps,
  project: number,
  issue: number,
): Promise<readonly HistoryEntry[]> {
  const rows = await pool.all<{ at: number; by: string; what: string }>(
    `SELECT at, by, what FROM holdfast.issue_history
     WHERE issue = (SELECT id FROM holdfast.issue WHERE id = $1 AND project = $2) ORDER BY id`,
    issue,
    project,
  );
  return rows.map(({ at, by, what }) => ({ at, by, what: whatOf(what) }));
}

/** Regressions of a project are written one fold after the other, so that their ids become visible in order. */
export async function readIssueNews(
  { pool }: ReadDeps,
  project: number,
  after: number,
  limit: number,
): Promise<IssueNews> {
  const last = await pool.one<{ number: number; regression: number }>(
    `SELECT coalesce((SELECT max(number) FROM holdfast.issue WHERE project = $1), 0) AS number,
       coalesce((SELECT max(h.id) ${regressionsOf}), 0) AS regression`,
    project,
  );
  const regressed = await pool.all<{ change: number; issue: number; at: number }>(
    `SELECT h.id AS change, h.issue, h.at ${regressionsOf} AND h.id > $2 ORDER BY h.id LIMIT $3`,
    project,
    after,
    limit,
  );
  return { lastNumber: last?.number ?? 0, lastRegression: last?.regression ?? 0, regressed };
}

/** As in the index of regressions. */
const regressionsOf = `FROM holdfast.issue_history h JOIN holdfast.issue i ON i.id = h.issue
  WHERE i.project = $1 AND h.by = 'events' AND h.what::jsonb #>> '{to,kind}' = 'regressed'`;

export async function readGroups({ pool }: ReadDeps, project: number, issue: number): Promise<readonly GroupRecord[]> {
  const rows = await pool.all<Omit<GroupRecord, "parts"> & { parts: string }>(
    `SELECT id, issue, events, first_seen AS "firstSeen", last_seen AS "lastSeen", rule, parts, version
     FROM holdfast.issue_group WHERE issue = $1 AND project = $2 ORDER BY events DESC, id`,
    issue,
    project,
  );
  return rows.map((row) => ({ ...row, parts: JSON.parse(row.parts) as string[] }));
}

export async function groupIds({ pool }: ReadDeps, project: number, issue: number): Promise<number[]> {
  const sql = "SELECT id FROM holdfast.issue_group WHERE issue = $1 AND project = $2";
  return (await pool.all<{ id: number }>(sql, issue, project)).map(({ id }) => id);
}

export async function readSeries(
  { pool }: ReadDeps,
  { project, issues, step, from, to }: SeriesQuery,
): Promise<ReadonlyMap<number, readonly SeriesPoint[]>> {
  const unit = unitOf(step);
  const rows = await pool.all<{ issue: number; at: number; n: number }>(
    `SELECT g.issue, c.${step} AS at, sum(c.n) AS n
     FROM holdfast.issue_group g JOIN holdfast.group_${step} c ON c.grp = g.id
     WHERE g.issue = ANY ($1) AND g.project = $2 AND c.${step} BETWEEN $3 AND $4
     GROUP BY g.issue, c.${step} ORDER BY c.${step}`,
    issues,
    project,
    Math.floor(from / unit),
    Math.floor(to / unit),
  );
  const series = new Map<number, SeriesPoint[]>(issues.map((issue) => [issue, []]));
  for (const { issue, at, n } of rows) series.get(issue)?.push({ at: at * unit, n });
  return series;
}

export async function readTags(
  { pool, names }: ReadDeps,
  project: number,
  issue: number,
): Promise<readonly TagCount[]> {
  const rows = await pool.all<{ key: number; value: number; n: number }>(
    `SELECT t.key, t.value, sum(t.n) AS n FROM holdfast.issue_group g JOIN holdfast.group_tag t ON t.grp = g.id
     WHERE g.issue = $1 AND g.project = $2 GROUP BY t.key, t.value ORDER BY t.key, n DESC`,
    issue,
    project,
  );
  const text = await names.read(rows.flatMap(({ key, value }) => [key, value]));
  return rows.map(({ key, value, n }) => ({ key: text(key) ?? "", value: text(value) ?? "(others)", n }));
}

export async function hasTag({ pool }: ReadDeps, project: number, key: string): Promise<boolean> {
  const found = await pool.one(
    `SELECT 1 FROM holdfast.group_tag t JOIN holdfast.issue_group g ON g.id = t.grp
     WHERE t.key = (SELECT id FROM holdfast.name WHERE text = $1) AND g.project = $2 LIMIT 1`,
    key,
    project,
  );
  return found !== undefined;
}

export async function readIssueReleases(
  { pool, names }: ReadDeps,
  project: number,
  issue: number,
): Promise<readonly IssueReleaseRecord[]> {
  const rows = await pool.all<{ release: number; firstSeen: number; lastSeen: number; events: number }>(
    `SELECT r.release, min(r.first_seen) AS "firstSeen", max(r.last_seen) AS "lastSeen", sum(r.n) AS events
     FROM holdfast.issue_group g JOIN holdfast.group_release r ON r.grp = g.id
     WHERE g.issue = $1 AND g.project = $2 GROUP BY r.release ORDER BY 2`,
    issue,
    project,
  );
  const text = await names.read(rows.map(({ release }) => release));
  return rows.map(({ release, ...rest }) => ({ release: text(release) ?? "", ...rest }));
}
