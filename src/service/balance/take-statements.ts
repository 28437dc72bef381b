import type { BalanceStatement } from "#protocol";
import { hourMs } from "../clock.ts";
import type { ProjectStatement } from "../filing/statements-in.ts";
import type { RowQueries, Rows } from "../rows/rows.ts";
import { noteChange } from "./changes.ts";
import type { BalanceLimits } from "./limits.ts";
import { takeTallies } from "./take-tallies.ts";

/**
 * Writes what clients say about their books. A statement that arrives twice changes nothing, and one that arrives late
 * changes the outcome of its hour.
 */
export async function takeStatements(
  rows: Rows,
  statements: readonly ProjectStatement[],
  limits: Pick<BalanceLimits, "pagesPerHour" | "sourcesPerHour" | "lateMs">,
): Promise<void> {
  await rows.transaction(async (queries) => {
    for (const statement of statements) {
      await takeSource(queries, statement);
      await takePages(queries, statement, limits);
      await takeTallies(queries, statement, limits);
    }
    if (statements.some(({ statement: { pages } }) => pages.length > 0)) await noteChange(queries);
  });
}

async function takeSource(queries: RowQueries, { project, receivedAt, statement }: ProjectStatement): Promise<void> {
  const { source, waitingSinceMs } = statement;
  await queries.run(
    `INSERT INTO holdfast.balance_source (project, source, waiting_since, stated_at) VALUES ($1, $2, $3, $4)
     ON CONFLICT (project, source) DO UPDATE SET waiting_since = excluded.waiting_since, stated_at = excluded.stated_at`,
    project,
    source,
    waitingSinceMs === undefined ? null : Math.round(waitingSinceMs),
    receivedAt,
  );
}

async function takePages(
  queries: RowQueries,
  { project, receivedAt, statement }: ProjectStatement,
  { pagesPerHour, lateMs }: Pick<BalanceLimits, "pagesPerHour" | "lateMs">,
): Promise<void> {
  const room = new Map<number, number>();
  for (const page of pagesOf(statement, receivedAt, lateMs)) {
    const hour = Math.floor(page.at / hourMs);
    const left = room.get(hour) ?? pagesPerHour - (await pagesIn(queries, project, hour));
    room.set(hour, left - 1);
    if (left <= 0) continue;
    await queries.run(
      `INSERT INTO holdfast.balance_page AS p
         (project, digest, at, hour, route, side, source, chain, next, cause, due)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
       ON CONFLICT (project, digest) DO UPDATE SET source = excluded.source, next = coalesce(excluded.next, p.next),
         side = CASE WHEN excluded.side = 'browser' THEN 'browser' ELSE p.side END,
         chain = CASE WHEN excluded.side = 'browser' THEN excluded.chain ELSE p.chain END`,
      project,
      page.digest,
      page.at,
      hour,
      page.route,
      page.side,
      statement.source,
      page.chain ?? page.digest,
      page.next ?? null,
      page.cause ?? null,
      receivedAt,
    );
  }
}

/** A page cannot be from the future, and one that is too old has no event to be compared with any more. */
function pagesOf({ pages }: BalanceStatement, receivedAt: number, lateMs: number) {
  return pages
    .map(({ atMs, ...page }) => ({ ...page, at: Math.round(Math.min(atMs, receivedAt)) }))
    .filter(({ at }) => at > receivedAt - lateMs);
}

async function pagesIn(queries: RowQueries, project: number, hour: number): Promise<number> {
  const row = await queries.one<{ n: number }>(
    "SELECT count(*) AS n FROM holdfast.balance_page WHERE project = $1 AND hour = $2",
    project,
    hour,
  );
  return row?.n ?? 0;
}
