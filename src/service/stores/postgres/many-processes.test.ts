import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startPostgres, type TestPostgres } from "../../../../tests/kit/postgres.ts";
import { anEvent, batchesOf, hex, noon } from "../filed-examples.ts";
import { everyIssue } from "../filter-language.ts";
import type { Store } from "../store.ts";
import { weekOf } from "../weeks.ts";
import { type Connections, connect } from "./connect/connections.ts";
import { type PostgresLimits, postgresLimits } from "./limits.ts";
import { locks } from "./locks.ts";
import { migrate } from "./migrations/migrate.ts";
import { openPostgresStore } from "./open-postgres-store.ts";

let postgres: TestPostgres;
let prepared: string;
let address: string;
let connections: Connections;
const opened: Store[] = [];

beforeAll(async () => {
  postgres = await startPostgres();
  prepared = await postgres.newDatabase();
  const first = await connect(prepared, postgresLimits);
  await migrate(first.upkeep);
  await first.close();
}, 120_000);

afterAll(() => postgres[Symbol.asyncDispose](), 120_000);

beforeEach(async () => {
  address = await postgres.newDatabase(prepared);
  connections = await connect(address, postgresLimits);
});

afterEach(async () => {
  for (const store of opened.splice(0)) store.close();
  await connections.close();
});

async function open(writer: string, limits: Partial<PostgresLimits> = {}): Promise<Store> {
  const store = await openPostgresStore({ address, writer, connections: limits });
  opened.push(store);
  return store;
}

async function file(store: Store, ...events: ReturnType<typeof anEvent>[]): Promise<number> {
  let duplicates = 0;
  for (const batch of batchesOf(events, events.length, await store.appliedUpTo()))
    duplicates += (await store.commit(batch)).duplicates;
  return duplicates;
}

function rowsOf(eventId: string): Promise<readonly unknown[]> {
  return postgres.run(address, `SELECT part FROM holdfast.event WHERE event_id = '${eventId}'`);
}

async function eventsCounted(store: Store): Promise<number[]> {
  const { issues } = await store.issues({ project: 1, filter: everyIssue, sort: "events", limit: 100 });
  return issues.map(({ events }) => events);
}

describe("a lease", () => {
  it("belongs to one process, which renews it, and to another one after it has expired", async () => {
    const [one, two] = [await open("one"), await open("two")];
    expect(await one.lease("upkeep", 600_000)).toBe(true);
    expect(await two.lease("upkeep", 600_000)).toBe(false);
    expect(await two.lease("another", 600_000)).toBe(true);
    expect(await one.lease("upkeep", 0)).toBe(true);
    expect(await two.lease("upkeep", 600_000)).toBe(true);
    expect(await one.lease("upkeep", 600_000)).toBe(false);
    const terms = await postgres.run(address, "SELECT name, holder, term::int FROM holdfast.lease ORDER BY name");
    expect(terms).toEqual([
      { name: "another", holder: "two", term: 1 },
      { name: "upkeep", holder: "two", term: 2 },
    ]);
  });

  it("is given to one of several that ask in the same moment", async () => {
    const stores = await Promise.all(["one", "two", "three", "four"].map((writer) => open(writer)));
    const given = await Promise.all(stores.map((store) => store.lease("upkeep", 600_000)));
    expect(given.filter(Boolean)).toHaveLength(1);
  });
});

const filingProcess = `
  const { openPostgresStore } = await import(process.env.STORE);
  const { anEvent, batchesOf } = await import(process.env.EXAMPLES);
  const store = await openPostgresStore({ address: process.env.ADDRESS, writer: "killed" });
  for (const batch of batchesOf([anEvent({ text: "left" })])) await store.commit(batch);
  console.log("filed");
  setInterval(() => undefined, 1000);
`;

describe("what a process filed and did not count", () => {
  it("is counted by another process after the first was killed", async () => {
    const other = await open("other", { sweepMs: 10, leftMs: 1 });
    // While the project is locked the process files and cannot fold.
    await connections.upkeep.transaction(async (queries) => {
      await queries.run("SELECT pg_advisory_xact_lock($1, 1)", locks.project);
      const child = spawn(
        process.execPath,
        ["--conditions=holdfast-source", "--input-type=module", "--eval", filingProcess],
        {
          env: {
            ...process.env,
            ADDRESS: address,
            STORE: new URL("./open-postgres-store.ts", import.meta.url).href,
            EXAMPLES: new URL("../filed-examples.ts", import.meta.url).href,
          },
          stdio: ["ignore", "pipe", "inherit"],
        },
      );
      const [said] = await once(child.stdout, "data");
      expect(String(said)).toBe("filed\n");
      child.kill("SIGKILL");
      await once(child, "exit");
      expect(await eventsCounted(other)).toEqual([]);
    });
    await expect.poll(() => eventsCounted(other)).toEqual([1]);
    expect(await postgres.run(address, "SELECT 1 FROM holdfast.delta")).toEqual([]);
    expect(await other.check()).toEqual([]);
  });

  it("is left to a process that is about to count it itself", async () => {
    const other = await open("other", { sweepMs: 10, leftMs: 600_000 });
    await connections.upkeep.transaction(async (queries) => {
      await queries.run("SELECT pg_advisory_xact_lock($1, 1)", locks.project);
      await file(await open("one", { foldEveryMs: 600_000, leftMs: 600_000 }), anEvent());
    });
    await file(other, anEvent({ project: 2 }));
    expect(await eventsCounted(other)).toEqual([]);
    await other.settled();
    expect(await eventsCounted(other)).toEqual([1]);
  });
});

describe("one event that two processes get on both sides of the end of a part", () => {
  const boundary = weekOf(noon).to;

  it("is filed once when both file it in the same moment", async () => {
    const [one, two] = [await open("one"), await open("two")];
    const eventId = hex("same moment");
    // Both parts exist, and both processes know the group.
    await file(one, anEvent({ at: boundary - 120_000 }), anEvent({ at: boundary + 120_000 }));
    await file(two, anEvent({ at: boundary - 120_000 }), anEvent({ at: boundary + 120_000 }));
    // A batch stops before its end for as long as the test holds this lock.
    await postgres.run(
      address,
      `CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         PERFORM pg_advisory_xact_lock_shared(1, 1); RETURN NULL;
       END $$;
       CREATE TRIGGER stop AFTER INSERT ON holdfast.arrival EXECUTE FUNCTION stop()`,
    );
    const filed = await connections.upkeep.transaction(async (queries) => {
      await queries.run("SELECT pg_advisory_xact_lock(1, 1)");
      const both = [
        file(one, anEvent({ eventId, at: boundary - 1_000 })),
        file(two, anEvent({ eventId, at: boundary + 1_000 })),
      ];
      const waiting = "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";
      await expect.poll(() => postgres.run(address, waiting)).toHaveLength(2);
      return both;
    });
    expect((await Promise.all(filed)).sort()).toEqual([0, 1]);
    expect(await rowsOf(eventId)).toHaveLength(1);
    await one.settled();
    expect(await eventsCounted(one)).toEqual([5]);
    expect(await one.check()).toEqual([]);
  });

  it("does not lead to a deadlock of batches that have the same events in another order", async () => {
    const [one, two] = [await open("one"), await open("two")];
    const ids = Array.from({ length: 200 }, (_, n) => hex(`crossing ${n}`));
    const at = (moment: number) => (eventId: string) => anEvent({ eventId, at: moment });
    const duplicates = await Promise.all([
      file(one, ...ids.map(at(boundary - 1_000))),
      file(two, ...ids.toReversed().map(at(boundary + 1_000))),
    ]);
    expect(duplicates.sort((a, b) => a - b)).toEqual([0, 200]);
    for (const store of [one, two]) expect(store.health().problems.collision).toBe(0);
  });

  it("is known to a process that files its journal late", async () => {
    const [one, two] = [await open("one"), await open("two")];
    const eventId = hex("late");
    await file(one, anEvent({ at: boundary - 600_000 }));
    await file(two, anEvent({ eventId, at: boundary + 600_000 }));
    expect(await file(one, anEvent({ eventId, at: boundary - 600_000 }))).toBe(1);
    expect(await rowsOf(eventId)).toHaveLength(1);
  });

  it("is known to a process that has not heard of a part that was ended early", async () => {
    const [one, two] = [await open("one"), await open("two")];
    const eventId = hex("ended early");
    for (const store of [one, two]) await file(store, anEvent({ at: noon }));
    await one.splitPartition(noon + 60_000);
    await file(one, anEvent({ eventId, at: noon + 600_000 }));
    expect(await file(two, anEvent({ eventId, at: noon + 700_000 }))).toBe(1);
    expect(await rowsOf(eventId)).toHaveLength(1);
  });
});

describe("a transaction that stays open beside filing", () => {
  it("does not make counting read what was counted before, again and again", async () => {
    const batches = 40;
    const store = await openPostgresStore({
      address,
      writer: "one",
      connections: { foldEveryMs: 0, visibleAfterMs: 0, sweepMs: 600_000 },
    });
    await connections.upkeep.transaction(async (queries) => {
      await queries.run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
      await queries.run("SELECT count(*) FROM holdfast.delta");
      for (let at = 0; at < batches; at += 1) await file(store, anEvent());
      await store.settled();
      expect(await eventsCounted(store)).toEqual([batches]);
      expect(await store.check()).toEqual([]);
      // Its connections report what they have read at their end.
      store.close();
      const read = async (): Promise<number> => {
        const [row] = await postgres.run(
          address,
          "SELECT idx_tup_read::int AS n FROM pg_stat_user_indexes WHERE indexrelname = 'delta_project'",
        );
        return Number(row?.n);
      };
      // Without a mark every fold would pass over all earlier ones: more than 40 × 39 / 2.
      await expect.poll(read).toBeGreaterThanOrEqual(batches);
      expect(await read()).toBeLessThan(batches * 8);
    });
  });
});

describe("a batch with a lower id than those that were counted", () => {
  it("is counted by the next look from the first batch on", async () => {
    const looking = { sweepMs: 10, leftMs: 1, fullSweepMs: 200 };
    const store = await open("one", { foldEveryMs: 0, visibleAfterMs: 0, ...looking });
    for (let at = 0; at < 4; at += 1) await file(store, anEvent());
    await postgres.run(address, "SELECT setval(pg_get_serial_sequence('holdfast.delta', 'id'), 1, false)");
    await file(store, anEvent());
    await expect.poll(() => eventsCounted(store)).toEqual([5]);
  });
});

describe("a group", () => {
  it("a group that the new primary does not know after a failover is made again", async () => {
    const store = await open("one", { foldEveryMs: 600_000, sweepMs: 600_000 });
    await file(store, anEvent({ text: "before the failover" }));
    await store.settled();
    // As after a failover to a standby that had not received the group, while this process has its id in memory.
    await postgres.run(
      address,
      `TRUNCATE holdfast.issue, holdfast.issue_group, holdfast.fingerprint, holdfast.event, holdfast.body_block,
         holdfast.body_reference, holdfast.group_hour, holdfast.group_day, holdfast.group_visitor, holdfast.group_tag,
         holdfast.group_text, holdfast.group_release`,
    );
    const later = anEvent({ text: "before the failover" });
    await file(store, later);
    await store.settled();
    expect(await rowsOf(later.eventId)).toHaveLength(1);
    expect(await eventsCounted(store)).toEqual([1]);
    expect(await store.check()).toEqual([]);
  });
});
