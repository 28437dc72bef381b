import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startPgbouncer } from "../../../../tests/kit/pgbouncer.ts";
import { startPostgres, type TestPostgres } from "../../../../tests/kit/postgres.ts";
import { postgresProxy } from "../../../../tests/kit/postgres-proxy.ts";
import { anEvent, batchesOf, type ExampleBatch, noon } from "../filed-examples.ts";
import { everyIssue } from "../filter-language.ts";
import { type Store, StoreUnavailable } from "../store.ts";
import { connect } from "./connect/connections.ts";
import { postgresLimits } from "./limits.ts";
import { openPostgresStore } from "./open-postgres-store.ts";

let postgres: TestPostgres;
const quick = { retryMs: 1, longestRetryMs: 10 };

beforeAll(async () => {
  postgres = await startPostgres();
}, 120_000);

afterAll(() => postgres[Symbol.asyncDispose](), 120_000);

/** As the filing thread does. Returns how often the store was unavailable before. */
async function fileUntilDone(store: Store, batch: ExampleBatch): Promise<number> {
  for (let unavailable = 0; ; unavailable += 1) {
    try {
      await store.commit(batch);
      return unavailable;
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
    }
  }
}

async function eventsCounted(store: Store): Promise<number> {
  await store.settled();
  const { issues } = await store.issues({ project: 1, filter: everyIssue, sort: "events", limit: 100 });
  return issues.reduce((sum, { events }) => sum + events, 0);
}

describe("a batch whose answer is lost", () => {
  it.each(["answered", "sent"] as const)(
    "is filed exactly once when the connection is cut after it was %s",
    async (when) => {
      await using proxy = await postgresProxy(postgres);
      const address = await postgres.newDatabase();
      const store = await openPostgresStore({ address: proxy.through(address), writer: "one", connections: quick });
      const batches = batchesOf(
        Array.from({ length: 30 }, (_, n) => anEvent({ text: `kind ${n % 3}`, at: noon + n })),
        10,
      );
      for (const batch of batches) {
        const cut = proxy.cut("file_batch", when);
        expect(await fileUntilDone(store, batch)).toBe(1);
        await cut;
      }
      expect(await eventsCounted(store)).toBe(30);
      expect(await postgres.run(address, "SELECT count(*)::int AS n FROM holdfast.event")).toEqual([{ n: 30 }]);
      expect(await store.appliedUpTo()).toBe(batches.at(-1)?.upTo);
      expect(store.health()).toMatchObject({ kind: "well", problems: { unreachable: batches.length } });
      expect(await store.check()).toEqual([]);
      store.close();
    },
  );
});

describe("a store behind pgbouncer in transaction mode", () => {
  it("files, counts, changes and reads through fewer connections than it has, and goes on when it restarts", async () => {
    // Two folds may each wait for names that another connection makes.
    const serverConnections = 5;
    await using pooler = await startPgbouncer(postgres, serverConnections);
    const address = await postgres.newDatabase();
    const open = (writer: string) =>
      openPostgresStore({ address: pooler.through(address), writer, connections: quick });
    const [one, two] = await Promise.all([open("one"), open("two")]);
    const batchesFrom = async (store: Store, name: string): Promise<ExampleBatch[]> =>
      batchesOf(
        Array.from({ length: 100 }, (_, n) => anEvent({ text: `kind ${n % 5}`, route: `/${name}/${n}`, at: noon + n })),
        10,
        await store.appliedUpTo(),
      );
    const fileAll = async (store: Store, name: string): Promise<void> => {
      for (const batch of await batchesFrom(store, name)) {
        await fileUntilDone(store, batch);
        await Promise.all(Array.from({ length: 4 }, () => store.issues(byEvents)));
      }
    };
    await Promise.all([fileAll(one, "one"), fileAll(two, "two")]);
    expect(await eventsCounted(one)).toBe(200);
    expect([await one.lease("upkeep", 60_000), await two.lease("upkeep", 60_000)]).toEqual([true, false]);
    const { issues } = await two.issues(byEvents);
    const ids = issues.map(({ id }) => id);
    expect(
      await two.change({
        project: 1,
        issues: ids,
        change: { kind: "resolve", in: "now" },
        by: "a@b.example",
        at: noon + 200,
      }),
    ).toEqual(ids);
    await one.splitPartition(noon + 300);

    await pooler.kill();
    const [next] = await batchesOf([anEvent({ at: noon + 400 })], 1, await one.appliedUpTo());
    await expect(one.commit(next as ExampleBatch)).rejects.toThrow(StoreUnavailable);
    await pooler.revive();
    await fileUntilDone(one, next as ExampleBatch);
    expect(await eventsCounted(two)).toBe(201);
    expect(await two.check()).toEqual([]);
    for (const store of [one, two]) store.close();

    const { reading, close } = await connect(pooler.through(address), postgresLimits);
    const settings = await Promise.all(
      Array.from({ length: 8 }, () =>
        reading.one("SELECT current_setting('statement_timeout') AS t, current_setting('synchronous_commit') AS s"),
      ),
    );
    expect(new Set(settings.map((row) => JSON.stringify(row)))).toEqual(new Set(['{"t":"0","s":"off"}']));
    await close();
    const [used] = await postgres.run(
      address,
      "SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
    );
    expect(used?.n).toBeLessThanOrEqual(serverConnections);
  });
});

const byEvents = { project: 1, filter: everyIssue, sort: "events", limit: 100 } as const;
