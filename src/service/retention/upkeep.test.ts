import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { anEvent, batchesOf, noon } from "../stores/filed-examples.ts";
import { readFilter } from "../stores/filter-language.ts";
import { openSqliteStore } from "../stores/sqlite/open-sqlite-store.ts";
import type { Store } from "../stores/store.ts";
import { createUpkeep } from "./upkeep.ts";

const dayMs = 86_400_000;

describe("upkeep", () => {
  let folder: string;
  let store: Store;
  let free: number;
  let now: number;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "holdfast-upkeep-"));
    store = openSqliteStore({ folder: join(folder, "store") });
    free = 1e9;
    now = noon;
    const events = [0, 20, 120].map((days) => anEvent({ at: noon - days * dayMs }));
    for (const batch of batchesOf(events)) await store.commit(batch);
  });

  afterEach(() => {
    store.close();
    rmSync(folder, { recursive: true });
  });

  const upkeep = () =>
    createUpkeep({
      store,
      folder,
      clock: { now: () => now, elapsed: () => 0 },
      limits: { ballastBytes: 1_000, lowBytes: 5_000 },
      freeBytes: () => free,
    });

  it("deletes the weeks that are too old and keeps their counters", async () => {
    expect((await upkeep().run()).steps).toMatchObject([{ why: "age" }]);
    expect(await store.partitions()).toHaveLength(2);
    const [issue] = (await store.issues({ project: 1, filter: readFilter(""), sort: "events", limit: 1 })).issues;
    expect(issue?.events).toBe(3);
  });

  it("deletes old quarters of an hour, and keeps those that 90 days and the four weeks before need", async () => {
    const days = async (): Promise<readonly number[]> => {
      const traffic = await store.traffic({ project: 1, step: "quarter", from: 0, to: noon });
      return traffic.map(({ at }) => (noon - at) / dayMs);
    };
    expect(await days()).toEqual([120, 20, 0]);
    await upkeep().run();
    expect(await days()).toEqual([120, 20, 0]);
    now = noon + 15 * 60_000;
    await upkeep().run();
    expect(await days()).toEqual([20, 0]);
  });

  it("deletes old hours of visitors with an error, and keeps four weeks", async () => {
    const events = [0, 29, 31].map((days) => anEvent({ at: noon - days * dayMs, visitor: 5 }));
    for (const batch of batchesOf(events, 3, await store.appliedUpTo())) await store.commit(batch);
    await upkeep().run();
    const affected = await store.affected(1, 0, noon);
    expect(affected.map(({ at }) => (noon - at) / dayMs)).toEqual([29, 0]);
  });

  it("creates the reserve while there is room, deletes it when the disk is full, and creates it again", async () => {
    const { run } = upkeep();
    expect((await run()).disk).toBe("enough");
    expect(statSync(join(folder, "ballast")).size).toBe(1_000);
    free = 500;
    expect((await run()).disk).toBe("full");
    expect(existsSync(join(folder, "ballast"))).toBe(false);
    free = 1e9;
    expect((await run()).disk).toBe("enough");
    expect(existsSync(join(folder, "ballast"))).toBe(true);
  });

  it("deletes old weeks when the disk runs low", async () => {
    await upkeep().run();
    free = 2_000;
    const report = await upkeep().run();
    expect(report).toMatchObject({ disk: "low", steps: [{ why: "low-disk" }] });
    expect(await store.partitions()).toHaveLength(1);
  });

  it("reopens muted issues whose time is over", async () => {
    const [issue] = (await store.issues({ project: 1, filter: readFilter(""), sort: "events", limit: 1 })).issues;
    await store.change({
      project: 1,
      issues: [issue?.id ?? 0],
      change: { kind: "mute", until: { kind: "time", at: noon + 5 } },
      by: "kim",
      at: noon,
    });
    now = noon + 5;
    await upkeep().run();
    expect(await store.countIssues(1, readFilter("is:open"), 9)).toBe(1);
  });
});
