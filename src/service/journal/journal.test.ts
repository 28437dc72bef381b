import { mkdtempSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { ForgetfulDisk } from "../../../tests/faults/forgetful-disk.ts";
import { type Disk, folderDisk } from "./disk.ts";
import { lockFolder } from "./folder-lock.ts";
import { Journal } from "./journal.ts";
import { JournalReader } from "./journal-reader.ts";
import { type JournalLimits, journalLimits } from "./limits.ts";

describe("a journal", () => {
  it("returns exactly the appended records, in order, with project and time", async () => {
    const { disk } = folder();
    const journal = await Journal.open({ disk });
    const outcomes = await Promise.all(
      ["a", "bb", "ccc"].map((text, index) => journal.append(envelope(text, index + 1))),
    );
    expect(outcomes).toEqual([
      { kind: "kept", by: "journal" },
      { kind: "kept", by: "journal" },
      { kind: "kept", by: "journal" },
    ]);
    expect(readAll(disk, journal)).toEqual(["1:a", "2:bb", "3:ccc"]);
    expect(journal.stats()).toMatchObject({ appendedRecords: 3, failures: 0 });
    await journal.close();
  });

  it("syncs once for all records that arrive together", async () => {
    const { disk } = folder();
    const journal = await Journal.open({ disk });
    await Promise.all(Array.from({ length: 200 }, (_, index) => journal.append(envelope(`r${index}`))));
    expect(journal.stats().syncs).toBe(1);
    await journal.close();
  });

  it("continues after a restart at its end, and never reuses a position", async () => {
    const { disk } = folder();
    const first = await Journal.open({ disk });
    await first.append(envelope("before"));
    const end = first.readableEnd;
    await first.close();
    const second = await Journal.open({ disk });
    expect(second.readableEnd).toBe(end);
    await second.append(envelope("after"));
    expect(readAll(disk, second)).toEqual(["1:before", "1:after"]);
    await second.close();
  });

  it("begins beyond the store's position if its own files are lost", async () => {
    const { disk } = folder();
    const journal = await Journal.open({ disk, startAt: 5_000 });
    await journal.append(envelope("new"));
    const { records } = new JournalReader(disk).read(5_000, journal.readableEnd, 1_000_000);
    expect(records.map((record) => record.position)).toEqual([5_000]);
    await journal.close();
  });

  it("cuts off a record that a crash left half written, at any byte", async () => {
    const { disk, path } = folder();
    const whole = await Journal.open({ disk });
    await whole.append(envelope("kept"));
    const keptEnd = whole.readableEnd;
    await whole.append(envelope("torn record"));
    await whole.close();
    const file = join(path, readdirSync(path)[0] ?? "");
    const fullSize = statSync(file).size;
    for (let size = fullSize - 1; size > keptEnd; size -= 1) {
      truncateSync(file, size);
      const journal = await Journal.open({ disk });
      expect(journal.readableEnd).toBe(keptEnd);
      expect(journal.stats().cutBytes).toBe(size - keptEnd);
      expect(readAll(disk, journal)).toEqual(["1:kept"]);
      await journal.close();
    }
  });

  it("skips a damaged record and keeps its neighbours", async () => {
    const disk = new ForgetfulDisk();
    const journal = await Journal.open({ disk });
    await journal.append(envelope("first"));
    const damagedAt = journal.readableEnd;
    await journal.append(envelope("second"));
    const damagedEnd = journal.readableEnd;
    await journal.append(envelope("third"));
    for (let at = damagedAt; at < damagedEnd; at += 1) {
      disk.flipBit(at);
      expect(readAll(disk, journal)).toEqual(["1:first", "1:third"]);
      disk.flipBit(at);
    }
    expect(readAll(disk, journal)).toEqual(["1:first", "1:second", "1:third"]);
  });

  it("deletes segments whose records are all released, and reads across the rest", async () => {
    const { disk } = folder();
    const journal = await Journal.open({ disk, limits: { ...journalLimits, segmentBytes: 200 } });
    for (let index = 0; index < 40; index += 1) await journal.append(envelope(`record ${index}`));
    const segmentsBefore = disk.list().length;
    expect(segmentsBefore).toBeGreaterThan(5);
    const reader = new JournalReader(disk);
    const half = reader.read(0, journal.readableEnd, 100).next;
    await journal.release(journal.readableEnd);
    expect(disk.list().length).toBe(1);
    expect(half).toBeGreaterThan(0);
    expect(journal.stats().backlogBytes).toBe(0);
    await journal.append(envelope("last"));
    expect(reader.read(half, journal.readableEnd, 1_000_000).records.at(-1)?.bytes.toString()).toBe("last");
    reader.close();
    await journal.close();
  });

  it("also deletes the only segment when its time is over and all of it is released, and continues after it", async () => {
    const { disk } = folder();
    let elapsed = 0;
    const clock = { now: () => 0, elapsed: () => elapsed };
    const journal = await Journal.open({ disk, clock });
    await journal.append(envelope("password=hunter2"));
    const end = journal.readableEnd;
    await journal.release(end);
    expect(disk.list()).toHaveLength(1);
    elapsed = journalLimits.segmentMs;
    await journal.release(end - 1);
    expect(disk.list()).toEqual([]);
    await journal.append(envelope("next"));
    expect(journal.readableEnd).toBeGreaterThan(end);
    expect(
      new JournalReader(disk).read(end, journal.readableEnd, 1_000).records.map(({ bytes }) => `${bytes}`),
    ).toEqual(["next"]);
    await journal.close();
  });

  it("deletes it by a timer, without another release", async () => {
    const { disk } = folder();
    const journal = await Journal.open({ disk, limits: { ...journalLimits, segmentMs: 5 } });
    await journal.append(envelope("filed"));
    await journal.release(journal.readableEnd);
    await expect.poll(() => disk.list(), { timeout: 15_000 }).toEqual([]);
    await journal.close();
  });

  it("keeps a segment with any unreleased record, however old it is", async () => {
    const { disk } = folder();
    const journal = await Journal.open({ disk, limits: { ...journalLimits, segmentMs: 0 } });
    await journal.append(envelope("filed"));
    const end = journal.readableEnd;
    await journal.append(envelope("not filed"));
    await journal.release(end);
    expect(readAll(disk, journal)).toEqual(["1:not filed"]);
    await journal.close();
  });

  it("begins a new segment after its time, so that filed records are deleted under a steady load too", async () => {
    const { disk } = folder();
    let elapsed = 0;
    const journal = await Journal.open({ disk, clock: { now: () => 0, elapsed: () => elapsed } });
    await journal.append(envelope("first"));
    const end = journal.readableEnd;
    elapsed = journalLimits.segmentMs;
    await journal.append(envelope("second"));
    expect(disk.list()).toHaveLength(2);
    await journal.release(end);
    expect(disk.list()).toHaveLength(1);
    expect(readAll(disk, journal)).toEqual(["1:second"]);
    await journal.close();
  });

  it("leaves no file when it is closed and everything is released", async () => {
    const { disk } = folder();
    const journal = await Journal.open({ disk });
    await journal.append(envelope("filed"));
    const end = journal.readableEnd;
    await journal.close();
    await journal.release(end);
    expect(disk.list()).toEqual([]);
    const again = await Journal.open({ disk, startAt: end });
    await again.append(envelope("next"));
    expect(readAll(disk, again)).toEqual(["1:next"]);
    await again.close();
  });

  it("deletes at the start what was filed before", async () => {
    const { disk } = folder();
    const journal = await Journal.open({ disk });
    await journal.append(envelope("filed"));
    const end = journal.readableEnd;
    await journal.close();
    const again = await Journal.open({ disk, startAt: end, limits: { ...journalLimits, segmentMs: 0 } });
    expect(disk.list()).toEqual([]);
    await again.close();
  });

  it("yields the same when it reads into one buffer, also if a record needs more", async () => {
    const { disk } = folder();
    const journal = await Journal.open({ disk });
    for (const length of [10, 300, 20, 5_000, 30]) await journal.append(envelope("x".repeat(length)));
    const apart = readAll(disk, journal);
    expect(apart.map((text) => text.length)).toEqual([12, 302, 22, 5_002, 32]);
    for (const room of [16, 256, 1_000, 10_000]) expect(readAll(disk, journal, room)).toEqual(apart);
    await journal.close();
  });

  it("keeps its end when everything is released, so that positions continue after a restart", async () => {
    const { disk } = folder();
    const journal = await Journal.open({ disk });
    await journal.append(envelope("filed"));
    const end = journal.readableEnd;
    await journal.release(end);
    await journal.close();
    const again = await Journal.open({ disk });
    expect(again.readableEnd).toBe(end);
    await again.close();
  });

  it("reports its fill level in stages, and refuses with a delay when it is full", async () => {
    const { disk } = folder();
    const journal = await Journal.open({ disk, limits: { ...journalLimits, backlogBytes: 1_000 } });
    const stages: string[] = [];
    const record = "x".repeat(100 - 21);
    for (let index = 0; index < 10; index += 1) {
      stages.push(journal.pressure);
      expect(await journal.append(envelope(record))).toEqual({ kind: "kept", by: "journal" });
    }
    expect(stages).toEqual(["none", "none", "none", "none", "none", "half", "half", "half", "high", "high"]);
    expect(await journal.append(envelope("one more"))).toMatchObject({ kind: "refused", retryAfterSeconds: 30 });
    await journal.release(journal.readableEnd);
    expect(await journal.append(envelope("one more"))).toEqual({ kind: "kept", by: "journal" });
    await journal.close();
  });

  it("counts bytes on their way to the disk, so that a burst does not exceed the limit", async () => {
    const { disk } = folder();
    const journal = await Journal.open({ disk, limits: { ...journalLimits, backlogBytes: 1_000 } });
    const burst = () => Array.from({ length: 20 }, () => journal.append(envelope("x".repeat(100 - 21))));
    const first = burst();
    // The first group is being written when the second arrives.
    await new Promise(setImmediate);
    const outcomes = await Promise.all([...first, ...burst()]);
    expect(outcomes.filter((outcome) => outcome.kind === "kept")).toHaveLength(10);
    expect(journal.stats().backlogBytes).toBe(1_000);
    await journal.close();
  });

  it("refuses a record that never fits as too large, without a retry", async () => {
    const { disk } = folder();
    const journal = await Journal.open({ disk, limits: { ...journalLimits, backlogBytes: 1_000 } });
    expect(await journal.append(envelope("x".repeat(1_000)))).toMatchObject({ kind: "too-large" });
    expect(await journal.append(envelope("x".repeat(900)))).toEqual({ kind: "kept", by: "journal" });
    await journal.close();
  });

  it("does not count records that could not be written", async () => {
    const disk = new ForgetfulDisk();
    let now = 0;
    const journal = await Journal.open({
      disk,
      limits: { ...journalLimits, backlogBytes: 1_000 },
      clock: { now: () => now, elapsed: () => now },
    });
    disk.freeBytes = 0;
    for (let n = 0; n < 9; n += 1) {
      expect(await journal.append(envelope("x".repeat(300)))).toMatchObject({ kind: "refused", retryAfterSeconds: 5 });
      now += journalLimits.retryAfterFailureMs;
    }
    disk.freeBytes = Number.MAX_SAFE_INTEGER;
    expect(journal.pressure).toBe("none");
    expect(await journal.append(envelope("x".repeat(300)))).toEqual({ kind: "kept", by: "journal" });
    await journal.close();
  });

  it("refuses when more waits for the disk than memory should hold", async () => {
    const { disk } = folder();
    const journal = await Journal.open({ disk, limits: { ...journalLimits, waitingBytes: 1_000 } });
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => journal.append(envelope("x".repeat(100)))));
    expect(outcomes.filter((outcome) => outcome.kind === "kept").length).toBe(8);
    await journal.close();
  });

  it("writes accepted records before it closes, and accepts none after", async () => {
    const { disk } = folder();
    const journal = await Journal.open({ disk });
    const taken = journal.append(envelope("taken"));
    await journal.close();
    expect(await taken).toEqual({ kind: "kept", by: "journal" });
    expect(await journal.append(envelope("late"))).toMatchObject({ kind: "refused" });
    expect(readAll(disk, journal)).toEqual(["1:taken"]);
  });

  it("writes files that only their owner can read", async () => {
    const { disk, path } = folder();
    const journal = await Journal.open({ disk });
    await journal.append(envelope("secret"));
    expect(readdirSync(path).map((name) => statSync(join(path, name)).mode & 0o777)).toEqual([0o600]);
    await journal.close();
  });
});

describe("a journal on a disk that fails", () => {
  it("acknowledges nothing that is lost and loses nothing that it acknowledged, whichever write fails", async () => {
    let failingStep = 1;
    for (let undisturbed = false; !undisturbed; failingStep += 1) {
      const disk = new ForgetfulDisk(failingStep);
      const journal = await Journal.open({ disk, limits: { ...impatient, segmentBytes: 200 } });
      const kept: string[] = [];
      for (let index = 0; index < 12; index += 1) {
        const outcome = await journal.append(envelope(`record ${index}`));
        if (outcome.kind === "kept") kept.push(`1:record ${index}`);
      }
      undisturbed = disk.failures === 0;
      expect(kept.length).toBeGreaterThanOrEqual(undisturbed ? 12 : 11);
      disk.heal();
      disk.losePower();
      const found = readAll(disk, await Journal.open({ disk }));
      expect(found).toEqual(expect.arrayContaining(kept));
      expect(new Set(found).size).toBe(found.length);
    }
    expect(failingStep).toBeGreaterThan(25);
  });

  it("accepts records again once there is room, without a restart", async () => {
    const disk = new ForgetfulDisk();
    const journal = await Journal.open({ disk, limits: impatient });
    await journal.append(envelope("before"));
    disk.freeBytes = 40;
    expect(await journal.append(envelope("x".repeat(100)))).toMatchObject({ kind: "refused", retryAfterSeconds: 5 });
    expect(journal.isWritable).toBe(false);
    disk.freeBytes = 1_000;
    expect(await journal.append(envelope("after"))).toEqual({ kind: "kept", by: "journal" });
    expect(journal.isWritable).toBe(true);
    expect(readAll(disk, journal)).toEqual(["1:before", "1:after"]);
  });

  it("retries a failed deletion", async () => {
    // At these sizes, each record fills a segment: three operations each, and the tenth is the first removal.
    const disk = new ForgetfulDisk(10);
    const journal = await Journal.open({ disk, limits: { ...impatient, segmentBytes: 30 } });
    for (const text of ["one", "two", "three"]) await journal.append(envelope(text.padEnd(20)));
    await journal.release(journal.readableEnd);
    expect([disk.failures, disk.list().length]).toEqual([1, 3]);
    await journal.release(journal.readableEnd);
    expect(disk.list().length).toBe(1);
  });

  it("refuses at once for a while after a failure, to spare the disk", async () => {
    let elapsed = 0;
    const disk = new ForgetfulDisk();
    const journal = await Journal.open({ disk, clock: { now: () => 0, elapsed: () => elapsed } });
    disk.freeBytes = 0;
    await journal.append(envelope("fails"));
    disk.freeBytes = 1_000;
    expect(await journal.append(envelope("too soon"))).toMatchObject({ kind: "refused" });
    elapsed = 1_000;
    expect(await journal.append(envelope("in time"))).toEqual({ kind: "kept", by: "journal" });
  });
});

describe("a power cut", () => {
  it("loses nothing that was acknowledged, at any moment", async () => {
    let acknowledgedInAll = 0;
    for (let moment = 0; moment < 60; moment += 1) {
      const disk = new ForgetfulDisk();
      const journal = await Journal.open({ disk, limits: { ...impatient, segmentBytes: 300 } });
      const kept: string[] = [];
      for (let writer = 0; writer < 8; writer += 1) {
        void (async () => {
          for (let index = 0; index < 10; index += 1) {
            const outcome = await journal.append(envelope(`${writer}.${index}`));
            if (outcome.kind === "kept") kept.push(`1:${writer}.${index}`);
          }
        })();
      }
      await disk.afterSteps(moment);
      const acknowledged = [...kept];
      const survivor = disk.copyAfterPowerCut(moment);
      acknowledgedInAll += acknowledged.length;
      const found = readAll(survivor, await Journal.open({ disk: survivor }));
      expect(found).toEqual(expect.arrayContaining(acknowledged));
      expect(new Set(found).size).toBe(found.length);
      await journal.close();
    }
    expect(acknowledgedInAll).toBeGreaterThan(100);
  });
});

describe("a data folder", () => {
  it("is refused to a second service, with the first one named", () => {
    const { path } = folder();
    const lock = lockFolder(path);
    expect(() => lockFolder(path)).toThrow(`is in use by process ${process.pid}. Stop that service first`);
    lock.release();
    lockFolder(path).release();
  });

  it("a data folder at an unusable path is reported as unusable, not as taken", () => {
    const { path } = folder();
    const file = join(path, "a-file");
    writeFileSync(file, "");
    for (const wrong of [file, join(file, "below")])
      expect(() => lockFolder(wrong)).toThrow(/ cannot be written: E\w+: .*\[service-folder-unusable\]$/);
  });
});

const impatient: JournalLimits = { ...journalLimits, retryAfterFailureMs: 0 };
const folders: string[] = [];

afterEach(() => {
  for (const path of folders.splice(0)) rmSync(path, { recursive: true });
});

function folder(): { disk: Disk; path: string } {
  const path = mkdtempSync(join(tmpdir(), "holdfast-journal-"));
  folders.push(path);
  return { disk: folderDisk(path), path };
}

function envelope(text: string, project = 1): { project: number; receivedMs: number; bytes: Uint8Array } {
  return { project, receivedMs: 1_700_000_000_000, bytes: Buffer.from(text) };
}

function readAll(disk: Disk, journal: Journal, roomBytes?: number): string[] {
  const reader = new JournalReader(disk, roomBytes);
  const texts: string[] = [];
  for (let at = 0; at < journal.readableEnd; ) {
    const part = reader.read(at, journal.readableEnd, 256);
    for (const record of part.records) texts.push(`${record.project}:${record.bytes}`);
    at = part.next;
  }
  reader.close();
  return texts;
}
