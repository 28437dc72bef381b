import type { RowQueries } from "../rows/rows.ts";

/** Visitors who saw an error page, each by what came after the last one. */
export interface AfterErrors {
  readonly visitors: number;
  /** Reached another page. */
  readonly further: number;
  /** Reached the same page by trying again. */
  readonly through: number;
  readonly gaveUp: number;
  /** Their visit may go on. */
  readonly open: number;
  /** Only a server knows of the page: without scripts, nothing says what came next. */
  readonly unknown: number;
}

/**
 * Counts visitors of a period. Without an identity, the error pages that one browser has shown in a row are one
 * visitor.
 */
export async function readAfterErrors(
  queries: RowQueries,
  { project, from, to }: { project: number; from: number; to: number },
): Promise<AfterErrors> {
  const rows = await queries.all<{ next: string | null; side: string; n: number }>(
    `SELECT next, side, count(*) AS n FROM (
       SELECT next, side, row_number() OVER (
         PARTITION BY coalesce(CAST(visitor AS text), chain) ORDER BY at DESC, digest) AS place
       FROM holdfast.balance_page WHERE project = $1 AND hour BETWEEN $2 AND $3) AS last
     WHERE place = 1 GROUP BY next, side`,
    project,
    from,
    to,
  );
  const count = (isCounted: (row: (typeof rows)[number]) => boolean): number =>
    rows.filter(isCounted).reduce((sum, { n }) => sum + n, 0);
  return {
    visitors: count(() => true),
    further: count(({ next }) => next === "further"),
    through: count(({ next }) => next === "through"),
    gaveUp: count(({ next }) => next === "gave-up"),
    open: count(({ next, side }) => next === null && side === "browser"),
    unknown: count(({ next, side }) => next === null && side !== "browser"),
  };
}
