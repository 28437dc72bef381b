import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect } from "vitest";
import { jsonItem, newEventId, writeEnvelope } from "#protocol";
import { everyIssue } from "../../src/service/queries/filter-language.ts";
import { openSqliteReader } from "../../src/service/stores/sqlite/open-sqlite-store.ts";
import type { EventCursor, StoreReader } from "../../src/service/stores/store.ts";
import type { RunningService } from "./running-service.ts";

// On a quick machine the clients reach their project's quota. Like every client they then hold back, and nothing was promised to them.
const heldBackFor = 100;

/** Many clients at once, who remember what was acknowledged to them through all deaths of the service. */
export class ManyWriters {
  readonly acknowledged = new Set<string>();
  readonly #toRepeat: string[] = [];

  /** Sends from so many clients until the service is gone. Every tenth event is sent once more, as after a lost answer. */
  async sendUntilDead(service: RunningService, writers: number): Promise<void> {
    await Promise.all(Array.from({ length: writers }, () => this.#write(service)));
  }

  /** Returns when so many more were acknowledged. */
  async acknowledgedMore(events: number): Promise<void> {
    const enough = this.acknowledged.size + events;
    while (this.acknowledged.size < enough) await wait(5);
  }

  async #write(service: RunningService): Promise<void> {
    while (service.isRunning) {
      const again = Math.random() < 0.1 ? this.#toRepeat.pop() : undefined;
      const eventId = again ?? newEventId();
      try {
        const { status } = await service.post("envelope/", anEvent(eventId));
        if (status === 429 || status === 503) {
          await wait(heldBackFor);
          continue;
        }
        if (status !== 200) throw new Error(`An event was answered with ${status}.`);
        this.acknowledged.add(eventId);
        if (again === undefined && Math.random() < 0.1) this.#toRepeat.push(eventId);
      } catch (error) {
        if (!isBrokenConnection(error)) throw error;
        return;
      }
    }
  }

  /** Looks through the whole store: nothing acknowledged is missing, nothing is there twice, and every counter equals its rows. */
  expectOnceEachIn(dataFolder: string): void {
    const store = openSqliteReader({ folder: join(dataFolder, "store") });
    expect([...this.acknowledged].filter((id) => store.event(1, id) === undefined)).toEqual([]);
    const rows = new Map<string, number>();
    for (const issue of store.issues({ project: 1, filter: everyIssue, sort: "events", limit: 100 }).issues) {
      const ids = eventIdsOf(store, issue.id);
      for (const id of ids) rows.set(id, (rows.get(id) ?? 0) + 1);
      expect({ issue: issue.title, events: issue.events }).toEqual({ issue: issue.title, events: ids.length });
    }
    expect([...rows.values()].filter((count) => count !== 1)).toEqual([]);
    expect(rows.size).toBeGreaterThanOrEqual(this.acknowledged.size);
    expect(store.check()).toEqual([]);
    store.close();
  }
}

function isBrokenConnection(error: unknown): boolean {
  return error instanceof Error && "code" in error;
}

function anEvent(eventId: string): Uint8Array {
  const kind = Number.parseInt(eventId.slice(0, 1), 16);
  const frames = [{ filename: "a.ts", function: `f${kind}`, in_app: true }];
  const event = {
    event_id: eventId,
    exception: { values: [{ type: "TypeError", value: "boom", stacktrace: { frames } }] },
    user: { id: `user ${kind}` },
    extra: { filling: "x".repeat(2_000) },
  };
  return writeEnvelope({ eventId }, [jsonItem("event", event)]);
}

function eventIdsOf(store: StoreReader, issue: number): string[] {
  const ids: string[] = [];
  let before: EventCursor | undefined;
  for (;;) {
    const page = store.eventsOf(1, issue, before === undefined ? { limit: 1_000 } : { before, limit: 1_000 });
    ids.push(...page.map(({ eventId }) => eventId));
    const last = page.at(-1);
    if (last === undefined) return ids;
    before = { at: last.at, rowId: last.rowId };
  }
}
