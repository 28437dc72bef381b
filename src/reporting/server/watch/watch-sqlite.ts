import { DatabaseSync, StatementSync } from "node:sqlite";
import { beginQuery } from "./query-span.ts";

/** Methods that run a statement to its end. `iterate` runs while it is read; it is not measured. */
const running = ["all", "get", "run"] as const;

/** Records the application's `node:sqlite` queries as spans of the current request. */
export function watchSqlite(now: () => number): () => void {
  const statement = StatementSync.prototype;
  const database = DatabaseSync.prototype;
  const originals = running.map((name) => [name, statement[name]] as const);
  const { exec } = database;
  for (const [name, original] of originals) {
    const watched = function (this: StatementSync, ...values: unknown[]): unknown {
      return measured(this.sourceSQL, now, () => Reflect.apply(original, this, values));
    };
    Object.assign(statement, { [name]: watched });
  }
  database.exec = function (this: DatabaseSync, sql: string): void {
    measured(sql, now, () => exec.call(this, sql));
  };
  return () => {
    Object.assign(statement, Object.fromEntries(originals));
    database.exec = exec;
  };
}

function measured<T>(sql: string, now: () => number, run: () => T): T {
  const span = beginQuery("sqlite", sql, now());
  if (!span) return run();
  try {
    return run();
  } catch (thrown) {
    span.status = "internal_error";
    throw thrown;
  } finally {
    span.endMs = now();
  }
}
