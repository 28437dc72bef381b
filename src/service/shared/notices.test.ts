import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { startPgbouncer } from "../../../tests/kit/pgbouncer.ts";
import { startPostgres, type TestPostgres } from "../../../tests/kit/postgres.ts";
import { connect } from "../stores/postgres/connect/connections.ts";
import { loadDriver } from "../stores/postgres/connect/driver.ts";
import { Hosts } from "../stores/postgres/connect/hosts.ts";
import { postgresLimits } from "../stores/postgres/limits.ts";
import { PostgresNotices } from "./notices.ts";

let postgres: TestPostgres;
let address: string;

beforeAll(async () => {
  postgres = await startPostgres();
  address = await postgres.newDatabase();
}, 120_000);
afterAll(() => postgres[Symbol.asyncDispose](), 120_000);

/** One process of an application that listens. */
async function open(at: string, { application = "shop", probeMs = 1_000 } = {}) {
  const connections = await connect(at, postgresLimits);
  const heard: string[] = [];
  const warnings: string[] = [];
  const notices = new PostgresNotices({
    application,
    warn: (sentence) => warnings.push(sentence),
    pool: connections.shared,
    hosts: new Hosts(await loadDriver(), at, postgresLimits),
    probeMs,
  });
  onTestFinished(async () => {
    await notices.close();
    await connections.close();
  });
  notices.listen({
    message: (channel, text) => heard.push(`${channel} ${text}`),
    gap: () => heard.push("gap"),
  });
  return { notices, heard, warnings, pool: connections.shared };
}

/** Sends until the others listen. */
async function untilHeard(from: PostgresNotices, others: readonly { heard: string[] }[]): Promise<void> {
  await expect
    .poll(async () => {
      await from.send("warm", "1");
      return others.every(({ heard }) => heard.includes("warm 1"));
    })
    .toBe(true);
  for (const { heard } of others) heard.length = 0;
}

test("a message reaches all other processes of the application, in order, and none of another application", async () => {
  const [one, two, three] = [await open(address), await open(address), await open(address)];
  const foreign = await open(address, { application: "blog" });
  await untilHeard(one.notices, [two, three]);
  for (let count = 0; count < 20; count++) expect(await one.notices.send("orders", String(count))).toBe(true);
  const all = Array.from({ length: 20 }, (_, count) => `orders ${count}`);
  const ofOrders = ({ heard }: { heard: string[] }) => heard.filter((line) => line.startsWith("orders"));
  await expect.poll(() => [ofOrders(two), ofOrders(three)]).toEqual([all, all]);
  expect([ofOrders(one), foreign.heard]).toEqual([[], []]);
});

test("a message that is longer than a notice of PostgreSQL travels in parts and arrives whole", async () => {
  const [one, two] = [await open(address), await open(address)];
  await untilHeard(one.notices, [two]);
  const long = { text: "Zäune über Flüssen 🦢 ".repeat(3_000) };
  expect(JSON.stringify(long).length).toBeGreaterThan(60_000);
  await Promise.all([one.notices.send("long", JSON.stringify(long)), one.notices.send("short", "1")]);
  // Others may arrive before it: one of those that were sent until it listened.
  const ofLong = (): string[] => two.heard.filter((line) => line.startsWith("long"));
  await expect.poll(ofLong).toHaveLength(1);
  const [arrived = ""] = ofLong();
  expect(JSON.parse(arrived.slice("long ".length))).toEqual(long);
});

test("a process whose connection was lost listens again, and learns that it may have missed messages", async () => {
  const [one, two] = [await open(address), await open(address)];
  await untilHeard(one.notices, [two]);
  await one.pool.all("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'");
  await expect.poll(() => two.heard).toContain("gap");
  await untilHeard(one.notices, [two]);
});

test("a message that cannot be sent says so", async () => {
  const { notices } = await open("postgres://holdfast@127.0.0.1:1/holdfast");
  expect(await notices.send("orders", "1")).toBe(false);
});

test("a pooler that delivers no notices is named in a warning", async () => {
  await using pooler = await startPgbouncer(postgres, 4);
  const { warnings } = await open(pooler.through(address), { probeMs: 200 });
  await expect.poll(() => warnings).toEqual([expect.stringContaining("A pooler in transaction mode does that")]);
});
