import { DatabaseSync, StatementSync } from "node:sqlite";
import { whereabouts } from "./request-context.ts";

/** The methods that run a statement and return when it is done. `iterate` runs while its reader asks; it is not measured. */
const running = ["all", "get", "run"] as const;

/** Sees the queries that the application makes with `node:sqlite` while it answers a request, as spans. */
export function watchQueries(now: () => number): () => void {
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
  const where = whereabouts.getStore();
  if (!where?.request.segment.sampled) return run();
  const span = where.request.segment.begin(where.span, "db.query", withoutValues(sql), now());
  span.data = { "db.system.name": "sqlite" };
  try {
    return run();
  } catch (thrown) {
    span.status = "internal_error";
    throw thrown;
  } finally {
    span.endMs = now();
  }
}

/** The statement is the same for all; what is written into it in quotes may be anyone's. */
function withoutValues(sql: string): string {
  return sql
    .slice(0, 1_000)
    .replace(/'(?:[^']|'')*'?/g, "?")
    .replace(/\s+/g, " ")
    .trim();
}
