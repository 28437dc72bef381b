import type { DatabaseSync, StatementSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import type { RowQueries, Rows, RowValue } from "./rows.ts";
import { isLocked } from "./sqlite-file.ts";

/** Another process may have the file locked. Its transactions take milliseconds. */
const lockedMs = { tryAgain: 5, giveUp: 5_000 };

/**
 * Tables in a file of SQLite. One connection has one transaction, so statements of others wait for its end. A locked
 * file is tried again, and the process goes on meanwhile: its owner may be in this process too.
 */
export function sqliteRows(database: DatabaseSync): Rows {
  database.exec("PRAGMA busy_timeout = 0");
  const statements = new Map<string, StatementSync>();
  const prepare = (sql: string): StatementSync => {
    const known = statements.get(sql) ?? database.prepare(forSqlite(sql));
    statements.set(sql, known);
    return known;
  };
  // The statement says which columns a row has.
  const now = {
    all: <Row>(sql: string, ...values: readonly RowValue[]) => prepare(sql).all(...values) as Row[],
    one: <Row>(sql: string, ...values: readonly RowValue[]) => prepare(sql).get(...values) as Row | undefined,
    run: (sql: string, ...values: readonly RowValue[]) => Number(prepare(sql).run(...values).changes),
  };
  const inside: RowQueries = {
    all: async (sql, ...values) => now.all(sql, ...values),
    one: async (sql, ...values) => now.one(sql, ...values),
    run: async (sql, ...values) => now.run(sql, ...values),
  };
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
  return {
    all: (sql, ...values) => inTurn(() => whenFree(() => now.all(sql, ...values))),
    one: (sql, ...values) => inTurn(() => whenFree(() => now.one(sql, ...values))),
    run: (sql, ...values) => inTurn(() => whenFree(() => now.run(sql, ...values))),
    // A file has one transaction at a time, so that each has its turn.
    transaction: (work) =>
      inTurn(async () => {
        await whenFree(() => database.exec("BEGIN IMMEDIATE"));
        try {
          const result = await work(inside);
          await whenFree(() => database.exec("COMMIT"));
          return result;
        } catch (error) {
          database.exec("ROLLBACK");
          throw error;
        }
      }),
    close: () => inTurn(async () => database.close()),
  };
}

/** The one place where statements differ. */
function forSqlite(sql: string): string {
  return sql.replaceAll("$", "?").replaceAll("holdfast.", "");
}

async function whenFree<Result>(work: () => Result): Promise<Result> {
  for (let waited = 0; ; waited += lockedMs.tryAgain) {
    try {
      return work();
    } catch (error) {
      if (!isLocked(error) || waited >= lockedMs.giveUp) throw error;
    }
    await wait(lockedMs.tryAgain);
  }
}
