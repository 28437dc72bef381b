import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { asPrimary, startPostgres, type TestPostgres } from "../../../../tests/kit/postgres.ts";
import { anEvent, batchesOf, type ExampleBatch, storedIds } from "../filed-examples.ts";
import { everyIssue } from "../filter-language.ts";
import { type SourceMapReader, type Store, StoreUnavailable } from "../store.ts";
import { connect } from "./connect/connections.ts";
import { postgresLimits } from "./limits.ts";
import { migrate } from "./migrations/migrate.ts";
import { openPostgresStore } from "./open-postgres-store.ts";

// As in production, but nothing waits for a second.
const quick = { fullRetryMs: 1, longestFullRetryMs: 10, retryMs: 1, longestRetryMs: 10, standbyMs: 1 };

let postgres: TestPostgres;
let prepared: string;
let address: string;
let store: (Store & SourceMapReader) | undefined;

beforeAll(async () => {
  postgres = await startPostgres(asPrimary);
  prepared = await postgres.newDatabase();
  const connections = await connect(prepared, postgresLimits);
  await migrate(connections.upkeep);
  await connections.close();
}, 120_000);

afterAll(() => postgres[Symbol.asyncDispose](), 120_000);

beforeEach(async () => {
  address = await postgres.newDatabase(prepared);
});

afterEach(async () => {
  store?.close();
  store = undefined;
  // A test that failed must not take the server from the others.
  await postgres.revive();
});

async function open(address: string, connections: Partial<typeof postgresLimits> = {}): Promise<Store> {
  store = await openPostgresStore({ address, writer: "one", connections: { ...quick, ...connections } });
  return store;
}

/** Each in a batch of its own. */
function someBatches(count: number): ExampleBatch[] {
  return batchesOf(
    Array.from({ length: count }, (_, n) => anEvent({ text: `kind ${n}` })),
    1,
  );
}

/** As the filing thread does: the same batch again while the store is unavailable, and nothing else. */
async function fileAgain(into: Store, batch: ExampleBatch | undefined): Promise<void> {
  await expect
    .poll(
      async () => {
        try {
          await into.commit(batch ?? { upTo: 0, items: [] });
          return "filed";
        } catch (error) {
          return error instanceof StoreUnavailable ? "unavailable" : error;
        }
      },
      { timeout: 60_000 },
    )
    .toBe("filed");
}

function idsOf(batches: readonly ExampleBatch[]): string[] {
  return batches.flatMap(({ items }) => items.map((item) => (item.kind === "event" ? item.eventId : "")));
}

async function expectEachOnce(of: Store, batches: readonly ExampleBatch[]): Promise<void> {
  await of.settled();
  const ids = idsOf(batches);
  expect(await storedIds(of, ids)).toEqual(ids);
  expect(await of.check()).toEqual([]);
  const page = await of.issues({ project: 1, filter: everyIssue, sort: "events", limit: 100 });
  expect(page.issues.map(({ events }) => events)).toEqual(ids.map(() => 1));
}

describe("a store with several hosts", () => {
  it("writes to the one that is not in recovery, and after a failover to the new one", async () => {
    await using primary = await startPostgres(asPrimary);
    const ofPrimary = await primary.newDatabase();
    await using standby = await primary.startStandby();
    await primary.run(ofPrimary, "ALTER SYSTEM SET synchronous_standby_names = '*'");
    await primary.run(ofPrimary, "SELECT pg_reload_conf()");
    const batches = someBatches(4);
    const { pathname } = new URL(ofPrimary);
    const hosts = `host=${standby.sockets},${primary.sockets}`;
    const both = `postgres://holdfast@localhost${pathname}?${hosts}&target_session_attrs=read-write`;
    const filing = await open(both);
    await filing.commit(batches[0] as ExampleBatch);
    await filing.commit(batches[1] as ExampleBatch);
    await filing.settled();

    await primary.kill();
    await expect(filing.commit(batches[2] as ExampleBatch)).rejects.toThrow(StoreUnavailable);
    expect(filing.health()).toMatchObject({ kind: "away" });
    // While there is no primary the standby is read.
    await expect.poll(() => storedIds(filing, idsOf(batches)).catch(() => [])).toEqual(idsOf(batches.slice(0, 2)));

    await standby.promote();
    await fileAgain(filing, batches[2]);
    await fileAgain(filing, batches[3]);
    expect(filing.health()).toMatchObject({ kind: "well" });
    await expectEachOnce(filing, batches);
  });

  it("leaves a server that only reads since a moment ago, and comes back to it", async () => {
    const filing = await open(address);
    const batches = someBatches(2);
    await filing.commit(batches[0] as ExampleBatch);
    const readOnly = async (isOn: boolean): Promise<void> => {
      await postgres.run(address, `ALTER SYSTEM SET default_transaction_read_only = ${isOn}`);
      await postgres.run(address, "SELECT pg_reload_conf()");
    };
    await readOnly(true);
    await expect.poll(() => filing.commit(batches[1] as ExampleBatch).catch(String)).toContain("StoreUnavailable");
    await expect.poll(() => filing.health()).toMatchObject({ kind: "away", kindOfProblem: "read-only" });
    await readOnly(false);
    await fileAgain(filing, batches[1]);
    await expectEachOnce(filing, batches);
  });
});

describe("a store whose database has a problem", () => {
  it("files a batch later that met a stopped server, and says since when and why it is away", async () => {
    const filing = await open(address);
    const batches = someBatches(3);
    await filing.commit(batches[0] as ExampleBatch);
    await postgres.kill();
    const before = Date.now();
    await expect(filing.commit(batches[1] as ExampleBatch)).rejects.toThrow(StoreUnavailable);
    // A connection may hear of the end of the server before it is lost.
    const health = filing.health();
    expect(health).toMatchObject({ kind: "away", kindOfProblem: expect.stringMatching(/unreachable|shutting-down/) });
    expect(health.kind === "away" && health.since).toBeGreaterThanOrEqual(before - 1_000);
    for (let n = 0; n < 2; n += 1)
      await expect(filing.commit(batches[1] as ExampleBatch)).rejects.toThrow(StoreUnavailable);
    expect(filing.health()).toMatchObject({
      kindOfProblem: "unreachable",
      why: expect.stringContaining(".s.PGSQL"),
      since: health.kind === "away" && health.since,
    });
    expect(filing.health().problems.unreachable).toBeGreaterThan(1);
    await postgres.revive();
    await fileAgain(filing, batches[1]);
    await fileAgain(filing, batches[2]);
    expect(filing.health().kind).toBe("well");
    await expectEachOnce(filing, batches);
  });

  it("goes on after an administrator has ended its connections", async () => {
    const filing = await open(address);
    const batches = someBatches(2);
    await filing.commit(batches[0] as ExampleBatch);
    await postgres.run(
      address,
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'holdfast'",
    );
    await fileAgain(filing, batches[1]);
    await expectEachOnce(filing, batches);
  });

  it.each([
    ["53100", "out-of-space"],
    ["53200", "out-of-memory"],
    ["58030", "out-of-space"],
    ["57014", "too-slow"],
    ["57P03", "shutting-down"],
    ["08006", "unreachable"],
    ["25006", "read-only"],
    ["40001", "collision"],
    ["40P01", "collision"],
    ["55P03", "collision"],
    ["42P01", "schema"],
  ] as const)("puts no record aside for the code %s, and counts it as %s", async (code, problem) => {
    const filing = await open(address);
    const batches = someBatches(2);
    await filing.commit(batches[0] as ExampleBatch);
    await postgres.run(
      address,
      `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'it fails' USING ERRCODE = '${code}'; END $$;
       CREATE TRIGGER fail BEFORE INSERT ON holdfast.arrival EXECUTE FUNCTION fail()`,
    );
    await expect(filing.commit(batches[1] as ExampleBatch)).rejects.toThrow(StoreUnavailable);
    expect(filing.health().problems[problem]).toBeGreaterThan(0);
    expect(filing.health().kind).toBe(problem === "collision" ? "well" : "away");
    await postgres.run(address, "DROP TRIGGER fail ON holdfast.arrival");
    await fileAgain(filing, batches[1]);
    await expectEachOnce(filing, batches);
  });

  it("leaves a database without space alone for a while", async () => {
    const filing = await open(address, { fullRetryMs: 600_000, longestFullRetryMs: 600_000 });
    const batches = someBatches(2);
    await filing.commit(batches[0] as ExampleBatch);
    await postgres.run(
      address,
      `CREATE SEQUENCE tries;
       CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         PERFORM nextval('tries'); RAISE 'no space left' USING ERRCODE = '53100';
       END $$;
       CREATE TRIGGER fail BEFORE INSERT ON holdfast.arrival EXECUTE FUNCTION fail()`,
    );
    for (let n = 0; n < 5; n += 1)
      await expect(filing.commit(batches[1] as ExampleBatch)).rejects.toThrow("no space left");
    expect(await postgres.run(address, "SELECT last_value::int AS n FROM tries")).toEqual([{ n: 1 }]);
  });

  it("comes back when a role has connections again", async () => {
    const owner = await postgres.newDatabase();
    const { pathname } = new URL(owner);
    await postgres.run(owner, `CREATE ROLE app LOGIN; ALTER DATABASE ${pathname.slice(1)} OWNER TO app`);
    const filing = await open(owner.replace("holdfast@", "app@"));
    const batches = someBatches(2);
    await filing.commit(batches[0] as ExampleBatch);
    await postgres.run(owner, "ALTER ROLE app CONNECTION LIMIT 0");
    await postgres.run(owner, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'app'");
    await expect
      .poll(async () => {
        await filing.commit(batches[1] as ExampleBatch).catch(() => undefined);
        return filing.health();
      })
      .toMatchObject({ kind: "away", kindOfProblem: "too-many-connections" });
    await postgres.run(owner, "ALTER ROLE app CONNECTION LIMIT -1");
    await fileAgain(filing, batches[1]);
    await expectEachOnce(filing, batches);
  });
});

describe("a statement that takes too long", () => {
  it("is given up, and a question is ended on the server too", async () => {
    const connections = await connect(address, { ...postgresLimits, ...quick, questionMs: 200, filingMs: 200 });
    await expect(connections.reading.all("SELECT pg_sleep(600)")).rejects.toThrow("did not answer within 200 ms");
    const running =
      "SELECT count(*)::int AS n FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%' AND state = 'active'";
    await expect.poll(() => postgres.run(address, running)).toEqual([{ n: 0 }]);
    expect(await connections.reading.one("SELECT 1 AS one")).toEqual({ one: 1 });
    await connections.close();
  });

  it("is ended by the server where it is part of a transaction, which releases its locks", async () => {
    const connections = await connect(address, { ...postgresLimits, ...quick, foldingMs: 200 });
    const slow = connections.folding.transaction((queries) => queries.run("SELECT pg_sleep(600)"));
    await expect(slow).rejects.toMatchObject({ code: "57014" });
    expect(await connections.folding.one("SELECT current_setting('statement_timeout') AS t")).toEqual({ t: "0" });
    await connections.close();
  });

  it("has an unknown outcome where the server stopped waiting for a standby", async () => {
    const filing = await open(address);
    const batches = someBatches(2);
    await filing.commit(batches[0] as ExampleBatch);
    await postgres.run(address, "ALTER SYSTEM SET synchronous_standby_names = 'absent'");
    await postgres.run(address, "SELECT pg_reload_conf()");
    const waiting = `SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'`;
    const outcome = filing.commit(batches[1] as ExampleBatch).catch(String);
    await expect.poll(() => postgres.run(address, waiting)).toHaveLength(1);
    await postgres.run(address, `SELECT pg_cancel_backend(pid) FROM (${waiting}) w`);
    expect(await outcome).toContain("StoreUnavailable");
    await postgres.run(address, "ALTER SYSTEM RESET synchronous_standby_names");
    await postgres.run(address, "SELECT pg_reload_conf()");
    await fileAgain(filing, batches[1]);
    await expectEachOnce(filing, batches);
  });
});
