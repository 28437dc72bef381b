import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { jsonItem, newEventId, writeEnvelope } from "#protocol";
import { openReader } from "../../src/service/open-reader.ts";
import type { StoreReader } from "../../src/service/stores/store.ts";
import { keepProof } from "../kit/keep-proof.ts";
import { startPostgres, type TestPostgres } from "../kit/postgres.ts";
import { ManyWriters } from "./many-writers.ts";
import { dataFolder, figureOf, RunningService } from "./running-service.ts";

const isLong = process.env.HOLDFAST_TEST_LONG !== undefined;
const awayMs = isLong ? 60_000 : 4_000;
const writers = isLong ? 16 : 8;
/** Few enough deliveries that a busy machine commits each in time. */
const paceMs = 100;

let postgres: TestPostgres;

beforeAll(async () => {
  // What is committed must survive the end of the server.
  postgres = await startPostgres({ synchronous_commit: "on" });
}, 120_000);

afterAll(() => postgres[Symbol.asyncDispose](), 120_000);

describe("a service with a store in PostgreSQL", { timeout: awayMs * 4 + 120_000 }, () => {
  it("a service refuses nothing while the database is away, and files the backlog faster than it grew", async () => {
    const store = await postgres.newDatabase();
    using folder = dataFolder();
    await using service = await RunningService.start(folder.path, { env: { HOLDFAST_STORE: store } });
    const clients = new ManyWriters();
    const sending = clients.sendUntilStopped([service], writers, paceMs);
    await clients.acknowledgedMore(writers * 5);
    const before = clients.acknowledged.size;
    await postgres.kill();
    await wait(awayMs);
    const backlog = clients.acknowledged.size - before;
    await postgres.revive();
    const begun = performance.now();
    await expect
      .poll(async () => figureOf((await service.get("/metrics")).text, "holdfast_unfiled_bytes"), {
        timeout: awayMs + 60_000,
        interval: 50,
      })
      .toBe(0);
    const drainMs = performance.now() - begun;
    clients.stop();
    await sending;
    await service.filed();
    const facts = [
      `- The database was away for ${awayMs / 1000} s under ${writers} writers: ${backlog} deliveries were acknowledged meanwhile, ${clients.refused} refused`,
      `- The backlog was filed within ${(drainMs / 1000).toFixed(1)} s of the database's return, while as many a second went on arriving`,
    ];
    console.log(facts.join("\n"));
    keepProof("database-away", facts);
    expect(backlog).toBeGreaterThan(0);
    expect(clients.refused).toBe(0);
    // At three times the input rate, the backlog is filed in half of the time in which it grew.
    if (isLong) expect(drainMs).toBeLessThan(awayMs / 2);
    await expectOnceEach(clients, folder.path, store);
  });

  it("a service with its console starts again while the database is away, and files what it accepts", async () => {
    const store = await postgres.newDatabase();
    using folder = dataFolder();
    const options = { built: true, env: { HOLDFAST_STORE: store } };
    const first = await RunningService.start(folder.path, options);
    await first.stop();
    await postgres.kill();
    const eventId = newEventId();
    try {
      await using service = await RunningService.start(folder.path, options);
      await service.deliver(writeEnvelope({ eventId }, [jsonItem("event", { event_id: eventId, message: "away" })]));
      // A new folder is more likely to have a wrong address.
      using newFolder = dataFolder();
      const refused = await RunningService.start(newFolder.path, options).catch(String);
      expect(refused).toContain("[database-away]");
      expect(refused).not.toMatch(/^ +at /m);
      await postgres.revive();
      await service.filed();
    } finally {
      await postgres.revive();
    }
    const reader = await openReader(folder.path, store);
    onTestFinished(() => reader.close());
    expect(await reader.event(1, eventId)).toMatchObject({ eventId });
  });
});

async function expectOnceEach(clients: ManyWriters, folder: string, address: string): Promise<void> {
  const reader: StoreReader = await openReader(folder, address);
  onTestFinished(() => reader.close());
  await expect.poll(() => reader.check(), { timeout: 60_000, interval: 500 }).toEqual([]);
  await clients.expectOnceEach(reader);
}
