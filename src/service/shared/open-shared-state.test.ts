import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { startPostgres, type TestPostgres } from "../../../tests/kit/postgres.ts";
import { AlertOutbox } from "../alerts/alert-outbox.ts";
import { aMessage } from "../alerts/messages/message-examples.ts";
import type { ServiceCommand } from "../commands/command.ts";
import { dsnCommand } from "../commands/dsn-command.ts";
import { userCommand } from "../commands/user-command.ts";
import { copySharedToDatabase } from "../move/copy-shared.ts";
import { Projects } from "../projects.ts";
import { openSharedState } from "./open-shared-state.ts";
import type { SharedState } from "./shared-state.ts";

let postgres: TestPostgres;

beforeAll(async () => {
  postgres = await startPostgres();
}, 120_000);

afterAll(() => postgres[Symbol.asyncDispose](), 120_000);

/** Nothing listens there. */
const away = "postgres://holdfast@127.0.0.1:1/holdfast";

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-shared-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function open(address: string, folder = newFolder()): Promise<SharedState> {
  const state = await openSharedState(folder, address);
  onTestFinished(() => state.close());
  await state.ready();
  await state.projects.makeFirst();
  return state;
}

describe("what many processes share", { timeout: 60_000 }, () => {
  it("a message that waited in the folder before a move to a database waits once", async () => {
    const folder = newFolder();
    const before = await openSharedState(folder, "");
    const notice = { key: "new-issue 1/1", subject: "issue 1/1", unlessSince: undefined, project: 1, channel: "ops" };
    await new AlertOutbox(before.alertTables().shared, () => 5).add({
      notices: [{ ...notice, message: aMessage, dueAt: 5 }],
      summaries: [],
      cursors: [],
    });
    await before.close();
    const { alertTables } = await open(await postgres.newDatabase(), folder);
    const { shared, own } = alertTables();
    await copySharedToDatabase(folder, shared);
    const waiting = await Promise.all([shared, own].map((rows) => new AlertOutbox(rows, () => 6).due(9)));
    expect(waiting.map((due) => due.length)).toEqual([1, 0]);
  });

  it("project 1 is created once when ten processes start at the same time", async () => {
    const address = await postgres.newDatabase();
    const states = await Promise.all(Array.from({ length: 10 }, () => open(address)));
    const keys = states.map(({ projects }) => projects.all.map(({ id, publicKey }) => `${id} ${publicKey}`));
    expect(keys[0]).toEqual([expect.stringMatching(/^1 [0-9a-f]{32}$/)]);
    expect(new Set(keys.flat()).size).toBe(1);
  });

  it("projects that several processes add at the same time all get their own number", async () => {
    const address = await postgres.newDatabase();
    const states = await Promise.all(Array.from({ length: 4 }, () => open(address)));
    const added = await Promise.all(
      states.flatMap(({ projects }, n) => [projects.add(`first of ${n}`), projects.add(`second of ${n}`)]),
    );
    expect(added.map(({ id }) => id).sort()).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
    expect((await open(address)).projects.all).toHaveLength(9);
  });

  it("a renewed key, a new project and new settings reach the other processes", async () => {
    const address = await postgres.newDatabase();
    const [one, two] = [await open(address), await open(address)];
    const old = two.projects.byId(1)?.publicKey ?? "";
    await one.projects.renewKey(1);
    const { publicKey } = await one.projects.add("a name with \0 in it");
    await one.settings.change({ ...one.settings.read(), keepDays: 7 });
    expect(one.projects.byKey(old)).toBeUndefined();
    await expect.poll(() => two.projects.byKey(old), { timeout: 10_000 }).toBeUndefined();
    await expect.poll(() => two.projects.byKey(publicKey)?.id, { timeout: 10_000 }).toBe(2);
    await expect.poll(() => two.settings.read().keepDays, { timeout: 10_000 }).toBe(7);
    expect(two.projects.all).toEqual(one.projects.all);
  });

  it("a process knows the projects of the last time while the database is away, and none without them", async () => {
    const folder = newFolder();
    const state = await openSharedState(folder, await postgres.newDatabase());
    await state.ready();
    await state.projects.makeFirst();
    const known = state.projects.all;
    await state.close();
    const restarted = await open(away, folder);
    expect(restarted.projects.all).toEqual(known);
    await expect(restarted.projects.renewKey(1)).rejects.toThrow("ECONNREFUSED");
    expect(restarted.projects.all).toEqual(known);
    const fresh = await openSharedState(newFolder(), away);
    await expect(fresh.ready()).rejects.toThrow("ECONNREFUSED");
    await fresh.close();
  });

  it("an empty database takes over the projects of the folder, and a folder those of the database", async () => {
    const address = await postgres.newDatabase();
    const [first, second] = [newFolder(), newFolder()];
    const before = (await Projects.open(first)).all;
    writeFileSync(join(first, "settings.json"), JSON.stringify({ keepDays: 12 }));
    await Projects.open(second);
    expect((await open(address, first)).projects.all).toEqual(before);
    const other = await open(address, second);
    expect(other.projects.all).toEqual(before);
    expect(other.settings.read().keepDays).toBe(12);
  });

  it("a copy in the data folder that was changed or deleted is made again", async () => {
    const folder = newFolder();
    const state = await open(await postgres.newDatabase(), folder);
    const file = join(folder, "projects.json");
    const text = readFileSync(file, "utf8");
    writeFileSync(file, "[]");
    await expect.poll(() => readFileSync(file, "utf8"), { timeout: 10_000 }).toBe(text);
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    await state.ready();
    expect(readFileSync(file, "utf8")).toBe(text);
    expect(state.projects.all).toHaveLength(1);
  });

  it("accounts and the audit log are the same in every process", async () => {
    const address = await postgres.newDatabase();
    const [one, two] = [await open(address), await open(address)];
    const secret = await one.openAccounts().invites.create("owner");
    expect(await two.openAccounts().invites.find(secret)).toEqual({ email: undefined, hasAccount: false });
    await one.audit.add({ at: 1, by: "ada", what: "looked" });
    expect(await two.audit.recent(1, 9)).toEqual([{ at: 1, by: "ada", what: "looked" }]);
  });

  it("a due time of a schedule is claimed by one process, and the next one after the end of the run", async () => {
    const address = await postgres.newDatabase();
    const states = await Promise.all(Array.from({ length: 4 }, () => open(address)));
    const claims = states.map((state) => state.openScheduleClaims());
    const task = { application: "shop", name: "report" };
    const known = await Promise.all(claims.map((each, n) => each.lastDue({ ...task, now: 1_000 + n })));
    expect(new Set(known).size).toBe(1);
    const claimAll = async (dueAt: number, now: number): Promise<number> => {
      const claimed = claims.map((each, n) =>
        each.claim({ ...task, dueAt, holder: `${n}`, now, until: now + 60 }, false),
      );
      const winners = (await Promise.all(claimed)).flatMap((isOwn, n) => (isOwn ? [n] : []));
      expect(winners.length).toBeLessThan(2);
      return winners[0] ?? -1;
    };
    const first = await claimAll(2_000, 2_000);
    expect(first).toBeGreaterThanOrEqual(0);
    expect(await claimAll(2_030, 2_030)).toBe(-1);
    await claims[first]?.release({ ...task, dueAt: 2_000, holder: `${first}`, now: 0, until: 0 });
    expect(await claimAll(2_040, 2_040)).toBeGreaterThanOrEqual(0);
    expect(await claimAll(2_040, 9_000)).toBe(-1);
    expect(await claimAll(9_000, 9_000)).toBeGreaterThanOrEqual(0);
  });

  it("people and DSNs are those of HOLDFAST_STORE for the commands too", async () => {
    const address = await postgres.newDatabase();
    const state = await open(address);
    vi.stubEnv("HOLDFAST_STORE", address);
    onTestFinished(() => void vi.unstubAllEnvs());
    const folder = newFolder();
    const [dsn] = await run(dsnCommand, "--data", folder);
    expect(dsn).toContain(state.projects.all[0]?.publicKey);
    const [link = ""] = await run(
      userCommand,
      "invite",
      "ada@example.org",
      "--origin",
      "http://localhost",
      "--data",
      folder,
    );
    const accounts = state.openAccounts();
    expect(await accounts.invites.find(link.split("/").at(-1) ?? "")).toMatchObject({ email: "ada@example.org" });
  });
});

async function run(command: ServiceCommand, ...args: string[]): Promise<string[]> {
  const printed: string[] = [];
  await command.run(args, { print: (text) => void printed.push(text), warn: () => undefined });
  return printed;
}
