import { expect, onTestFinished, test } from "vitest";
import { openReader } from "../../src/service/open-reader.ts";
import { keepProof } from "../kit/keep-proof.ts";
import { startPostgres } from "../kit/postgres.ts";
import { ManyWriters } from "./many-writers.ts";
import { dataFolder, figureOf, RunningService } from "./running-service.ts";

const writers = 16;
/** Few enough deliveries that each is committed in time: this holds on a machine that does nothing else. */
const paceMs = 200;
const byJournal = 'holdfast_acknowledged_total\\{by="journal"\\}';

test("a service that is killed, and whose folder is deleted, loses nothing while its database is well", {
  timeout: 240_000,
}, async () => {
  await using postgres = await startPostgres({ synchronous_commit: "on" });
  const env = { HOLDFAST_STORE: await postgres.newDatabase() };
  const lost = dataFolder();
  const clients = new ManyWriters();
  {
    await using service = await RunningService.start(lost.path, { env });
    // The first commits create issues and partitions, and may be bridged.
    const first = new ManyWriters();
    const warming = first.sendUntilStopped([service], writers, paceMs);
    await first.acknowledgedMore(writers * 20);
    first.stop();
    await warming;
    await service.filed();
    const bridged = async (): Promise<number> => figureOf((await service.get("/metrics")).text, byJournal);
    const before = await bridged();
    const sending = clients.sendUntilStopped([service], writers, paceMs);
    await clients.acknowledgedMore(writers * 100);
    clients.stop();
    await sending;
    // A delivery that was bridged would need the folder.
    expect(await bridged()).toBe(before);
    await service.kill();
  }
  lost[Symbol.dispose]();
  using other = dataFolder();
  // Another process counts what the killed one has left uncounted.
  await using _survivor = await RunningService.start(other.path, { env });
  const reader = await openReader(other.path, env.HOLDFAST_STORE);
  onTestFinished(() => reader.close());
  await expect.poll(() => reader.check(), { timeout: 60_000, interval: 500 }).toEqual([]);
  await clients.expectOnceEach(reader);
  keepProof("lost-folder", [
    `A service was killed and its data folder deleted: ${clients.told} before that by the database, none missing, none twice.`,
  ]);
});
