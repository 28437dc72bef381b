import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { jsonItem, newEventId, writeEnvelope } from "#protocol";
import { asPrimary, startPostgres, type TestPostgres } from "../../tests/kit/postgres.ts";
import { openReader } from "./open-reader.ts";
import { openService, type Service } from "./open-service.ts";
import { everyIssue } from "./stores/filter-language.ts";

let postgres: TestPostgres;

beforeAll(async () => {
  // What was committed must survive a killed server. The other test servers need not do this.
  postgres = await startPostgres({ ...asPrimary, synchronous_commit: "on" });
}, 120_000);

afterAll(() => postgres[Symbol.asyncDispose](), 120_000);

describe("a service with a database", { timeout: 120_000 }, () => {
  it("a service whose database does not answer acknowledges by its journal, and files everything once", async () => {
    await outage({
      begin: async () => postgres.pause(),
      end: async () => postgres.resume(),
    });
  });

  it("a service whose database was killed acknowledges by its journal, and files everything once", async () => {
    const { faults, problems, lines } = await outage({
      begin: () => postgres.kill(),
      seen: (service) => {
        expect(figureOf(service, "holdfast_store_away_seconds")).toBeGreaterThan(0);
        expect(service.trouble).toMatch(
          /^Reports wait in the journal: the store cannot be written \(unreachable\), for \d+ s/,
        );
      },
      end: () => postgres.revive(),
    });
    expect(faults).toBeGreaterThan(0);
    expect(problems).toBeGreaterThan(0);
    expect(lines).toEqual([
      expect.stringMatching(/^Reports wait in the journal\. The store cannot be written: .{10}/),
      expect.stringMatching(/^The store can be written again, after \d+ s\.$/),
    ]);
  });

  it("a service whose database waits for a standby that is lost acknowledges by its journal, and files everything once", async () => {
    await outage({ begin: () => waitFor("a_lost_standby"), end: () => waitFor("") });
  });

  it("a service that ends during an outage files after its next start what its journal has, once", async () => {
    const { service, dataFolder, address } = await opened();
    const load = beginLoad(service);
    await expect.poll(() => by(service, "store"), { timeout: 30_000 }).toBeGreaterThan(20);
    load.unfiledAtMost = duringOutage;
    await postgres.kill();
    await expect.poll(() => by(service, "journal"), { timeout: 30_000 }).toBeGreaterThan(20);
    const ids = await load.end();
    await service.close();
    await postgres.revive();
    const again = await openService({ dataFolder, store: address });
    onTestFinished(() => again.close());
    await again.drained();
    await expectFiledOnce(dataFolder, address, ids);
    expect(again.stats().filing.duplicates).toBe(0);
  });

  it("a service that starts while its database is away accepts, and files when it is back", async () => {
    const { service, dataFolder, address } = await opened();
    const ids = Array.from({ length: 20 }, newEventId);
    for (const id of ids.slice(0, 5)) await service.accept(1, anEvent(id));
    await service.drained();
    await service.close();
    await postgres.kill();
    const again = await openService({ dataFolder, store: address });
    onTestFinished(() => again.close());
    for (const id of ids.slice(5)) expect(await again.accept(1, anEvent(id))).toMatchObject({ kind: "accepted" });
    expect(by(again, "journal")).toBeGreaterThanOrEqual(15);
    expect(again.ready).toBe(true);
    await postgres.revive();
    await again.drained();
    await expectFiledOnce(dataFolder, address, ids);
    expect(again.stats().filing.duplicates).toBe(0);
  });

  it("a service does not start for the first time without its database", async () => {
    const dataFolder = mkdtempSync(join(tmpdir(), "holdfast-bridging-"));
    onTestFinished(() => rmSync(dataFolder, { recursive: true, force: true }));
    const nowhere = `postgres://holdfast@localhost/holdfast?host=${encodeURIComponent(dataFolder)}`;
    await expect(openService({ dataFolder, store: nowhere })).rejects.toThrow("No connection to the database");
  });
});

/** As Patroni does it in strict synchronous mode: commits wait for this standby, however long. */
async function waitFor(standby: string): Promise<void> {
  // Creating a database would wait for the standby too.
  const address = `postgres://holdfast@localhost/postgres?host=${encodeURIComponent(postgres.sockets)}`;
  await postgres.run(address, `ALTER SYSTEM SET synchronous_standby_names = '${standby}'`);
  await postgres.run(address, "SELECT pg_reload_conf()");
}

interface Outage {
  begin(): Promise<void>;
  /** Called while the journal bridges. */
  seen?(service: Service): void;
  end(): Promise<void>;
}

/** Reports arrive before, during and after an outage. */
async function outage({ begin, seen, end }: Outage): Promise<{ faults: number; problems: number; lines: string[] }> {
  const { service, dataFolder, address, lines } = await opened();
  const load = beginLoad(service);
  await expect.poll(() => by(service, "store"), { timeout: 30_000 }).toBeGreaterThan(50);
  load.unfiledAtMost = duringOutage;
  await begin();
  const bridged = by(service, "journal");
  await expect.poll(() => by(service, "journal") - bridged, { timeout: 30_000 }).toBeGreaterThan(200);
  expect(figureOf(service, "holdfast_bridging")).toBe(1);
  expect(figureOf(service, "holdfast_unfiled_bytes")).toBeGreaterThan(0);
  expect(service.ready).toBe(true);
  seen?.(service);
  load.unfiledAtMost = usually;
  await end();
  await expect.poll(() => figureOf(service, "holdfast_bridging"), { timeout: 30_000 }).toBe(0);
  const stored = by(service, "store");
  await expect.poll(() => by(service, "store") - stored, { timeout: 30_000 }).toBeGreaterThan(50);
  const ids = await load.end();
  await service.drained();
  await expectFiledOnce(dataFolder, address, ids);
  // The service also reports its own faults.
  const { appendedRecords } = service.stats().journal;
  expect(by(service, "store") + by(service, "journal")).toBe(appendedRecords);
  expect(figureOf(service, "holdfast_filed_events_total")).toBe(appendedRecords);
  expect(figureOf(service, "holdfast_filed_duplicates_total")).toBe(0);
  expect(figureOf(service, "holdfast_put_aside_total")).toBe(0);
  expect(figureOf(service, "holdfast_unfiled_bytes")).toBe(0);
  expect(figureOf(service, "holdfast_store_away_seconds")).toBe(0);
  expect(service.trouble).toBeUndefined();
  const problems = figureOf(service, 'holdfast_store_problems_total{kind="unreachable"}');
  return { faults: figureOf(service, "holdfast_own_faults_total"), problems, lines };
}

async function opened(): Promise<{ service: Service; dataFolder: string; address: string; lines: string[] }> {
  const lines: string[] = [];
  const dataFolder = mkdtempSync(join(tmpdir(), "holdfast-bridging-"));
  const address = await postgres.newDatabase();
  // On a busy machine, a commit takes longer than the usual limit.
  const limits = { accept: { itemsPerSecond: 1e9, itemBurst: 1e9 }, journal: { bridgeAfterMs: 3_000 } };
  const service = await openService({ dataFolder, store: address, limits, log: (line) => lines.push(line) });
  onTestFinished(async () => {
    await service.close();
    rmSync(dataFolder, { recursive: true, force: true });
  });
  return { service, dataFolder, address, lines };
}

interface Load {
  /** Clients pause while more records are not filed. */
  unfiledAtMost: number;
  /** Resolves with the ids of all events, of which none was refused. */
  end(): Promise<readonly string[]>;
}

/** What a database on a busy machine commits in time. */
const usually = 20;
const duringOutage = 1_000;

/** Clients that send one event after the other. */
function beginLoad(service: Service): Load {
  const ids: string[] = [];
  let isEnding = false;
  const unfiled = (): number => service.stats().journal.appendedRecords - service.stats().filing.records;
  const load: Load = {
    unfiledAtMost: usually,
    async end() {
      isEnding = true;
      await Promise.all(clients);
      return ids;
    },
  };
  // A test that fails also ends the load before it closes the service.
  onTestFinished(() => {
    isEnding = true;
  });
  const clients = Array.from({ length: 8 }, async () => {
    while (!isEnding) {
      if (unfiled() >= load.unfiledAtMost) {
        await new Promise((resolve) => setTimeout(resolve, 1));
        continue;
      }
      const eventId = newEventId();
      const outcome = await service.accept(1, anEvent(eventId));
      expect(outcome).toMatchObject({ kind: "accepted" });
      ids.push(eventId);
    }
  });
  return load;
}

async function expectFiledOnce(dataFolder: string, address: string, ids: readonly string[]): Promise<void> {
  const reader = await openReader(dataFolder, address);
  onTestFinished(() => reader.close());
  const counted = async () => {
    const { issues } = await reader.issues({ project: 1, filter: everyIssue, sort: "events", limit: 9 });
    return issues.find(({ title }) => title.includes("Cannot read the cart"))?.events;
  };
  await expect.poll(counted, { timeout: 30_000 }).toBe(ids.length);
  for (const id of ids) expect(await reader.event(1, id)).toMatchObject({ eventId: id });
}

function by(service: Service, kept: "store" | "journal"): number {
  return service.stats().journal.acknowledged[kept];
}

function figureOf(service: Service, name: string): number {
  return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(service.metrics())?.[1]);
}

function anEvent(eventId: string): Uint8Array {
  const frames = [{ filename: "src/cart.ts", function: "total", lineno: 1, colno: 1, in_app: true }];
  const exception = { values: [{ type: "TypeError", value: "Cannot read the cart", stacktrace: { frames } }] };
  return writeEnvelope({ eventId }, [jsonItem("event", { event_id: eventId, platform: "javascript", exception })]);
}
