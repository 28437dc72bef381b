import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { jsonItem, newEventId, writeEnvelope } from "#protocol";
import { startAlertReceiver } from "../kit/alert-receiver.ts";
import { notifyReceiver } from "../kit/notify-receiver.ts";
import { startPostgres, type TestPostgres } from "../kit/postgres.ts";
import { dataFolder, RunningService } from "./running-service.ts";

let postgres: TestPostgres;

beforeAll(async () => {
  postgres = await startPostgres();
}, 120_000);

afterAll(() => postgres[Symbol.asyncDispose](), 120_000);

const isLong = process.env.HOLDFAST_TEST_LONG !== undefined;
/** How long a service that was killed keeps the others from looking for alerts. */
const leaseMs = 45_000;

describe("two services with one store", { timeout: 240_000 }, () => {
  it("notify once of each issue", async () => {
    const store = await postgres.newDatabase();
    await using hook = await startAlertReceiver();
    using folderOfOne = dataFolder();
    using folderOfTwo = dataFolder();
    const env = { HOLDFAST_STORE: store };
    await using one = await RunningService.start(folderOfOne.path, { built: true, env });
    await using two = await RunningService.start(folderOfTwo.path, { built: true, env });
    await notifyReceiver(store, hook);

    const expected = ["first", "second", "third", "fourth"];
    for (const [at, name] of expected.entries()) await (at % 2 === 0 ? one : two).deliver(anError(name));
    await expect.poll(() => titles(hook.received), { timeout: 60_000, interval: 200 }).toHaveLength(4);

    if (isLong) {
      // The other one waits until the lease of this one has ended.
      await one.kill();
      expected.push("fifth");
      await two.deliver(anError("fifth"));
      await expect.poll(() => titles(hook.received), { timeout: leaseMs + 60_000, interval: 200 }).toHaveLength(5);
    }
    // Found by a later look: what an earlier one would send twice has been sent by then.
    expected.push("last");
    await two.deliver(anError("last"));
    await expect
      .poll(() => titles(hook.received), { timeout: 60_000, interval: 200 })
      .toContain("New issue: Error: last");
    expect(titles(hook.received).toSorted()).toEqual(expected.map((name) => `New issue: Error: ${name}`).toSorted());
  });
});

function titles(received: readonly { body: Readonly<Record<string, unknown>> }[]): string[] {
  return received.map(({ body }) => `${body.reason}: ${body.title}`);
}

function anError(name: string): Uint8Array {
  const eventId = newEventId();
  const frames = [{ filename: `src/${name}.ts`, function: name, lineno: 1, in_app: true }];
  const exception = { values: [{ type: "Error", value: name, stacktrace: { frames } }] };
  return writeEnvelope({ eventId }, [
    jsonItem("event", { event_id: eventId, timestamp: Date.now() / 1_000, level: "error", exception }),
  ]);
}
