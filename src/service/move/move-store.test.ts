import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startPostgres, type TestPostgres } from "../../../tests/kit/postgres.ts";
import { openDatabase } from "../accounts/open-database.ts";
import { moveCommand } from "../commands/move-command.ts";
import { lockFolder } from "../journal/folder-lock.ts";
import { anEvent, batchesOf, noon } from "../stores/filed-examples.ts";
import { generatedItems } from "../stores/generated-items.contract.ts";
import { openStore } from "../stores/open-store.ts";
import { answersOf, liveThrough } from "../stores/same-answers.contract.ts";
import type { Store } from "../stores/store.ts";
import { storeAddressOf } from "../stores/store-address.ts";
import { openMoveToDatabase } from "./move-ends.ts";
import { moveStore } from "./move-store.ts";
import { verifyStores } from "./verify-stores.ts";

const items = generatedItems({ count: 240, from: noon, weeks: 2 });
const batches = batchesOf(items, 24);

let postgres: TestPostgres;
let root: string;
let folders = 0;
let dataFolder: string;
let address: string;

beforeAll(async () => {
  postgres = await startPostgres();
  root = mkdtempSync(join(tmpdir(), "holdfast-move-"));
}, 120_000);

afterAll(async () => {
  await postgres[Symbol.asyncDispose]();
  rmSync(root, { recursive: true });
}, 120_000);

beforeEach(async () => {
  dataFolder = newFolder();
  mkdirSync(dataFolder);
  address = await postgres.newDatabase();
});

function newFolder(): string {
  folders += 1;
  return join(root, `data-${folders}`);
}

function openFolder(folder: string): Promise<Store> {
  return openStore(storeAddressOf(folder, ""));
}

/** Fills the source as a service does, and closes it. */
async function fill(filled = batches): Promise<void> {
  const store = await openFolder(dataFolder);
  await liveThrough(store, filled);
  await store.addSourceMap({ project: 1, debugId: "ab".repeat(16), release: "1.0.0", map: "{}", addedAt: noon });
  await store.addCommits(1, "1.0.0", [{ hash: "c0ffee", subject: "First", author: "Ada", at: noon }]);
  await store.makeDurable();
  store.close();
}

async function move(...args: string[]): Promise<{ code: number; said: string[] }> {
  const said: string[] = [];
  const code = await moveCommand.run(args, { print: (text) => said.push(text), warn: (text) => said.push(text) });
  return { code, said };
}

async function expectEqualStores(folder = dataFolder, isToDatabase = true): Promise<void> {
  const { findings, events, bodies } = await verifyStores({ dataFolder: folder, address }, isToDatabase);
  expect(findings).toEqual([]);
  expect(bodies).toBeGreaterThan(0);
  expect(events).toBeGreaterThan(50);
}

describe("a move", { timeout: 60_000 }, () => {
  it("to PostgreSQL and back gives the same answers, and both go on filing", async () => {
    // So many that each project has enough in its newest week.
    const many = generatedItems({ count: 600, from: noon, weeks: 2 });
    await fill(batchesOf(many, 40));
    const accounts = openDatabase(dataFolder);
    await accounts.run("INSERT INTO holdfast.account VALUES ('ada@example.org', 'hash', '{}', 'Ada')");
    await accounts.run(
      "INSERT INTO holdfast.session (hash, email, began, used, device, network) VALUES ('s', 'ada@example.org', 1, 2, 'Firefox', '192.0.2.x')",
    );
    await accounts.run("INSERT INTO holdfast.refusal VALUES (1, 'ada@example.org', 0, 'wrong password', 3, 900001)");
    await accounts.run("INSERT INTO holdfast.invite VALUES ('secret', NULL, '{}', 5)");
    await accounts.run(
      `INSERT INTO holdfast.token (id, hash, name, email, scopes, created, made_by)
       VALUES (140737488355327, 't', 'laptop', 'ada@example.org', 'read', 3, 'ada@example.org')`,
    );
    await accounts.close();
    writeFileSync(join(dataFolder, "projects.json"), '[{"id":1}]\n');
    writeFileSync(join(dataFolder, "audit.jsonl"), '{"at":1,"by":"ada","what":"came"}\n');
    expect(await move("--from", dataFolder, "--to", address)).toMatchObject({ code: 0 });
    const back = newFolder();
    expect(await move("--from", address, "--to", back, "--stopped")).toMatchObject({ code: 0 });
    const stores = [
      await openFolder(dataFolder),
      await openStore(storeAddressOf(dataFolder, address)),
      await openFolder(back),
    ] as const;
    // One after the other: SQLite answers in this thread, so that a connection to PostgreSQL could not open in time.
    const answers: Awaited<ReturnType<typeof answersOf>>[] = [];
    for (const store of stores) answers.push(await answersOf(store, many));
    const [expected, ...others] = answers;
    for (const given of others)
      for (const question of Object.keys(expected ?? {}))
        expect.soft(given[question], question).toEqual(expected?.[question]);
    expect(readFileSync(join(back, "projects.json"), "utf8")).toBe('[\n  {\n    "id": 1\n  }\n]\n');
    expect(readFileSync(join(back, "audit.jsonl"), "utf8")).toBe('{"at":1,"by":"ada","what":"came"}\n');
    const people = openDatabase(back);
    expect(await people.all("SELECT email, name FROM holdfast.account")).toMatchObject([
      { email: "ada@example.org", name: "Ada" },
    ]);
    expect(await people.all("SELECT device, network FROM holdfast.session")).toMatchObject([
      { device: "Firefox", network: "192.0.2.x" },
    ]);
    expect(await people.all("SELECT id, name, email, project FROM holdfast.token")).toMatchObject([
      { id: 140737488355327, name: "laptop", email: "ada@example.org", project: null },
    ]);
    expect(await people.all("SELECT who, count FROM holdfast.refusal")).toMatchObject([
      { who: "ada@example.org", count: 3 },
    ]);
    expect(await people.all("SELECT hash, email FROM holdfast.invite")).toMatchObject([
      { hash: "secret", email: null },
    ]);
    await people.close();
    for (const store of stores) {
      const [batch] = batchesOf([anEvent({ text: "new after the move", at: noon + 1 })], 1, await store.appliedUpTo());
      if (batch !== undefined) await store.commit(batch);
      await store.settled();
      expect(await store.check()).toEqual([]);
      store.close();
    }
  });

  it("goes on while the source takes reports, and asks for a stop only for the rest", async () => {
    const service = lockFolder(dataFolder);
    const store = await openFolder(dataFolder);
    await liveThrough(store, batches.slice(0, 4));
    const ends = await openMoveToDatabase({ dataFolder, address });
    const kinds: string[] = [];
    let later: Promise<void> = Promise.resolve();
    const outcome = await moveStore(ends, {
      waits: true,
      limits: { retryMs: 20 },
      onProgress: ({ kind }) => {
        kinds.push(kind);
        if (kind === "round" && kinds.filter((one) => one === "round").length === 1)
          later = liveThrough(store, batches.slice(4, 7));
        if (kind !== "waiting") return;
        later = later.then(async () => {
          await liveThrough(store, batches.slice(7));
          await store.makeDurable();
          store.close();
          service.release();
        });
      },
    });
    await later;
    await ends.source.close();
    await ends.target.close();
    expect(outcome).toBe("moved");
    expect(kinds.indexOf("waiting")).toBeLessThan(kinds.indexOf("stopped"));
    expect(kinds.filter((kind) => kind === "round").length).toBeGreaterThan(1);
    await expectEqualStores();
  });

  it("out of a database copies what several services file meanwhile, and finishes when they are stopped", async () => {
    const one = await openStore(storeAddressOf(dataFolder, address));
    const another = await openStore(storeAddressOf(newFolder(), address));
    await liveThrough(one, batches.slice(0, 5));
    const target = newFolder();
    const first = await move("--from", address, "--to", target);
    expect(first.code).toBe(1);
    expect(first.said.at(-1)).toContain("--stopped");
    expect(existsSync(join(target, "store"))).toBe(false);
    await liveThrough(one, batches.slice(5, 7));
    await liveThrough(another, batchesOf(items.slice(168), 24));
    for (const store of [one, another]) store.close();
    expect(await move("--from", address, "--to", target, "--stopped")).toMatchObject({ code: 0 });
    await expectEqualStores(target, false);
  });

  it("goes on where it was after it was killed, and has everything once", async () => {
    await fill();
    const until = async (line: string): Promise<string[]> => {
      const child = spawn(
        process.execPath,
        [
          ...["--conditions", "holdfast-source", "--disable-warning=ExperimentalWarning"],
          fileURLToPath(new URL("../../../tests/faults/move-process.ts", import.meta.url)),
          ...[dataFolder, address],
        ],
        { stdio: ["ignore", "pipe", "inherit"] },
      );
      const ended = once(child, "exit");
      const lines: string[] = [];
      for await (const text of createInterface(child.stdout)) {
        lines.push(text);
        if (text === line) child.kill("SIGKILL");
      }
      await ended;
      return lines;
    };
    expect((await until("rows"))[0]).toBe("begun");
    await expect(openStore(storeAddressOf(dataFolder, address))).rejects.toThrow("[store-being-moved]");
    const second = await until("verified");
    expect(second[0]).toBe("continued");
    const last = await until("never");
    expect([last[0], last.at(-1)]).toEqual(["continued", "moved"]);
    // Everything was there already.
    expect(last.filter((line) => line === "rows")).toEqual([]);
    await expectEqualStores();
  });

  it("copies a partition again from which retention has deleted rows meanwhile", async () => {
    const service = lockFolder(dataFolder);
    const store = await openFolder(dataFolder);
    await liveThrough(store, batches);
    const ends = await openMoveToDatabase({ dataFolder, address });
    await moveStore(ends, {
      waits: true,
      limits: { retryMs: 20 },
      onProgress: ({ kind }) => {
        if (kind !== "waiting") return;
        void store.partitions().then(async ([newest]) => {
          await store.cutPartition(newest?.name ?? "", (newest?.bytes ?? 0) / 2, "bytes");
          await store.makeDurable();
          store.close();
          service.release();
        });
      },
    });
    await ends.source.close();
    await ends.target.close();
    const { findings } = await verifyStores({ dataFolder, address }, true);
    expect(findings).toEqual([]);
  });

  it("finds a copy that differs", async () => {
    await fill();
    await move("--from", dataFolder, "--to", address);
    const store = await openStore(storeAddressOf(dataFolder, address));
    await store.change({
      project: 1,
      issues: [(await store.issue(1, { number: 1 }))?.id ?? 0],
      change: { kind: "comment", text: "more" },
      by: "kim",
      at: 1,
    });
    store.close();
    const { code, said } = await move("--from", dataFolder, "--to", address, "--verify");
    expect(code).toBe(1);
    expect(said.join("\n")).toContain("issue_history");
  });

  it("refuses what it cannot do, and changes nothing", async () => {
    await expect(move("--from", dataFolder, "--to", newFolder())).rejects.toThrow("[move-needs-both]");
    await expect(move("--from", address, "--to", address)).rejects.toThrow("[move-needs-both]");
    const nothing = newFolder();
    await expect(move("--from", nothing, "--to", address)).rejects.toThrow("[store-not-there]");
    expect(existsSync(nothing)).toBe(false);
    await expect(move("--from", address, "--to", nothing)).rejects.toThrow("[database-from-older-version]");
    expect(existsSync(nothing)).toBe(false);
    await fill(batches.slice(0, 1));
    const unknown = address.replace(/test_\d+/, "nowhere");
    await expect(move("--from", dataFolder, "--to", unknown)).rejects.toThrow("[move-database-unusable]");
    await move("--from", dataFolder, "--to", address);
    await expect(move("--from", dataFolder, "--to", address)).rejects.toThrow("[move-database-not-empty]");
    await expect(move("--from", address, "--to", dataFolder)).rejects.toThrow("[move-target-not-empty]");
    expect(readdirSync(dataFolder)).not.toContain("store.moving");
  });
});
