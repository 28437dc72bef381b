import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { NewRow } from "#pages";
import { openSubmissionMemory } from "./open-submission-memory.ts";
import { openSubmissionDb, type SubmissionDbLimits, submissionDbLimits } from "./submission-db.ts";

function folder(): string {
  const made = mkdtempSync(path.join(tmpdir(), "holdfast-submissions-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

function open(file: string, limits: Partial<SubmissionDbLimits> = {}) {
  const db = openSubmissionDb(file, { ...submissionDbLimits, ...limits });
  onTestFinished(() => db.close());
  return db;
}

const noon = 1_800_000_000_000;
const row = (number: number, more: Partial<NewRow> = {}): NewRow => ({
  key: Buffer.alloc(16, number),
  attempt: 1,
  state: "running",
  leaseUntil: noon + 30_000,
  body: null,
  visitor: "[]",
  ...more,
});
const ended = (number: number, sealed: Uint8Array = Buffer.alloc(1)) =>
  ({ key: Buffer.alloc(16, number), attempt: 1, state: "done", sealed, visitor: undefined }) as const;

test("the file is readable by its owner alone, and two processes see the same", () => {
  const file = path.join(folder(), "data", "submissions.db");
  const [here, there] = [open(file), open(file)];
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(here.take(row(1), noon)).toBe(true);
  expect(there.take(row(1), noon)).toBe(false);
  expect(there.find(row(1).key)).toMatchObject({ attempt: 1, state: "running", leaseUntil: noon + 30_000 });
  expect(there.end(ended(1)), "it is not there that it runs").toBe(false);
  expect([here.end(ended(1)), here.end(ended(1))]).toEqual([true, false]);
});

test("an old owner that resumes can no longer end a submission that another one has taken", () => {
  const file = path.join(folder(), "submissions.db");
  const [old, young] = [open(file), open(file)];
  old.take(row(1), noon);
  expect(young.take(row(1, { attempt: 2 }), noon)).toBe(false);
  expect(young.take(row(1, { attempt: 2, leaseUntil: noon + 90_000 }), noon + 30_001)).toBe(true);
  old.renew(row(1).key, 1, noon + 999_999);
  expect([old.end(ended(1)), young.find(row(1).key)]).toMatchObject([false, { attempt: 2, leaseUntil: noon + 90_000 }]);
});

test("rows older than a day are deleted without a trace; running ones are not", () => {
  const db = open(path.join(folder(), "submissions.db"), { rows: 100 });
  db.take(row(1), noon);
  db.end(ended(1));
  db.take(row(2, { leaseUntil: noon + 2 * 86_400_000 }), noon);
  db.take(row(3), noon + 86_400_001);
  expect([1, 2, 3].map((number) => db.find(row(number).key)?.state)).toEqual([undefined, "running", "running"]);
  expect(db.hasForgotten(noon + 86_400_001)).toBe(false);
});

test("it stays within its bytes: the oldest completed rows are deleted, and this is recorded", () => {
  const db = open(path.join(folder(), "submissions.db"), { rows: 100, bytes: 200_000 });
  for (let number = 0; number < 60; number++) {
    db.take(row(number), noon + number);
    db.end(ended(number, Buffer.alloc(8_000)));
  }
  const kept = Array.from({ length: 60 }, (_, number) => db.find(row(number).key) !== undefined);
  expect(kept.indexOf(true)).toBeGreaterThan(30);
  expect(kept.slice(kept.indexOf(true)).every(Boolean)).toBe(true);
  expect([db.hasForgotten(noon + 1_000), db.hasForgotten(noon + 2 * 86_400_000)]).toEqual([true, false]);
});

test("a folder that is not writable leaves the application without a memory, and is reported once", () => {
  const blocked = path.join(folder(), "blocked");
  writeFileSync(blocked, "");
  const said: string[] = [];
  const deps = {
    dataFolder: blocked,
    sealKey: new Uint8Array(32),
    isKeyGiven: false,
    warn: (text: string) => said.push(text),
  };
  expect(openSubmissionMemory({}, deps).memory.reach).toBe("none");
  expect(said).toEqual([expect.stringContaining("not remembered")]);
});

test("a key that other machines may share makes the memory local, unless the settings differ", () => {
  const dataFolder = folder();
  mkdirSync(dataFolder, { recursive: true });
  const reachOf = (isKeyGiven: boolean, memory?: "shared" | "local" | "off") => {
    const opened = openSubmissionMemory(
      { submissions: memory ? { memory } : {} },
      { dataFolder, sealKey: new Uint8Array(32), isKeyGiven, warn: () => undefined },
    );
    opened.close();
    return opened.memory.reach;
  };
  expect([
    reachOf(false),
    reachOf(true),
    reachOf(true, "shared"),
    reachOf(false, "local"),
    reachOf(false, "off"),
  ]).toEqual(["shared", "local", "shared", "local", "none"]);
});
