import { describe, expect, it } from "vitest";
import { ForgetfulDisk } from "../../../tests/faults/forgetful-disk.ts";
import type { AppendOutcome } from "./acknowledge/append-outcome.ts";
import { Bridge } from "./acknowledge/bridge.ts";
import type { Disk } from "./disk.ts";
import { Journal } from "./journal.ts";
import { JournalReader } from "./journal-reader.ts";
import { type JournalLimits, journalLimits } from "./limits.ts";

const byStore = { kind: "kept", by: "store" } as const;
const byJournal = { kind: "kept", by: "journal" } as const;

describe("a journal whose store acknowledges", () => {
  it("can be read at once, without a sync, and acknowledges each record that the store has committed", async () => {
    const { journal, disk, readable } = await opened();
    const outcomes = appendAll(journal, ["a", "b", "c"]);
    await expect.poll(() => readable.length).toBe(1);
    const { records } = new JournalReader(disk).read(0, readable[0] ?? 0, 10_000);
    expect(records.map(({ bytes }) => `${bytes}`)).toEqual(["a", "b", "c"]);
    journal.committed(records[1]?.next ?? 0);
    expect(outcomes).toEqual([byStore, byStore, undefined]);
    journal.committed(journal.readableEnd);
    expect(outcomes).toEqual([byStore, byStore, byStore]);
    expect(journal.stats()).toMatchObject({ syncs: 0, acknowledged: { store: 3, journal: 0 }, isBridging: false });
  });

  it("takes a release for a commit", async () => {
    const { journal } = await opened();
    const outcomes = appendAll(journal, ["a"]);
    await expect.poll(() => journal.readableEnd).toBeGreaterThan(0);
    await journal.release(journal.readableEnd);
    expect(outcomes).toEqual([byStore]);
  });

  it("syncs once for all records when the oldest has waited too long", async () => {
    const { journal, disk } = await opened({ bridgeAfterMs: 20 });
    const outcomes = await Promise.all(["a", "b", "c"].map((text) => journal.append(envelope(text))));
    expect(outcomes).toEqual([byJournal, byJournal, byJournal]);
    expect(journal.stats()).toMatchObject({ syncs: 1, acknowledged: { store: 0, journal: 3 }, isBridging: true });
    disk.losePower();
    expect(readAll(disk, journal)).toEqual(["a", "b", "c"]);
  });

  it("waits for no store that is known to be away, and waits again when it is back", async () => {
    const { journal } = await opened({ bridgeAfterMs: 600_000 });
    const before = journal.append(envelope("before"));
    await expect.poll(() => journal.readableEnd).toBeGreaterThan(0);
    journal.storeIsAway(true);
    expect(await before).toEqual(byJournal);
    expect(await journal.append(envelope("during"))).toEqual(byJournal);
    journal.storeIsAway(false);
    journal.committed(journal.readableEnd);
    expect(journal.stats().isBridging).toBe(false);
    const outcomes = appendAll(journal, ["after"]);
    const end = journal.readableEnd;
    await expect.poll(() => journal.readableEnd).toBeGreaterThan(end);
    expect(outcomes).toEqual([undefined]);
    journal.committed(journal.readableEnd);
    expect(outcomes).toEqual([byStore]);
  });

  it("collects during a sync, so that the number of syncs follows the disk while it bridges", async () => {
    const { journal } = await opened();
    journal.storeIsAway(true);
    const first = journal.append(envelope("first"));
    await expect.poll(() => journal.readableEnd).toBeGreaterThan(0);
    const rest = Array.from({ length: 200 }, (_, index) => journal.append(envelope(`rest ${index}`)));
    await Promise.all([first, ...rest]);
    expect(journal.stats()).toMatchObject({ appendedRecords: 201, syncs: 2, acknowledged: { journal: 201 } });
  });

  it("syncs a segment that it leaves while a client waits, and none that the store has committed", async () => {
    const { journal, disk } = await opened({ segmentBytes: 60 });
    await write(journal, "committed".padEnd(30));
    journal.committed(journal.readableEnd);
    await write(journal, "waits".padEnd(30));
    expect(journal.stats().syncs).toBe(0);
    const outcomes = appendAll(journal, ["next".padEnd(30)]);
    await expect.poll(() => disk.list().length).toBe(3);
    expect(journal.stats()).toMatchObject({ syncs: 1, acknowledged: { store: 1, journal: 0 } });
    journal.storeIsAway(true);
    await expect.poll(() => outcomes).toEqual([byJournal]);
    expect(journal.stats()).toMatchObject({ syncs: 2, acknowledged: { store: 1, journal: 2 } });
    disk.losePower();
    expect(readAll(disk, journal).map((text) => text.trim())).toEqual(["waits", "next"]);
  });

  it("refuses after a failed sync what only the journal has, and not what the store has committed", async () => {
    // The fourth step: create, two writes, sync.
    const { journal } = await opened({ retryAfterFailureMs: 0 }, new ForgetfulDisk(4));
    const outcomes = appendAll(journal, ["committed"]);
    await expect.poll(() => journal.readableEnd).toBeGreaterThan(0);
    const end = journal.readableEnd;
    const more = appendAll(journal, ["lost"]);
    await expect.poll(() => journal.readableEnd).toBeGreaterThan(end);
    journal.storeIsAway(true);
    journal.committed(end);
    await expect.poll(() => more).toEqual([expect.objectContaining({ kind: "refused", retryAfterSeconds: 5 })]);
    expect(outcomes).toEqual([byStore]);
    expect(journal.stats()).toMatchObject({ failures: 1, acknowledged: { store: 1, journal: 0 } });
    expect(await journal.append(envelope("again"))).toEqual(byJournal);
  });

  it("acknowledges everything before it closes", async () => {
    const { journal, disk } = await opened();
    const outcomes = appendAll(journal, ["written"]);
    await expect.poll(() => journal.readableEnd).toBeGreaterThan(0);
    outcomes.push(...appendAll(journal, ["not written yet"]));
    await journal.close();
    expect(journal.stats().acknowledged).toEqual({ store: 0, journal: 2 });
    disk.losePower();
    expect(readAll(disk, journal)).toEqual(["written", "not written yet"]);
  });

  it("keeps its position in a name when everything is filed, for a start at which the store is away", async () => {
    const disk = new ForgetfulDisk();
    const { journal } = await opened({}, disk);
    await write(journal, "filed");
    const end = journal.readableEnd;
    await journal.close();
    await journal.release(end);
    expect(disk.list().map((name) => disk.openToRead(name).size())).toEqual([0]);
    const { journal: again } = await opened({}, disk);
    expect(again.readableEnd).toBeGreaterThan(end);
    expect(again.stats().backlogBytes).toBe(0);
    await write(again, "next");
    await again.close();
    expect(again.stats().failures).toBe(0);
  });

  it("does so too when a segment's time is over, and continues in the new one", async () => {
    const { journal, disk } = await opened({ segmentMs: 0 });
    await write(journal, "filed");
    const end = journal.readableEnd;
    await journal.release(end);
    await expect.poll(() => disk.list().map((name) => disk.openToRead(name).size())).toEqual([0]);
    await write(journal, "next");
    expect(disk.list()).toHaveLength(1);
    expect(
      new JournalReader(disk).read(end, journal.readableEnd, 1_000).records.map(({ bytes }) => `${bytes}`),
    ).toEqual(["next"]);
  });

  it("counts no skipped positions as waiting, however often it starts during an outage", async () => {
    const disk = new ForgetfulDisk();
    const bytes: number[] = [];
    for (let start = 0; start < 5; start += 1) {
      const { journal } = await opened({ backlogBytes: 1_000 }, disk);
      bytes.push(journal.stats().backlogBytes, journal.bytesAfter(0));
      journal.storeIsAway(true);
      expect(await journal.append(envelope("x".repeat(100 - 21)))).toEqual(byJournal);
      await journal.close();
    }
    expect(bytes).toEqual([0, 0, 100, 100, 200, 200, 300, 300, 400, 400]);
    const { journal } = await opened({ backlogBytes: 1_000 }, disk);
    expect(readAll(disk, journal)).toHaveLength(5);
    expect(journal.pressure).toBe("half");
  });
});

describe("a power cut while the store acknowledges", () => {
  it("loses nothing that the journal acknowledged, and uses no position again", async () => {
    const inAll = { store: 0, journal: 0, missing: 0 };
    for (let moment = 0; moment < 120; moment += 1) {
      const disk = new ForgetfulDisk();
      const { journal } = await opened({ segmentBytes: 300 }, disk);
      const kept = { store: [] as string[], journal: [] as string[] };
      for (let writer = 0; writer < 8; writer += 1) {
        void (async () => {
          for (let index = 0; index < 10; index += 1) {
            const outcome = await journal.append(envelope(`${writer}.${index}`));
            if (outcome.kind === "kept") kept[outcome.by].push(`${writer}.${index}`);
          }
        })();
      }
      // The store commits what it finds, then it is away, and so on.
      let committed = 0;
      const turn = 3 + (moment % 5);
      for (let step = 0; step < moment; step += 1) {
        await new Promise(setImmediate);
        const isAway = Math.floor(step / turn) % 2 === 1;
        journal.storeIsAway(isAway);
        if (isAway) continue;
        committed = journal.readableEnd;
        journal.committed(committed);
      }
      const acknowledged = { store: [...kept.store], journal: [...kept.journal] };
      const used = journal.stats().readableEnd;
      const survivor = disk.copyAfterPowerCut(moment);
      const { journal: next } = await opened({}, survivor, committed);
      const found = readAll(survivor, next);
      const unfiled = readAll(survivor, next, committed);
      // What the store has committed is before its position. The rest must still be in the journal.
      const waiting = new Set(readAll(disk, journal, committed));
      const filed = new Set(readAll(disk, journal).filter((text) => !waiting.has(text)));
      for (const text of acknowledged.journal) expect(filed.has(text) || unfiled.includes(text)).toBe(true);
      for (const text of acknowledged.store) expect(filed.has(text)).toBe(true);
      expect(new Set(unfiled).size).toBe(unfiled.length);
      expect(next.readableEnd).toBeGreaterThanOrEqual(used);
      inAll.store += acknowledged.store.length;
      inAll.journal += acknowledged.journal.length;
      inAll.missing += acknowledged.store.filter((text) => !found.includes(text)).length;
      await journal.close();
      await next.close();
    }
    expect(inAll.store).toBeGreaterThan(500);
    expect(inAll.journal).toBeGreaterThan(500);
    expect(inAll.missing).toBeGreaterThan(50);
  });
});

describe("bridging", () => {
  it("ends when the store has everything", () => {
    const { bridge, clock } = bridgeAfter(400);
    bridge.begin(100);
    clock.ms += 3_000;
    bridge.committed(99, 100);
    expect(bridge.isBridging).toBe(true);
    bridge.committed(100, 100);
    expect(bridge.isBridging).toBe(false);
  });

  it("goes on while the store is behind, and ends under load when it commits in time what arrives", () => {
    const { bridge, clock } = bridgeAfter(400);
    bridge.begin(100);
    clock.ms += 3_000;
    bridge.committed(100, 5_000);
    expect(bridge.isBridging).toBe(true);
    clock.ms += 500;
    bridge.committed(5_000, 6_000);
    expect(bridge.isBridging).toBe(true);
    clock.ms += 100;
    bridge.committed(6_000, 6_200);
    expect(bridge.isBridging).toBe(false);
  });

  it("goes on while the store is away, whatever it has committed", () => {
    const { bridge } = bridgeAfter(400);
    bridge.storeIsAway(true, 100);
    bridge.committed(100, 100);
    expect(bridge.isBridging).toBe(true);
    bridge.storeIsAway(false, 100);
    expect(bridge.isBridging).toBe(false);
  });
});

function bridgeAfter(ms: number): { bridge: Bridge; clock: { ms: number } } {
  const clock = { ms: 0, now: () => 0, elapsed: () => clock.ms };
  return { bridge: new Bridge(ms, clock, 0), clock };
}

async function opened(limits: Partial<JournalLimits> = {}, disk = new ForgetfulDisk(), startAt?: number) {
  const readable: number[] = [];
  const journal = await Journal.open({
    disk,
    acknowledge: "store",
    // No test waits for it, unless it says so.
    limits: { ...journalLimits, bridgeAfterMs: 600_000, ...limits },
    ...(startAt === undefined ? {} : { startAt }),
    onReadable: (end) => readable.push(end),
  });
  return { journal, disk, readable };
}

/** The outcomes, as they come. */
function appendAll(journal: Journal, texts: readonly string[]): (AppendOutcome | undefined)[] {
  const outcomes: (AppendOutcome | undefined)[] = texts.map(() => undefined);
  for (const [index, text] of texts.entries())
    journal.appendThen(envelope(text), (outcome) => {
      outcomes[index] = outcome;
    });
  return outcomes;
}

async function write(journal: Journal, text: string): Promise<void> {
  const end = journal.readableEnd;
  appendAll(journal, [text]);
  await expect.poll(() => journal.readableEnd, { interval: 1 }).toBeGreaterThan(end);
}

function envelope(text: string): { project: number; receivedMs: number; bytes: Uint8Array } {
  return { project: 1, receivedMs: 1_700_000_000_000, bytes: Buffer.from(text) };
}

function readAll(disk: Disk, journal: Journal, from = 0): string[] {
  const reader = new JournalReader(disk);
  const texts: string[] = [];
  for (let at = from; at < journal.readableEnd; ) {
    const part = reader.read(at, journal.readableEnd, 256);
    for (const record of part.records) texts.push(`${record.bytes}`);
    at = part.next;
  }
  reader.close();
  return texts;
}
