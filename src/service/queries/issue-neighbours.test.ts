import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { FiledItem } from "../stores/filed.ts";
import { anEvent, batchesOf, noon } from "../stores/filed-examples.ts";
import { openSqliteStore } from "../stores/sqlite/open-sqlite-store.ts";
import type { Store } from "../stores/store.ts";
import { issueNeighbours } from "./issue-neighbours.ts";

let folder: string;
let store: Store;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-neighbours-"));
  store = openSqliteStore({ folder });
  await file(["a", "b", "c"].map((text, n) => anEvent({ text, at: noon + n })));
});

afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true });
});

async function file(items: FiledItem[]): Promise<void> {
  for (const batch of batchesOf(items, 100, await store.appliedUpTo())) await store.commit(batch);
}

/** Numbers before and after an issue. Issues have the numbers 1, 2, 3, and 3 is the newest. */
async function beside(number: number, place?: string, sort: "last-seen" | "events" = "last-seen") {
  const found = await issueNeighbours(
    { store, now: noon },
    { project: 1, number, filter: "is:unresolved", sort, place },
  );
  return [found.previous?.number, found.next?.number];
}

it("finds the issues before and after one", async () => {
  expect(await beside(3)).toEqual([undefined, 2]);
  expect(await beside(2)).toEqual([3, 1]);
  expect(await beside(1)).toEqual([2, undefined]);
});

it("finds nothing beside an issue that does not exist", async () => {
  expect(await beside(99)).toEqual([undefined, undefined]);
});

it("goes on from the place at which the issue was read, and is never its own neighbour", async () => {
  const place = (noon + 1).toString(36);
  await file([anEvent({ text: "b", at: noon + 9 })]);
  expect(await beside(2)).toEqual([undefined, 3]);
  expect(await beside(2, place)).toEqual([3, 1]);
  await file([anEvent({ text: "b", at: noon + 10 }), anEvent({ text: "b", at: noon + 11 })]);
  expect(await beside(2, "2", "events")).toEqual([undefined, 3]);
});

it.each(["", "-1", "nonsense that is long", "1.5", "%00"])("ignores the invalid place %j", async (place) => {
  expect(await beside(2, place)).toEqual([3, 1]);
});
