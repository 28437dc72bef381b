import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { openReader } from "../../src/service/open-reader.ts";
import { everyIssue } from "../../src/service/stores/filter-language.ts";
import type { StoreReader } from "../../src/service/stores/store.ts";
import { startCluster } from "../kit/cluster.ts";
import { keepProof } from "../kit/keep-proof.ts";
import { ManyWriters } from "./many-writers.ts";
import { dataFolder, figureOf, RunningService } from "./running-service.ts";

const kills = Number(process.env.HOLDFAST_TEST_KILLS ?? 20);
const writers = 32;
/** About 160 deliveries a second: what two cores file beside three nodes that replicate. */
const paceMs = 200;
/** Load before each kill. */
const calmMs = 5_000;
const readableWithinMs = 5_000;

test(`two services under ${writers} writers have everything once, after ${kills} kills of the primary`, {
  timeout: kills * 240_000,
}, async () => {
  await using cluster = await startCluster();
  using first = dataFolder();
  using second = dataFolder();
  const env = { HOLDFAST_STORE: cluster.address };
  await using one = await RunningService.start(first.path, { env });
  await using other = await RunningService.start(second.path, { env });
  const services = [one, other];
  const clients = new ManyWriters();
  const sending = clients.sendUntilStopped(services, writers, paceMs);
  const reader = await openReader(first.path, cluster.address);
  onTestFinished(() => reader.close());
  const [failovers, readable]: [number[], number[]] = [[], []];
  for (let kill = 0; kill < kills; kill += 1) {
    await wait(calmMs);
    const { failoverMs } = await cluster.killLeader();
    failovers.push(failoverMs);
    readable.push(await readableAgainMs(reader));
    await cluster.revive();
  }
  await wait(calmMs);
  clients.stop();
  await sending;
  await Promise.all(services.map((service) => service.filed()));
  const acknowledged = { store: 0, journal: 0 };
  for (const service of services) {
    const { text } = await service.get("/metrics");
    acknowledged.store += figureOf(text, 'holdfast_acknowledged_total\\{by="store"\\}');
    acknowledged.journal += figureOf(text, 'holdfast_acknowledged_total\\{by="journal"\\}');
  }
  const facts = [
    `- Kills of the primary with everything that belongs to it: ${kills}; another node led after ${rangeOf(failovers)} ms`,
    `- ${clients.told}; acknowledged by the database ${acknowledged.store}, by the journal ${acknowledged.journal}`,
    `- Deliveries refused: ${clients.refused}`,
    `- The store could be read again ${rangeOf(readable)} ms after that node led`,
  ];
  console.log(facts.join("\n"));
  await settled(reader);
  await clients.expectOnceEach(reader);
  keepProof("primary-kills", [...facts, "- None missing, none twice, every counter equal to its rows"]);
  expect(clients.refused).toBe(0);
  expect(Math.max(...readable)).toBeLessThanOrEqual(readableWithinMs);
});

async function readableAgainMs(reader: StoreReader): Promise<number> {
  const begun = performance.now();
  const isReadable = (): Promise<boolean> =>
    reader.issues({ project: 1, filter: everyIssue, sort: "events", limit: 1 }).then(
      () => true,
      () => false,
    );
  while (!(await isReadable())) await wait(20);
  return Math.round(performance.now() - begun);
}

/** Counters follow the rows after a moment. */
async function settled(reader: StoreReader): Promise<void> {
  await expect.poll(() => reader.check(), { timeout: 60_000, interval: 1_000 }).toEqual([]);
}

function rangeOf(values: readonly number[]): string {
  return `${Math.min(...values)} to ${Math.max(...values)}`;
}
