import { hourMs } from "../clock.ts";
import type { RowQueries } from "../rows/rows.ts";
import type { BalanceLimits } from "./limits.ts";

/** Both sides of one hour: error pages that were shown, and what became of their events. */
export interface HourBooks {
  readonly book: "error-pages";
  readonly project: number;
  /** Since 1970. */
  readonly hour: number;
  /** An hour is closed when its grace period is over. Before, what is missing is still being looked for. */
  readonly isClosed: boolean;
  readonly shown: number;
  readonly filed: number;
  /** Without an event, and the source said why. */
  readonly declared: number;
  /** The source says that reports from before then still wait in its outbox. */
  readonly onTheirWay: number;
  readonly missing: readonly MissingPage[];
}

export interface MissingPage {
  readonly digest: string;
  readonly at: number;
  readonly route: string;
}

export interface BooksQuery {
  /** All projects if undefined. */
  readonly project?: number | undefined;
  /** Hours since 1970, the last one included. */
  readonly from: number;
  readonly to: number;
  readonly now: number;
  readonly limits: Pick<BalanceLimits, "graceMs" | "waitingMs">;
}

/** Hours with an error page, oldest first. */
export async function readBooks(queries: RowQueries, query: BooksQuery): Promise<readonly HourBooks[]> {
  const { project = null, from, to, now, limits } = query;
  const hours = await queries.all<HourRow>(
    `SELECT project, hour, count(*) AS shown, count(filed_at) AS filed,
       sum(CASE WHEN filed_at IS NULL AND cause IS NOT NULL THEN 1 ELSE 0 END) AS declared
     FROM holdfast.balance_page WHERE hour BETWEEN $1 AND $2 AND (CAST($3 AS bigint) IS NULL OR project = $3)
     GROUP BY project, hour ORDER BY hour, project`,
    from,
    to,
    project,
  );
  if (hours.every(({ shown, filed, declared }) => shown === filed + Number(declared)))
    return hours.map((row) => booksOf(row, [], query));
  const unfiled = await queries.all<UnfiledRow>(
    `SELECT p.project, p.hour, p.digest, p.at, p.route, s.waiting_since, s.stated_at
     FROM holdfast.balance_page p
     LEFT JOIN holdfast.balance_source s ON s.project = p.project AND s.source = p.source
     WHERE p.hour BETWEEN $1 AND $2 AND (CAST($3 AS bigint) IS NULL OR p.project = $3)
       AND p.filed_at IS NULL AND p.cause IS NULL ORDER BY p.at, p.digest`,
    from,
    to,
    project,
  );
  const byHour = Map.groupBy(unfiled, (row) => `${row.project} ${row.hour}`);
  return hours.map((row) => booksOf(row, byHour.get(`${row.project} ${row.hour}`) ?? [], { now, limits }));
}

interface HourRow {
  project: number;
  hour: number;
  shown: number;
  filed: number;
  declared: number;
}

interface UnfiledRow {
  project: number;
  hour: number;
  digest: string;
  at: number;
  route: string;
  waiting_since: number | null;
  stated_at: number | null;
}

function booksOf(
  { project, hour, shown, filed, declared }: HourRow,
  unfiled: readonly UnfiledRow[],
  { now, limits }: Pick<BooksQuery, "now" | "limits">,
): HourBooks {
  const isWaiting = ({ at, waiting_since: since, stated_at: saidAt }: UnfiledRow): boolean =>
    since !== null && saidAt !== null && since <= at + clockMs && saidAt > now - limits.waitingMs;
  const missing = unfiled.filter((row) => !isWaiting(row));
  return {
    book: "error-pages",
    project,
    hour,
    isClosed: (hour + 1) * hourMs + limits.graceMs <= now,
    shown,
    filed,
    // PostgreSQL sums to a number of another type.
    declared: Number(declared),
    onTheirWay: unfiled.length - missing.length,
    missing: missing.map(({ digest, at, route }) => ({ digest, at, route })),
  };
}

/** An entry is written a moment after its report, and both have the time of one clock. */
const clockMs = 1_000;
