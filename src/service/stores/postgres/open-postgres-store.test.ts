import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startPostgres, type TestPostgres } from "../../../../tests/kit/postgres.ts";
import type { FiledEvent, FiledItem } from "../filed.ts";
import { anEvent, batchesOf, hex, noon } from "../filed-examples.ts";
import { everyIssue } from "../filter-language.ts";
import type { StoreLimits } from "../limits.ts";
import { describeStore } from "../store.contract.ts";
import type { SourceMapReader, Store } from "../store.ts";
import { connect } from "./connect/connections.ts";
import { postgresLimits } from "./limits.ts";
import { migrate } from "./migrations/migrate.ts";
import { migrations } from "./migrations/migrations.ts";
import { openPostgresReader, openPostgresStore } from "./open-postgres-store.ts";

let postgres: TestPostgres;
let prepared: string;
const addresses = new Map<string, string>();

beforeAll(async () => {
  postgres = await startPostgres();
  prepared = await postgres.newDatabase();
  const connections = await connect(prepared, postgresLimits);
  await migrate(connections.preparing);
  await connections.close();
}, 120_000);

afterAll(() => postgres[Symbol.asyncDispose](), 120_000);

/** Each folder has its own database. */
async function addressOf(folder: string): Promise<string> {
  const address = addresses.get(folder) ?? (await postgres.newDatabase(prepared));
  addresses.set(folder, address);
  return address;
}

describeStore(
  "postgres",
  async (folder) => openPostgresStore({ address: await addressOf(folder), writer: folder }),
  "elsewhere",
);

describe("a PostgreSQL store", () => {
  const open = (address: string, writer = "one", limits: Partial<StoreLimits> = {}): Promise<Store & SourceMapReader> =>
    openPostgresStore({ address, writer, limits });

  async function file(store: Store, items: readonly FiledItem[], perBatch?: number): Promise<void> {
    for (const batch of batchesOf(items, perBatch, await store.appliedUpTo())) await store.commit(batch);
  }

  it("is prepared once when eight processes start at once", async () => {
    const address = await postgres.newDatabase();
    const stores = await Promise.all(Array.from({ length: 8 }, (_, n) => open(address, `writer ${n}`)));
    await Promise.all(stores.map((store, n) => file(store, [anEvent({ text: `of ${n}` })])));
    await stores[0]?.settled();
    const page = await stores[7]?.issues({ project: 1, filter: everyIssue, sort: "events", limit: 20 });
    expect(page?.issues.map(({ number }) => number).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    for (const store of stores) store.close();
  });

  it("takes missing steps one by one, and refuses a database that a newer version has written", async () => {
    const address = await postgres.newDatabase();
    const { preparing, close } = await connect(address, postgresLimits);
    await migrate(preparing, ["CREATE TABLE holdfast.first (n int)"]);
    const steps = ["CREATE TABLE holdfast.first (n int)", "CREATE TABLE holdfast.second (n int)"];
    await Promise.all([migrate(preparing, steps), migrate(preparing, steps)]);
    expect(await preparing.all("SELECT n FROM holdfast.migration ORDER BY n")).toEqual([{ n: 1 }, { n: 2 }]);
    await expect(migrate(preparing, [])).rejects.toThrow("[database-from-newer-version]");
    await close();
    const empty = { address: await postgres.newDatabase(), writer: "one" };
    await expect(openPostgresReader(empty)).rejects.toThrow("[database-from-older-version]");
    expect(migrations).toHaveLength(20);
  });

  it("counts exactly what several writers file at once, with the same events among them", async () => {
    const address = await postgres.newDatabase(prepared);
    const stores = await Promise.all(["one", "two", "three", "four"].map((writer) => open(address, writer)));
    const both = Array.from({ length: 20 }, (_, n) => anEvent({ text: `kind ${n % 5}`, visitor: n, at: noon + n }));
    const own = stores.map((_, writer) =>
      Array.from({ length: 60 }, (_, n) =>
        anEvent({ text: `kind ${n % 5}`, visitor: writer * 100 + n, at: noon + n, release: `1.${n % 2}.0` }),
      ),
    );
    await Promise.all(stores.map((store, writer) => file(store, [...(own[writer] ?? []), ...both], 10)));
    const [first] = stores;
    await first?.settled();
    const page = await first?.issues({ project: 1, filter: everyIssue, sort: "first-seen", limit: 9 });
    expect(page?.issues.map(({ events }) => events)).toEqual([52, 52, 52, 52, 52]);
    expect(await first?.check()).toEqual([]);
    for (const event of both) expect((await first?.event(1, event.eventId))?.body.kind).toBe("whole");
    for (const store of stores) store.close();
  });

  it("files a batch once that was committed without an answer, and goes on behind it", async () => {
    const address = await postgres.newDatabase(prepared);
    const [first, second] = batchesOf([anEvent({ text: "a" }), anEvent({ text: "b" })], 1);
    if (first === undefined || second === undefined) throw new Error("There are two batches.");
    // The other one stands for the same process, of which the answer was lost.
    const [lost, store] = [await open(address), await open(address)];
    expect(await store.appliedUpTo()).toBe(0);
    await lost.commit(first);
    expect(await store.commit(first)).toMatchObject({ events: 0, duplicates: 0 });
    expect(await store.commit(second)).toMatchObject({ events: 1 });
    expect(await store.appliedUpTo()).toBe(second.upTo);
    await store.settled();
    expect(await store.check()).toEqual([]);
    for (const one of [lost, store]) one.close();
  });

  it("tells live what became visible, each record once, in the order of the transactions", async () => {
    const address = await postgres.newDatabase(prepared);
    const stores = await Promise.all(["one", "two"].map((writer) => open(address, writer)));
    const [reader] = stores;
    if (reader === undefined) throw new Error("There are two stores.");
    const seen: string[] = [];
    let after: number | undefined;
    const expected: string[] = [];
    const look = async (): Promise<void> => {
      const news = await reader.recent({ project: 1, limit: 10, ...(after !== undefined && { after }) });
      for (const record of news) if (record.kind === "event") seen.push(record.eventId);
      after = news.at(-1)?.rowId ?? after;
    };
    for (let n = 0; n < 6; n += 1) {
      const event = anEvent({ text: `event ${n}` });
      expected.push(event.eventId);
      await file(stores[n % 2] ?? reader, [event]);
      await look();
    }
    // A fold that is still open holds back what is newer than it.
    for (const store of stores) await store.settled();
    await look();
    expect(seen).toEqual(expected);
    for (const store of stores) store.close();
  });

  it("collects new errors beyond the bound in one issue", async () => {
    const store = await open(await postgres.newDatabase(prepared), "one", { newIssuesPerHour: 3 });
    const flood = Array.from({ length: 8 }, (_, n) => anEvent({ text: `made up ${n}` }));
    const later = anEvent({ text: "made up 7", at: noon + 3_600_000 });
    await file(store, [...flood, anEvent({ text: "made up 1" }), later], 4);
    await store.settled();
    const { issues } = await store.issues({ project: 1, filter: everyIssue, sort: "events", limit: 20 });
    expect(issues.map(({ title, events }) => [title, events])).toEqual([
      ["more different errors came in an hour than issues are made", 5],
      ["made up 1", 2],
      ...["made up 7", "made up 2", "made up 0"].map((title) => [title, 1]),
    ]);
    expect(await store.check()).toEqual([]);
    store.close();
  });

  it("takes text that PostgreSQL cannot keep, and finds words without their accents", async () => {
    const store = await open(await postgres.newDatabase(prepared));
    const odd: Partial<FiledEvent> = { route: "/a\0b", release: "1\0", tags: [["k\0", "v\0"]] };
    await file(store, [anEvent({ text: "a\0b", searchText: "Größe a\0b", ...odd })]);
    await store.settled();
    const found = (text: string) => ({ ...everyIssue, words: [{ text, not: false }] });
    expect(await store.countIssues(1, found("GRÖß"), 9)).toBe(1);
    expect(await store.countIssues(1, found("grö"), 9)).toBe(1);
    expect(await store.countIssues(1, found("gro"), 9)).toBe(1);
    expect(await store.countIssues(1, found("absent"), 9)).toBe(0);
    expect(await store.check()).toEqual([]);
    store.close();
  });

  it("ends a part early, cuts it, drops it, and counts what went", async () => {
    const store = await open(await postgres.newDatabase(prepared));
    const events = Array.from({ length: 40 }, (_, n) => anEvent({ text: `kind ${n % 3}`, at: noon + n * 1_000 }));
    await file(store, events.slice(0, 20));
    await store.splitPartition(noon + 20_000);
    await file(store, events.slice(20));
    const [newest, oldest] = await store.partitions();
    expect([newest?.name, oldest?.name]).toEqual(["events-2026-W46-2", "events-2026-W46"]);
    expect([newest?.isLater, oldest?.isLater]).toEqual([true, false]);
    // What comes again is known, in whichever part it lies.
    const [again] = batchesOf(events, events.length, await store.appliedUpTo());
    expect(again && (await store.commit(again))).toMatchObject({ events: 0, duplicates: 40 });
    await store.dropPartition(oldest?.name ?? "", "bytes");
    await store.cutPartition(newest?.name ?? "", (newest?.bytes ?? 0) / 2, "low-disk");
    const kept = await Promise.all(events.map(({ eventId }) => store.event(1, eventId)));
    const left = kept.filter((event) => event !== undefined);
    expect(left.length).toBeLessThan(15);
    expect(left.map(({ body }) => body.kind)).not.toContain("damaged");
    expect(await store.deletions()).toEqual([
      { what: "events", why: "bytes", n: 20 },
      { what: "events", why: "low-disk", n: 20 - left.length },
    ]);
    await store.settled();
    expect(await store.check()).toEqual([]);
    store.close();
  });

  it("says how it is backed up instead of copying itself into a folder", async () => {
    const store = await open(await postgres.newDatabase(prepared));
    const folder = mkdtempSync(join(tmpdir(), "holdfast-copy-"));
    await expect(store.backup(folder)).rejects.toThrow("pg_dump");
    rmSync(folder, { recursive: true });
    store.close();
  });

  it("fetches the source maps that a batch names, and notices a build that was added since", async () => {
    const store = await open(await postgres.newDatabase(prepared));
    const name = { project: 1, debugId: hex("chunk") };
    await store.fetchSourceMaps([name]);
    expect(store.sourceMap(1, hex("chunk"))).toEqual({ kind: "absent" });
    await store.addSourceMap({ ...name, release: "1.0.0", map: '{"version":3}' });
    await store.fetchSourceMaps([name]);
    expect(store.sourceMap(1, hex("chunk"))).toMatchObject({ kind: "found" });
    expect(await store.sourceMapBytes()).toBeGreaterThan(0);
    store.close();
  });
});
