import { changesIn, type StatedTally } from "#protocol";
import { hourMs } from "../clock.ts";
import type { ProjectStatement } from "../filing/statements-in.ts";
import type { RowQueries } from "../rows/rows.ts";
import type { BalanceLimits } from "./limits.ts";

/**
 * Writes what a source has counted in its hours. It says all of an hour each time, so the tally with more changes
 * replaces the other, in whichever order they arrive.
 */
export async function takeTallies(
  queries: RowQueries,
  { project, receivedAt, statement: { source, tallies = [] } }: ProjectStatement,
  limits: Pick<BalanceLimits, "sourcesPerHour" | "lateMs">,
): Promise<void> {
  for (const tally of tallies) {
    const { book, hour, ends, open } = tally;
    if (!isInTime(tally, receivedAt, limits.lateMs)) continue;
    await queries.run(
      `INSERT INTO holdfast.balance_tally AS t (project, book, hour, source, changes, ends, open)
       SELECT CAST($1 AS integer), CAST($2 AS text), CAST($3 AS integer), CAST($4 AS text), CAST($5 AS bigint),
         CAST($6 AS text), CAST($7 AS text)
       WHERE (SELECT count(*) FROM holdfast.balance_tally WHERE project = $1 AND book = $2 AND hour = $3
         AND source <> $4) < $8
       ON CONFLICT (project, book, hour, source) DO UPDATE SET
         changes = excluded.changes, ends = excluded.ends, open = excluded.open
       WHERE excluded.changes > t.changes`,
      project,
      book,
      hour,
      source,
      changesIn(tally),
      JSON.stringify(ends),
      JSON.stringify(open),
      limits.sourcesPerHour,
    );
  }
}

/** An hour cannot be in the future, and one that is too old is closed for good. */
function isInTime({ hour }: StatedTally, receivedAt: number, lateMs: number): boolean {
  return hour * hourMs <= receivedAt && hour >= Math.floor((receivedAt - lateMs) / hourMs);
}
