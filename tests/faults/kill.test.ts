import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { jsonItem, newEventId, writeEnvelope } from "#protocol";
import { openSqliteReader } from "../../src/service/stores/sqlite/open-sqlite-store.ts";
import { dataFolder, RunningService } from "./running-service.ts";

const rounds = process.env.HOLDFAST_TEST_LONG === undefined ? 10 : 100;
const writers = 32;

describe("a service that is killed again and again while 32 clients send", () => {
  const folder = dataFolder();
  afterAll(() => folder[Symbol.dispose]());

  it(
    `has everything it acknowledged once, after ${rounds} kills`,
    async () => {
      const acknowledged = new Set<string>();
      const repeated: string[] = [];
      for (let round = 0; round < rounds; round += 1) {
        await using service = await RunningService.start(folder.path);
        const sending = Array.from({ length: writers }, () => sendUntilDead(service, acknowledged, repeated));
        await new Promise((resolve) => setTimeout(resolve, 30 + Math.random() * 370));
        await service.kill();
        await Promise.all(sending);
      }
      expect(acknowledged.size).toBeGreaterThan(rounds * writers);
      const survivor = await RunningService.start(folder.path);
      await survivor.filed();
      await survivor.stop();
      expectOnceEach(folder.path, acknowledged);
    },
    rounds * 10_000,
  );
});

/** Every event is sent until it is acknowledged, as a client with a spool does; every tenth is sent once more. */
async function sendUntilDead(service: RunningService, acknowledged: Set<string>, repeated: string[]): Promise<void> {
  while (service.isRunning) {
    const again = repeated.length > 0 && Math.random() < 0.1 ? repeated.pop() : undefined;
    const eventId = again ?? newEventId();
    try {
      const { status } = await service.post("envelope/", anEvent(eventId));
      if (status !== 200) throw new Error(`An event was answered with ${status}.`);
      acknowledged.add(eventId);
      if (again === undefined && Math.random() < 0.1) repeated.push(eventId);
    } catch (error) {
      if (service.isRunning && !isBrokenConnection(error)) throw error;
      return;
    }
  }
}

function isBrokenConnection(error: unknown): boolean {
  return error instanceof Error && "code" in error;
}

function anEvent(eventId: string): Uint8Array {
  const kind = Number.parseInt(eventId.slice(0, 1), 16);
  const event = {
    event_id: eventId,
    exception: {
      values: [
        {
          type: "TypeError",
          value: "boom",
          stacktrace: { frames: [{ filename: "a.ts", function: `f${kind}`, in_app: true }] },
        },
      ],
    },
    user: { id: `user ${kind}` },
    extra: { filling: "x".repeat(2_000) },
  };
  return writeEnvelope({ eventId }, [jsonItem("event", event)]);
}

function expectOnceEach(folder: string, acknowledged: ReadonlySet<string>): void {
  const store = openSqliteReader({ folder: join(folder, "store") });
  const missing = [...acknowledged].filter((id) => store.event(1, id) === undefined);
  expect(missing).toEqual([]);
  const { issues } = store.issues({
    project: 1,
    filter: { states: [], terms: [], words: [] },
    sort: "events",
    limit: 100,
  });
  const rows = new Map<string, number>();
  for (const issue of issues) {
    let counted = 0;
    for (let before: { at: number; rowId: number } | undefined; ; ) {
      const page = store.eventsOf(issue.id, before === undefined ? { limit: 1_000 } : { before, limit: 1_000 });
      for (const { eventId } of page) rows.set(eventId, (rows.get(eventId) ?? 0) + 1);
      counted += page.length;
      const last = page.at(-1);
      if (last === undefined) break;
      before = { at: last.at, rowId: last.rowId };
    }
    expect({ issue: issue.title, events: issue.events }).toEqual({ issue: issue.title, events: counted });
  }
  expect([...rows.values()].filter((count) => count !== 1)).toEqual([]);
  expect(rows.size).toBeGreaterThanOrEqual(acknowledged.size);
  expect(store.check()).toEqual([]);
  store.close();
}
