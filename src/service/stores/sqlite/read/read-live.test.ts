import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { anEvent, batchesOf } from "../../filed-examples.ts";
import { openSqliteStore } from "../open-sqlite-store.ts";
import { StoreFiles } from "../store-files.ts";
import { readRecent } from "./read-live.ts";
import { newestRows } from "./recent-weeks.ts";

it("recent records are searched among the newest rows of all projects, and no further", async () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-live-"));
  const store = openSqliteStore({ folder });
  const quiet = anEvent({ project: 2 });
  for (const batch of batchesOf([quiet, ...Array.from({ length: 30 }, () => anEvent())])) await store.commit(batch);
  store.close();
  const files = new StoreFiles(folder, "read");
  const ofQuiet = (lookingAt: number) =>
    readRecent(files, { project: 2, limit: 10 }, lookingAt).map((record) => record.kind === "event" && record.eventId);
  expect(ofQuiet(31)).toEqual([quiet.eventId]);
  expect(ofQuiet(30)).toEqual([]);
  files.close();
  rmSync(folder, { recursive: true });
});

it.each([
  ["event", "id"],
  ["segment", "block"],
] as const)("the newest rows of the table %s are read in their order, without a sort", async (table, key) => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-live-"));
  const store = openSqliteStore({ folder });
  for (const batch of batchesOf([anEvent()])) await store.commit(batch);
  store.close();
  const files = new StoreFiles(folder, "read");
  const [week] = files.weeks();
  const sql = `EXPLAIN QUERY PLAN SELECT * FROM ${newestRows(table, key, 30)}`;
  const steps = week?.database.all<{ detail: string }>(sql, -1, 1, 10).map(({ detail }) => detail) ?? [];
  expect(steps.join("\n")).toMatch(new RegExp(`^CO-ROUTINE ${table}\nSEARCH ${table} `));
  expect(steps.join("\n")).not.toMatch(/TEMP B-TREE/);
  files.close();
  rmSync(folder, { recursive: true });
});
