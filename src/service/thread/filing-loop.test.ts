import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { ForgetfulDisk } from "../../../tests/faults/forgetful-disk.ts";
import { Journal } from "../journal/journal.ts";
import { JournalReader } from "../journal/journal-reader.ts";
import { FilingLoop } from "./filing-loop.ts";
import { acknowledgingLimits, type FilingLimits, filingLimits } from "./limits.ts";
import type { FilingProgress } from "./messages.ts";
import { SerialQueue } from "./serial-queue.ts";

describe("the filing loop", () => {
  it("files the journal in order, each record once, in batches", async () => {
    const { loop, journal, filed, batches } = await loopWith({ batchRecords: 10 });
    await append(journal, 35);
    loop.readUpTo(journal.readableEnd);
    await until(() => filed.length === 35);
    expect(filed).toEqual(Array.from({ length: 35 }, (_, index) => `record ${index}`));
    expect(batches).toEqual([10, 10, 10, 5]);
  });

  it("reads nothing beyond the durable position", async () => {
    const { loop, journal, filed } = await loopWith({});
    await append(journal, 1);
    const end = journal.readableEnd;
    await append(journal, 1);
    loop.readUpTo(end);
    await until(() => filed.length > 0);
    expect(filed).toEqual(["record 0"]);
  });

  it("retries the same records if the store is unavailable, and reports it", async () => {
    const { loop, journal, filed, faults, away, store } = await loopWith({ retryMs: 1 });
    store.isAvailable = false;
    await append(journal, 3);
    loop.readUpTo(journal.readableEnd);
    await until(() => faults.length >= 3);
    expect(filed).toEqual([]);
    expect(away).toEqual([true]);
    store.isAvailable = true;
    await until(() => filed.length === 3);
    expect(away).toEqual([true, false]);
  });

  it("waits twice as long after each failure, up to a limit", async () => {
    const { loop, journal, faults, store } = await loopWith({ retryMs: 1, retryAtMostMs: 8 });
    const timers = vi.spyOn(globalThis, "setTimeout");
    onTestFinished(() => timers.mockRestore());
    store.isAvailable = false;
    await append(journal, 1);
    loop.readUpTo(journal.readableEnd);
    await until(() => faults.length >= 6);
    // Longer ones are of this test, which waits.
    const pauses = timers.mock.calls.map(([, ms]) => ms).filter((ms) => Number(ms) <= 8);
    expect(pauses.slice(0, 5)).toEqual([1, 2, 4, 8, 8]);
  });

  it("files at once where clients wait for the commit, and collects the next batch during it", async () => {
    const { loop, journal, batches, store } = await loopWith(acknowledgingLimits);
    for (let batch = 1; batch <= 30; batch += 1) {
      await append(journal, 25);
      loop.readUpTo(journal.readableEnd);
      await until(() => batches.length === batch);
    }
    const commit = Promise.withResolvers<void>();
    store.commit = commit.promise;
    for (let record = 0; record < 10; record += 1) {
      await append(journal, 1);
      loop.readUpTo(journal.readableEnd);
    }
    await until(() => store.waiting === 1);
    commit.resolve();
    await until(() => batches.length === 32);
    expect(batches.slice(30).reduce((sum, records) => sum + records)).toBe(10);
  });

  it("releases only the part of the journal that the store has made durable", async () => {
    const { loop, journal, told } = await loopWith({ makeDurableMs: 5 });
    await append(journal, 3);
    loop.readUpTo(journal.readableEnd);
    await until(() => told.at(-1)?.releasable === journal.readableEnd);
    expect(told[0]).toMatchObject({ applied: journal.readableEnd, releasable: 0, records: 3 });
  });

  it("waits for more records under load, but not once a batch is full", async () => {
    const { loop, journal, batches } = await loopWith({
      pauses: [{ records: 2, ms: 60_000 }],
      batchBytes: 300,
    });
    await append(journal, 2);
    loop.readUpTo(journal.readableEnd);
    await until(() => batches.length === 1);
    await append(journal, 1);
    loop.readUpTo(journal.readableEnd);
    await append(journal, 20);
    loop.readUpTo(journal.readableEnd);
    await until(() => batches.length > 1);
    expect(batches[0]).toBe(2);
    expect(batches[1]).toBeGreaterThan(1);
  });

  it("files a few single records at once, and those after them together", async () => {
    const { loop, journal, batches } = await loopWith({ small: { atOnce: 3, everyMs: 60_000 } });
    for (let lone = 1; lone <= 3; lone += 1) {
      await append(journal, 1);
      loop.readUpTo(journal.readableEnd);
      await until(() => batches.length === lone);
    }
    for (let more = 0; more < 4; more += 1) {
      await append(journal, 1);
      loop.readUpTo(journal.readableEnd);
    }
    expect(batches).toEqual([1, 1, 1]);
    await loop.finish();
    expect(batches).toEqual([1, 1, 1, 4]);
  });

  it("files the rest before it ends", async () => {
    const { loop, journal, filed } = await loopWith({ small: { atOnce: 1, everyMs: 60_000 } });
    await append(journal, 1);
    loop.readUpTo(journal.readableEnd);
    await until(() => filed.length === 1);
    await append(journal, 5);
    loop.readUpTo(journal.readableEnd);
    expect(await loop.finish()).toBe(journal.readableEnd);
    expect(filed.length).toBe(6);
  });
});

const loops: FilingLoop[] = [];
afterEach(async () => {
  for (const loop of loops.splice(0)) await loop.finish();
});

async function loopWith(limits: Partial<FilingLimits>) {
  const disk = new ForgetfulDisk();
  const journal = await Journal.open({ disk });
  const filed: string[] = [];
  const batches: number[] = [];
  const faults: unknown[] = [];
  const told: FilingProgress[] = [];
  const away: boolean[] = [];
  const store = { isAvailable: true, applied: 0, waiting: 0, commit: Promise.resolve() };
  const loop = new FilingLoop(
    {
      reader: new JournalReader(disk),
      limits: { ...filingLimits, pauses: [], small: { atOnce: 1, everyMs: 1 }, ...limits },
      queue: new SerialQueue(),
      async file(records, upTo) {
        if (!store.isAvailable) throw new Error("The disk is full.");
        store.waiting += 1;
        await store.commit;
        store.waiting -= 1;
        batches.push(records.length);
        filed.push(...records.map(({ bytes }) => Buffer.from(bytes).toString()));
        store.applied = upTo;
        return { events: records.length, duplicates: 0, newIssues: [], collected: 0, regressedIssues: [] };
      },
      makeDurable: async () => store.applied,
      filed: (progress) => told.push(progress),
      storeIsAway: () => away.push(true),
      storeIsBack: () => away.push(false),
      fault: (error) => faults.push(error),
    },
    0,
  );
  loops.push(loop);
  return { loop, journal, filed, batches, faults, told, away, store };
}

let count = 0;

async function append(journal: Journal, records: number): Promise<void> {
  if (journal.readableEnd === 0) count = 0;
  for (let index = 0; index < records; index += 1) {
    await journal.append({ project: 1, receivedMs: 0, bytes: Buffer.from(`record ${count}`) });
    count += 1;
  }
}

async function until(isSo: () => boolean): Promise<void> {
  await expect.poll(isSo, { interval: 1 }).toBe(true);
}
