import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { expect, it } from "vitest";
import { keepProof } from "../../../../tests/kit/keep-proof.ts";
import { startPostgres } from "../../../../tests/kit/postgres.ts";
import { batchesOf, noon } from "../filed-examples.ts";
import { generatedItems } from "../generated-items.contract.ts";
import { answersOf, liveThrough } from "../same-answers.contract.ts";
import { openSqliteStore } from "../sqlite/open-sqlite-store.ts";
import { openPostgresStore } from "./open-postgres-store.ts";

const count = process.env.HOLDFAST_TEST_LONG === undefined ? 1_000 : 100_000;

it(`PostgreSQL and SQLite give the same answers to every question about ${count} items`, {
  timeout: 3_600_000,
}, async () => {
  await using postgres = await startPostgres();
  const folder = mkdtempSync(join(tmpdir(), "holdfast-same-"));
  const items = generatedItems({ count, from: noon, weeks: 4 });
  const batches = batchesOf(items, Math.ceil(count / 20));
  const sqlite = openSqliteStore({ folder });
  const other = await openPostgresStore({ address: await postgres.newDatabase(), writer: "one" });
  for (const store of [sqlite, other]) await liveThrough(store, batches);
  const [expected, given] = [await answersOf(sqlite, items), await answersOf(other, items)];
  expect(Object.keys(given)).toEqual(Object.keys(expected));
  for (const question of Object.keys(expected)) expect.soft(given[question], question).toEqual(expected[question]);
  expect(given.wrong).toEqual([]);
  if (isDeepStrictEqual(given, expected))
    keepProof("same-answers", [
      `SQLite and PostgreSQL filed the same ${count} generated items of two projects and four weeks,`,
      "and gave the same answers to every question, compared value by value.",
    ]);
  for (const store of [sqlite, other]) store.close();
  rmSync(folder, { recursive: true });
});
