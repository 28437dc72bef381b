import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FiledEvent, FiledItem } from "../stores/filed.ts";
import { anEvent, batchesOf, hex, noon } from "../stores/filed-examples.ts";
import { readFilter } from "../stores/filter-language.ts";
import { openSqliteReader, openSqliteStore } from "../stores/sqlite/open-sqlite-store.ts";
import type { SourceMapReader, Store, StoreReader } from "../stores/store.ts";
import { diskUseOf } from "./disk-use.ts";
import { createUpkeep, type Upkeep } from "./upkeep.ts";

const kilobyte = 1024;
const megabyte = 1024 ** 2;
const keepBytes = 16 * megabyte;

describe("the limit of disk use", { timeout: 60_000 }, () => {
  let folder: string;
  let store: Store & SourceMapReader;
  let now: number;
  let position: number;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "holdfast-limit-"));
    store = openSqliteStore({
      folder: join(folder, "store"),
      limits: { newIssuesPerHour: 1e9, newNamesPerHour: 1e9, bodiesPerIssueAndMinute: 1e9 },
    });
    now = noon;
    position = 0;
  });

  afterEach(() => {
    store.close();
    rmSync(folder, { recursive: true });
  });

  const upkeep = (most = keepBytes): Upkeep =>
    createUpkeep({ store, folder, clock: { now: () => now, elapsed: () => 0 }, limits: { keepBytes: most } });

  const usedBytes = (): number => {
    const { store: inStore, journal, other } = diskUseOf(folder);
    return inStore + journal + other;
  };

  it("holds for all files together within one week: the oldest events are deleted, the newest stay, and nothing is damaged", async () => {
    const { run, keepWithin } = upkeep();
    await run();
    const sent: FiledEvent[] = [];
    const reader = openSqliteReader({ folder: join(folder, "store") });
    for (let batch = 0; batch < 40; batch += 1) {
      const events = Array.from({ length: 25 }, () => large());
      sent.push(...events);
      await file(events);
      await keepWithin();
      expect(usedBytes()).toBeLessThanOrEqual(keepBytes);
      expect(await reader.event(1, sent.at(-1)?.eventId ?? "")).toBeDefined();
    }
    expect((await store.partitions()).length).toBeGreaterThan(3);
    const found = await bodiesOf(reader, sent);
    const firstKept = found.indexOf("whole");
    expect(firstKept).toBeGreaterThan(75);
    // Without gaps, and a good part of the capacity.
    expect(new Set(found.slice(firstKept))).toEqual(new Set(["whole"]));
    expect(sent.length - firstKept).toBeGreaterThan(250);
    // Counters are unchanged.
    const [issue] = (await store.issues({ project: 1, filter: readFilter(""), sort: "events", limit: 1 })).issues;
    expect(issue?.events).toBe(1_000);
    expect(await store.check("thorough")).toEqual([]);
    reader.close();
  });

  it("is reached by deleting the oldest part of a file that alone exceeds it", async () => {
    const sent = Array.from({ length: 1_500 }, () => large());
    for (let first = 0; first < sent.length; first += 150) await file(sent.slice(first, first + 150));
    expect(usedBytes()).toBeGreaterThan(1.2 * keepBytes);
    const kept = upkeep();
    for (let minute = 0; minute < 3; minute += 1) {
      await kept.run();
      now += 60_000;
    }
    expect(usedBytes()).toBeLessThanOrEqual(keepBytes);
    const found = await bodiesOf(store, sent);
    const firstKept = found.indexOf("whole");
    expect(firstKept).toBeGreaterThan(0);
    expect(new Set(found.slice(firstKept))).toEqual(new Set(["whole"]));
    expect(sent.length - firstKept).toBeGreaterThan(250);
    expect(await store.check("thorough")).toEqual([]);
  });

  it("deletes issues without stored events, the longest unseen first, and does not reuse their numbers", async () => {
    const most = 6 * megabyte;
    const { run, keepWithin } = upkeep(most);
    await run();
    const titles: string[] = [];
    for (let batch = 0; batch < 24; batch += 1) {
      const events = Array.from({ length: 150 }, () =>
        large({ text: `issue ${titles.length} ${word(40)}` }, 2 * kilobyte),
      );
      titles.push(...events.map(({ title }) => title.text));
      await file(events);
      await keepWithin();
      expect(usedBytes()).toBeLessThanOrEqual(most);
    }
    const of = async (filter: string) =>
      (await store.issues({ project: 1, filter: readFilter(filter), sort: "last-seen", limit: 5 })).issues;
    expect(await store.countIssues(1, readFilter(""), 1e9)).toBeLessThan(titles.length);
    expect(await store.issue(1, { number: 1 })).toBeUndefined();
    expect((await of(""))[0]?.title).toBe(titles.at(-1));
    expect(await of(titles.at(-1)?.split(" ")[2] ?? "")).toHaveLength(1);
    expect(await of(titles[0]?.split(" ")[2] ?? "")).toEqual([]);
    expect((await of(""))[0]?.number).toBe(titles.length);
    expect(await store.check("thorough")).toEqual([]);
    // The same error creates a new issue.
    await file([large({ text: titles[0] ?? "" })]);
    expect((await of(""))[0]).toMatchObject({ title: titles[0], number: titles.length + 1 });
  });

  it("deletes source maps of the builds unused for longest, and those of the newest build last", async () => {
    const named = anEvent({
      at: now,
      receivedAt: now,
      release: "1.0.0",
      chunks: [{ debugId: hex("build 1"), file: "/a.js", mapped: true }],
    });
    await file([named]);
    for (let build = 0; build < 12; build += 1) await aBuild(build);
    await upkeep().run();
    expect(usedBytes()).toBeLessThanOrEqual(keepBytes);
    // Of the maps that no event names, the oldest were deleted. One that an event names stayed, though it is older.
    expect(kindsOfMaps().join("")).toBe("afaaaaafffff");
    // If the newest alone exceed the limit, they are deleted too.
    await upkeep(4 * megabyte).run();
    expect(kindsOfMaps().join("")).toBe("aaaaaaaaaaaf");
    expect(await store.deletions()).toEqual([{ what: "source-maps", why: "bytes", n: 11 }]);
    expect(await store.check("thorough")).toEqual([]);

    async function aBuild(build: number): Promise<void> {
      const map = JSON.stringify({ version: 3, mappings: randomBytes(megabyte).toString("base64") });
      const release = `build ${build}`;
      await store.addSourceMap({
        project: 1,
        debugId: hex(release),
        release,
        map,
        addedAt: noon - (12 - build) * 60_000,
      });
    }

    function kindsOfMaps(): readonly string[] {
      return Array.from({ length: 12 }, (_, build) => store.sourceMap(1, hex(`build ${build}`)).kind.charAt(0));
    }
  });

  it("does not count or delete foreign files", async () => {
    const { run } = upkeep();
    await file([large()]);
    await run();
    expect(await store.partitions()).toHaveLength(1);
    expect(usedBytes()).toBeLessThan(keepBytes / 4);
  });

  async function file(items: readonly FiledItem[]): Promise<void> {
    for (const batch of batchesOf(items, items.length, position)) {
      await store.commit(batch);
      position = batch.upTo;
    }
    now += 10_000;
  }

  /** An event of this size that does not compress. */
  function large(fields: Parameters<typeof anEvent>[0] = {}, bytes = 16 * kilobyte): FiledEvent {
    const event = anEvent({ at: now, receivedAt: now, ...fields });
    const body = JSON.parse(Buffer.from(event.body.bytes).toString());
    return {
      ...event,
      body: { form: "filed", bytes: Buffer.from(JSON.stringify({ ...body, extra: { noise: word(bytes) } })) },
    };
  }
});

async function bodiesOf(store: StoreReader, events: readonly FiledEvent[]): Promise<readonly (string | undefined)[]> {
  const found = await Promise.all(events.map(({ eventId }) => store.event(1, eventId)));
  return found.map((event) => event?.body.kind);
}

function word(length: number): string {
  return randomBytes(length)
    .toString("base64url")
    .replace(/[-_\d]/g, "x")
    .slice(0, length);
}
