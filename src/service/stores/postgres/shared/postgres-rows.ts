import type { Rows } from "../../../rows/rows.ts";
import type { Pool } from "../connect/connections.ts";
import { codeOf } from "../connect/problems.ts";
import { locks } from "../locks.ts";

/** Each time another transaction has finished, so this many in a row do not happen by chance. */
const mostTimes = 5;

const deadlock = "40P01";

/** Small tables in PostgreSQL. Of two transactions that wait for each other the database ends one, which runs again. */
export function postgresRows(pool: Pool): Rows {
  return {
    all: (sql, ...values) => pool.all(sql, ...values),
    one: (sql, ...values) => pool.one(sql, ...values),
    run: (sql, ...values) => pool.run(sql, ...values),
    async transaction(work, turn) {
      const inTurn: typeof work = async (queries) => {
        if (turn !== undefined) await queries.run("SELECT pg_advisory_xact_lock($1, hashtext($2))", locks.rows, turn);
        return work(queries);
      };
      for (let times = 1; ; times++) {
        try {
          return await pool.transaction(inTurn);
        } catch (error) {
          if (codeOf(error) !== deadlock || times === mostTimes) throw error;
        }
      }
    },
    close: () => pool.close(),
  };
}
