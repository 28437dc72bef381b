import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { findPgbouncer, findPostgres } from "./find-postgres.js";

afterEach(() => {
  vi.unstubAllEnvs();
});

test("the PostgreSQL that POSTGRES_BIN names is taken", () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-postgres-"));
  for (const name of ["initdb", "postgres"]) writeFileSync(join(folder, name), "");
  vi.stubEnv("POSTGRES_BIN", folder);
  expect(findPostgres()).toEqual({ kind: "found", folder });
  rmSync(folder, { recursive: true });
});

test("a POSTGRES_BIN that leads nowhere is an error that names it", () => {
  vi.stubEnv("POSTGRES_BIN", "/nowhere/bin");
  expect(findPostgres()).toMatchObject({ kind: "missing", why: expect.stringMatching(/\/nowhere\/bin.*POSTGRES_BIN/) });
});

test("the pgbouncer that PGBOUNCER names is taken, and a name that leads nowhere is an error", () => {
  vi.stubEnv("PGBOUNCER", process.execPath);
  expect(findPgbouncer()).toEqual({ kind: "found", path: process.execPath });
  vi.stubEnv("PGBOUNCER", "/nowhere/pgbouncer");
  expect(findPgbouncer()).toMatchObject({ kind: "missing", why: expect.stringMatching(/PGBOUNCER.*\/nowhere/) });
});
