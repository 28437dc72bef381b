import type { Pool } from "./connect/connections.ts";
import { isUnavailable } from "./connect/problems.ts";

/**
 * Takes or renews a lease: true if the holder has it for so many milliseconds from now. Times are the database's, so
 * that clocks of machines need not agree. Without an answer the holder does not have it.
 */
export async function takeLease(pool: Pick<Pool, "one">, holder: string, name: string, ms: number): Promise<boolean> {
  try {
    const taken = await pool.one(
      `INSERT INTO holdfast.lease AS l (name, holder, term, until)
       VALUES ($1, $2, 1, clock_timestamp() + $3 * interval '1 millisecond')
       ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until,
         term = l.term + CASE WHEN l.holder = excluded.holder THEN 0 ELSE 1 END
       WHERE l.holder = excluded.holder OR l.until <= clock_timestamp() RETURNING term`,
      name,
      holder,
      ms,
    );
    return taken !== undefined;
  } catch (error) {
    if (isUnavailable(error)) return false;
    throw error;
  }
}
