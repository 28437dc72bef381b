import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { jsonItem, newEventId, writeEnvelope } from "#protocol";
import { checkStore } from "./check-store.ts";
import { openReader } from "./open-reader.ts";
import { openService, type Service } from "./open-service.ts";
import { diskUseOf } from "./retention/disk-use.ts";
import { leastKeepBytes } from "./retention/limits.ts";
import { storedIds } from "./stores/filed-examples.ts";
import { readFilter } from "./stores/filter-language.ts";
import { openSqliteReader } from "./stores/sqlite/open-sqlite-store.ts";

const megabyte = 1024 ** 2;
const keepBytes = 40 * megabyte;

describe("a running service that may have 40 MiB on its disk", { timeout: 120_000 }, () => {
  let dataFolder: string;
  let builds: string;
  let most: number;

  beforeEach(() => {
    dataFolder = mkdtempSync(join(tmpdir(), "holdfast-limit-"));
    builds = mkdtempSync(join(tmpdir(), "holdfast-limit-builds-"));
    most = 0;
  });

  afterEach(() => {
    for (const folder of [dataFolder, builds]) rmSync(folder, { recursive: true });
  });

  it("never uses more, journal and logs included, counts what was deleted, and keeps the newest events", async () => {
    const service = await openService({ dataFolder, limits: { retention: { keepBytes } } });
    const ids = await feed(service, 2_400);
    await service.drained();
    look();
    expect(most).toBeLessThanOrEqual(keepBytes);
    // The limit is used, not only respected.
    expect(most).toBeGreaterThan(keepBytes * 0.7);
    const store = await openReader(dataFolder);
    expect(await store.event(1, ids[0] ?? "")).toBeUndefined();
    for (const id of ids.slice(-200)) expect(await store.event(1, id)).toMatchObject({ body: { kind: "whole" } });
    const { issues } = await store.issues({ project: 1, filter: readFilter(""), sort: "events", limit: 100 });
    expect(issues.reduce((sum, { events }) => sum + events, 0)).toBe(ids.length);
    const kept = (await storedIds(store, ids)).length;
    expect(await store.deletions()).toEqual([{ what: "events", why: "bytes", n: ids.length - kept }]);
    store.close();
    expect(await checkStore(dataFolder)).toMatchObject({ findings: [], unfiledBytes: 0 });
    await service.close();
    expect(await checkStore(dataFolder)).toMatchObject({ findings: [] });
  });

  it("stays below its limit with source maps of many builds, and deletes the oldest", async () => {
    const service = await openService({ dataFolder, limits: { retention: { keepBytes } } });
    for (let build = 0; build < 12; build += 1) {
      await service.addBuild(1, aBuild(`build-${build}`, 4, megabyte));
      look();
      await feed(service, 100);
    }
    await service.drained();
    look();
    expect(most).toBeLessThanOrEqual(keepBytes);
    const store = openSqliteReader({ folder: join(dataFolder, "store") });
    const found = Array.from({ length: 12 }, (_, build) => store.sourceMap(1, debugId(`build-${build}`, 0)).kind);
    expect([found[0], found.at(-2), found.at(-1)]).toEqual(["absent", "found", "found"]);
    expect(found).toEqual(found.toSorted());
    expect(await store.deletions()).toContainEqual({
      what: "source-maps",
      why: "bytes",
      n: 4 * found.lastIndexOf("absent") + 4,
    });
    store.close();
    expect(await checkStore(dataFolder)).toMatchObject({ findings: [] });
    await service.close();
  });

  it("skips the maps of a build that alone needs more than a fifth, and reports it", async () => {
    const service = await openService({ dataFolder, limits: { retention: { keepBytes } } });
    await expect(service.addBuild(1, aBuild("huge", 30, megabyte))).rejects.toThrow(
      "The build's source maps take more than 8388608 bytes",
    );
    await feed(service, 300);
    await service.drained();
    look();
    expect(most).toBeLessThanOrEqual(keepBytes);
    const store = await openReader(dataFolder);
    expect(await store.sourceMapBytes()).toBeLessThanOrEqual(keepBytes / 5);
    store.close();
    await service.close();
  });

  it("counts each of its own files, and no other", async () => {
    const service = await openService({ dataFolder, limits: { retention: { keepBytes } } });
    await feed(service, 20);
    const { store, journal, other } = diskUseOf(dataFolder);
    expect(store + journal + other).toBe(bytesIn(dataFolder));
    writeFileSync(join(dataFolder, "backup.tar"), randomBytes(megabyte));
    expect(diskUseOf(dataFolder).other).toBe(other);
    await service.close();
  });

  it("is not opened with less than it needs for itself", async () => {
    await expect(openService({ dataFolder, limits: { retention: { keepBytes: leastKeepBytes - 1 } } })).rejects.toThrow(
      "The service may not be limited to 33554431 bytes on its disk: for itself it needs at least 33554432.",
    );
    expect(readdirSync(dataFolder)).toEqual([]);
  });

  function look(): void {
    most = Math.max(most, bytesIn(dataFolder));
  }

  /** Sends as fast as the service accepts, so that the journal fills too. Refused envelopes are sent again. */
  async function feed(service: Service, count: number): Promise<readonly string[]> {
    const ids: string[] = [];
    while (ids.length < count) {
      const burst = Array.from({ length: Math.min(100, count - ids.length) }, () => newEventId());
      const outcomes = await Promise.all(burst.map((id) => service.accept(1, anEnvelope(id))));
      ids.push(...burst.filter((_, at) => outcomes[at]?.kind === "accepted"));
      look();
      if (outcomes.some(({ kind }) => kind !== "accepted"))
        await expect
          .poll(
            () => {
              look();
              return service.stats().journal.backlogBytes;
            },
            { timeout: 30_000 },
          )
          .toBeLessThan(2 * megabyte);
    }
    return ids;
  }

  /** Writes a build folder with this many maps of about this size each, which do not compress. */
  function aBuild(name: string, maps: number, bytes: number): string {
    const folder = join(builds, name);
    mkdirSync(join(folder, "maps"), { recursive: true });
    writeFileSync(join(folder, "manifest.json"), JSON.stringify({ build: name }));
    for (let n = 0; n < maps; n += 1) {
      const noise = randomBytes(bytes).toString("base64");
      const map = { version: 3, debug_id: debugId(name, n), sources: [], mappings: "", noise };
      writeFileSync(join(folder, "maps", `${n}.js.map`), JSON.stringify(map));
    }
    return folder;
  }
});

function debugId(build: string, n: number): string {
  return Buffer.from(`${build}/${n}`.padEnd(16, ".")).toString("hex");
}

/** Sums all files, as `du` does, under any name. */
function bytesIn(folder: string): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const found = entry.isFile() && statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false });
    if (found) bytes += found.size;
  }
  return bytes;
}

/** About 24 KB that do not compress. */
function anEnvelope(eventId: string): Uint8Array {
  const noise = randomBytes(18_000).toString("base64");
  // Twenty kinds of messages: of a single issue, the service keeps only some bodies.
  const message = `too much of ${String.fromCharCode(97 + (Number.parseInt(eventId.slice(0, 4), 16) % 20)).repeat(3)}`;
  return writeEnvelope({ eventId }, [jsonItem("event", { event_id: eventId, message, extra: { noise } })]);
}
