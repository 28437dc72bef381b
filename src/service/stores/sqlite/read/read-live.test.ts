import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { anEvent, batchesOf } from "../../filed-examples.ts";
import { openSqliteStore } from "../open-sqlite-store.ts";
import { StoreFiles } from "../store-files.ts";
import { readRecent } from "./read-live.ts";

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
