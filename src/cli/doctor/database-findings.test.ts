import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import {
  inspectStoreDatabase,
  openService,
  openSharedStore,
  type PrimaryFacts,
  type SharedStore,
  secretHash,
} from "#service";
import { asPrimary, startPostgres, type TestPostgres } from "../../../tests/kit/postgres.ts";
import { databaseFindings, primaryFindings } from "./database-findings.ts";
import { storeFinding } from "./store-finding.ts";

let postgres: TestPostgres;
const secret = "a secret of more than thirty-two characters";

beforeAll(async () => {
  postgres = await startPostgres({ ...asPrimary, synchronous_commit: "on" });
}, 120_000);
afterAll(() => postgres[Symbol.asyncDispose](), 120_000);

describe("the doctor's check of a database", { timeout: 60_000 }, () => {
  it("a database without tables is reachable, and the first start makes them", async () => {
    const found = await databaseFindings(await postgres.newDatabase(), secret);
    expect(kinds(found)).toMatchObject({ Database: "good", Tables: "notice", Machines: "notice", Clock: "good" });
    expect(messageAbout(found, "Database")).toMatch(/ is the primary, PostgreSQL \d+/);
  });

  it("machines are listed with version and build, and equal secrets are in order", async () => {
    const address = await postgres.newDatabase();
    await noted(address, { one: { build: "A" }, two: { build: "A" } });
    const found = await databaseFindings(address, secret);
    expect(kinds(found)).toMatchObject({ Tables: "good", Machines: "good", Secret: "good", Connections: "good" });
    expect(messageAbout(found, "Machines")).toBe(
      "one (application, 1.0.0, build A), two (application, 1.0.0, build A)",
    );
  });

  it("a machine with another secret, and one without, are named", async () => {
    const address = await postgres.newDatabase();
    await noted(address, { one: {}, two: { secret: "another secret of more than thirty-two" } });
    const differing = await databaseFindings(address, undefined);
    expect(kinds(differing)).toMatchObject({ Secret: "bad" });
    expect(messageAbout(differing, "Secret")).toContain("differs: one | two.");
    await noted(address, { two: { secret: undefined } });
    expect(messageAbout(await databaseFindings(address, undefined), "Secret")).toContain("not set on two.");
  });

  it("builds and versions that differ are a notice, because a deploy may be under way", async () => {
    const address = await postgres.newDatabase();
    await noted(address, { one: { build: "A" }, two: { build: "B", version: "2.0.0" } });
    const found = (await databaseFindings(address, secret)).filter(({ kind }) => kind === "notice");
    expect(found.map(({ message }) => message)).toEqual(
      expect.arrayContaining([
        expect.stringContaining("several versions of holdfast: 1.0.0, 2.0.0."),
        expect.stringContaining("several builds: A, B."),
      ]),
    );
  });

  it("a machine that has been silent for five minutes is not compared", async () => {
    const address = await postgres.newDatabase();
    await noted(address, { one: { build: "A" }, gone: { secret: undefined, build: "B" } });
    await postgres.run(
      address,
      "UPDATE holdfast.machine SET seen_at = now() - interval '5 minutes' WHERE host = 'gone'",
    );
    expect(kinds(await databaseFindings(address, secret))).toMatchObject({ Machines: "good", Secret: "good" });
  });

  it("a database that does not answer is bad, and one host of several a notice", async () => {
    const away = await databaseFindings("postgres://holdfast@127.0.0.1:1/store", secret);
    expect(away).toMatchObject([{ kind: "bad", message: expect.stringContaining("127.0.0.1:1 does not answer") }]);
    const address = await postgres.newDatabase();
    const both = address.replace(/host=.*/, `host=${encodeURIComponent(`${postgres.sockets},127.0.0.1`)}&port=5432,1`);
    const found = (await databaseFindings(both, secret)).filter(({ about }) => about === "Database");
    expect(found.map(({ kind }) => kind)).toEqual(["good", "notice"]);
  });

  it("a standby is named as such, and without a primary no server takes writes", async () => {
    await using standby = await postgres.startStandby();
    const address = await postgres.newDatabase();
    const hosts = (...folders: string[]) => address.replace(/host=.*/, `host=${encodeURIComponent(folders.join())}`);
    const database = async (store: string) =>
      (await databaseFindings(store, secret)).filter(({ about }) => about === "Database").map(({ message }) => message);
    await expect
      .poll(() => database(hosts(postgres.sockets, standby.sockets)))
      .toEqual([expect.stringContaining("is the primary"), expect.stringContaining("is the standby")]);
    expect((await database(hosts(standby.sockets))).at(-1)).toContain("no server takes writes");
  });

  it("the state of a standby is not known to a user without pg_monitor, and that there is none is", async () => {
    const address = await postgres.newDatabase();
    await postgres.run(address, "CREATE ROLE ordinary LOGIN; CREATE ROLE monitoring LOGIN IN ROLE pg_monitor");
    const connectedFor = async (user: string) =>
      (await inspectStoreDatabase(address.replace("holdfast@", `${user}@`))).primary?.connectedStandbys;
    await expect.poll(() => connectedFor("ordinary")).toBe(0);
    await using _standby = await postgres.startStandby();
    await expect.poll(() => connectedFor("ordinary")).toBeUndefined();
    // It is connected, and no commit waits for it.
    expect(await connectedFor("monitoring")).toBe(0);
  });

  it("commits that wait for no standby are a notice, and batches that nobody counts are bad", async () => {
    const address = await postgres.newDatabase();
    await noted(address, { one: {} });
    expect(kinds(await databaseFindings(address, secret))).toMatchObject({ Replication: "notice", Counters: "good" });
    await postgres.run(
      address,
      `INSERT INTO holdfast.delta (project, events, packed, writer, from_position, at)
       VALUES (1, 1, '', 1, 0, now() - interval '2 minutes')`,
    );
    const found = await databaseFindings(address, secret);
    expect(messageAbout(found, "Counters")).toMatch(/has waited for 12\d s\. Start/);
  });

  it.each<[string, Partial<PrimaryFacts>, Record<string, string>]>([
    ["clocks that differ by a minute and more", { clock: { database: 0, here: 61_000 } }, { Clock: "bad" }],
    ["clocks that differ by less", { clock: { database: 60_000, here: 0 } }, { Clock: "good" }],
    ["tables of a newer version", { format: 9 }, { Tables: "bad" }],
    ["commits that do not wait for the disk", { synchronousCommit: "off" }, { Replication: "bad" }],
    ["a standby that is missing", { connectedStandbys: 0 }, { Replication: "bad" }],
    ["standbys that this user may not see", { connectedStandbys: undefined }, { Replication: "notice" }],
    ["pages without checksums", { hasChecksums: false }, { Checksums: "notice" }],
    ["too few connections", { connections: { used: 3, most: 15 } }, { Connections: "notice" }],
    ["a transaction that is open for an hour", { oldestSnapshotSeconds: 3_600 }, { Transactions: "notice" }],
    [
      "a database in order",
      {},
      { Clock: "good", Transactions: "good", Replication: "good", Checksums: "good", Connections: "good" },
    ],
  ])("%s", (_what, facts, expected) => {
    expect(kinds(primaryFindings({ ...inOrder, ...facts }, secret))).toMatchObject(expected);
  });

  it("the check of the store makes no file in a data folder that no service has used", async () => {
    const store = await postgres.newDatabase();
    const dataFolder = mkdtempSync(path.join(tmpdir(), "holdfast-doctor-"));
    onTestFinished(() => rmSync(dataFolder, { recursive: true, force: true }));
    await storeFinding(dataFolder, { thorough: false, now: () => 0, progress: () => undefined }, store);
    expect(readdirSync(dataFolder, { recursive: true })).toEqual([]);
  });

  it("the check of the store reads the events in the database", async () => {
    const store = await postgres.newDatabase();
    const dataFolder = mkdtempSync(path.join(tmpdir(), "holdfast-doctor-"));
    onTestFinished(() => rmSync(dataFolder, { recursive: true, force: true }));
    const service = await openService({ dataFolder, store });
    await service.close();
    const finding = await storeFinding(dataFolder, { thorough: false, now: () => 0, progress: () => undefined }, store);
    expect(finding).toMatchObject({
      kind: "good",
      message: expect.stringContaining("no damage found in all 0 events"),
    });
  });
});

const inOrder: PrimaryFacts = {
  format: 4,
  knownFormat: 4,
  clock: { database: 0, here: 0 },
  synchronousCommit: "on",
  synchronousStandbys: "ANY 1 (b, c)",
  connectedStandbys: 2,
  hasChecksums: true,
  connections: { used: 3, most: 97 },
  oldestUncountedSeconds: undefined,
  oldestSnapshotSeconds: undefined,
  machines: [
    { writer: "w", host: hostname(), kind: "service", version: "1.0.0", secret: secretHash(secret), seenSecondsAgo: 1 },
  ],
};

/** Writes the notes of machines, as they do themselves. */
async function noted(
  address: string,
  machines: Readonly<Record<string, { build?: string; version?: string; secret?: string | undefined }>>,
): Promise<void> {
  for (const [host, { build, version = "1.0.0", ...given }] of Object.entries(machines)) {
    const store = await openSharedStore({ kind: "postgres", address, writer: host });
    const own = "secret" in given ? given.secret : secret;
    await (store as SharedStore).note({ host, kind: "application", version, build, secret: secretHash(own) });
    await store?.close();
  }
}

function kinds(found: readonly { kind: string; about: string }[]): Record<string, string> {
  return Object.fromEntries(found.map(({ about, kind }) => [about, kind]));
}

function messageAbout(found: readonly { message: string; about: string }[], about: string): string {
  return found.find((one) => one.about === about)?.message ?? "";
}
