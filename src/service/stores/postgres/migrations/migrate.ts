import type { Pool, Queries } from "../connect/connections.ts";
import { postgresErrors } from "../errors.ts";
import { locks } from "../locks.ts";
import { migrations } from "./migrations.ts";

/**
 * Brings the database up to date. Several processes may start at once: one of them takes each step, the others wait for
 * it and find it taken.
 */
export async function migrate(pool: Pool, steps: readonly string[] = migrations): Promise<void> {
  while ((await takeStep(pool, steps)) === "taken");
}

function takeStep(pool: Pool, steps: readonly string[]): Promise<"taken" | "none left"> {
  return pool.transaction(async (queries) => {
    await queries.run("SELECT pg_advisory_xact_lock($1, 0)", locks.schema);
    const version = await migrationVersion(queries);
    if (version > steps.length) throw postgresErrors.storeFromTheFuture(version, steps.length);
    const step = steps[version];
    if (step === undefined) return "none left";
    if (version === 0) {
      await queries.run("CREATE SCHEMA IF NOT EXISTS holdfast");
      await queries.run("CREATE TABLE holdfast.migration (n int PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())");
    }
    await queries.run(step);
    await queries.run("INSERT INTO holdfast.migration (n) VALUES ($1)", version + 1);
    return "taken";
  });
}

/** For who only reads. */
export async function requireCurrent(pool: Pool, steps: readonly string[] = migrations): Promise<void> {
  const version = await migrationVersion(pool);
  if (version > steps.length) throw postgresErrors.storeFromTheFuture(version, steps.length);
  if (version < steps.length) throw postgresErrors.notPrepared(version, steps.length);
}

/** 0 for a database without tables. */
export async function migrationVersion(queries: Queries): Promise<number> {
  const there = await queries.one<{ there: boolean }>("SELECT to_regclass('holdfast.migration') IS NOT NULL AS there");
  if (!there?.there) return 0;
  return (await queries.one<{ n: number }>("SELECT coalesce(max(n), 0) AS n FROM holdfast.migration"))?.n ?? 0;
}
