import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect } from "vitest";
import { jsonItem, newEventId, writeEnvelope } from "#protocol";
import { sketchCount } from "../../src/service/sketches/quantile-sketch.ts";
import { storedIds } from "../../src/service/stores/filed-examples.ts";
import { everyIssue } from "../../src/service/stores/filter-language.ts";
import { openSqliteReader } from "../../src/service/stores/sqlite/open-sqlite-store.ts";
import type { StoreReader } from "../../src/service/stores/store.ts";
import type { EventCursor } from "../../src/service/stores/store-requests.ts";
import type { RunningService } from "./running-service.ts";

// On a fast machine the clients reach their project's quota. Like every client they then wait, and nothing was
// acknowledged.
const heldBackFor = 100;

/**
 * Many concurrent clients that send errors and traces, and remember the acknowledged ones across all kills of the
 * service.
 */
export class ManyWriters {
  /** Ids of both. */
  readonly acknowledged = new Set<string>();
  /** How often a service refused a delivery. The client then retries. */
  refused = 0;
  readonly #toRepeat: string[] = [];
  #isStopped = false;

  /** Sends to all services in turn until `stop`. */
  async sendUntilStopped(services: readonly RunningService[], writers: number, paceMs: number): Promise<void> {
    const write = async (first: number): Promise<void> => {
      for (let turn = first; !this.#isStopped; turn += 1) {
        const service = services[turn % services.length];
        if (service !== undefined) await this.#send(service);
        await wait(paceMs);
      }
    };
    await Promise.all(Array.from({ length: writers }, (_, at) => write(at)));
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** Sends from this many clients until the service is dead. Every tenth is sent again, as after a lost response. */
  async sendUntilDead(service: RunningService, writers: number): Promise<void> {
    await Promise.all(Array.from({ length: writers }, () => this.#write(service)));
  }

  /** Resolves when this many more were acknowledged. */
  async acknowledgedMore(count: number): Promise<void> {
    const enough = this.acknowledged.size + count;
    while (this.acknowledged.size < enough) await wait(5);
  }

  async #write(service: RunningService): Promise<void> {
    while (service.isRunning) {
      try {
        await this.#send(service);
      } catch (error) {
        if (!isBrokenConnection(error)) throw error;
        return;
      }
    }
  }

  async #send(service: RunningService): Promise<void> {
    const again = Math.random() < 0.1 ? this.#toRepeat.pop() : undefined;
    const id = again ?? newEventId();
    const { status } = await service.post("envelope/", isTrace(id) ? aTrace(id) : anEvent(id));
    if (status === 429 || status === 503) {
      this.refused += 1;
      await wait(heldBackFor);
      return;
    }
    if (status !== 200) throw new Error(`An envelope was answered with ${status}.`);
    this.acknowledged.add(id);
    if (again === undefined && Math.random() < 0.1) this.#toRepeat.push(id);
  }

  /** Summary of the acknowledged items. */
  get told(): string {
    const traces = [...this.acknowledged].filter(isTrace).length;
    return `${this.acknowledged.size - traces} errors and ${traces} traces acknowledged`;
  }

  /**
   * Checks the whole store: nothing acknowledged is missing, nothing is duplicated, and every counter equals its rows.
   */
  async expectOnceEachIn(dataFolder: string): Promise<void> {
    const store = openSqliteReader({ folder: join(dataFolder, "store") });
    await this.expectOnceEach(store);
    store.close();
  }

  async expectOnceEach(store: StoreReader): Promise<void> {
    const [traces, events] = [
      [...this.acknowledged].filter(isTrace),
      [...this.acknowledged].filter((id) => !isTrace(id)),
    ];
    await expectErrorsOnce(store, events);
    await expectTracesOnce(store, traces);
    expect(await store.check()).toEqual([]);
  }
}

async function expectErrorsOnce(store: StoreReader, acknowledged: readonly string[]): Promise<void> {
  expect(await storedIds(store, acknowledged)).toEqual(acknowledged);
  const rows = new Map<string, number>();
  for (const issue of (await store.issues({ project: 1, filter: everyIssue, sort: "events", limit: 100 })).issues) {
    const ids = await eventIdsOf(store, issue.id);
    for (const id of ids) rows.set(id, (rows.get(id) ?? 0) + 1);
    expect({ issue: issue.title, events: issue.events }).toEqual({ issue: issue.title, events: ids.length });
  }
  expect([...rows.values()].filter((count) => count !== 1)).toEqual([]);
  expect(rows.size).toBeGreaterThanOrEqual(acknowledged.length);
}

async function expectTracesOnce(store: StoreReader, acknowledged: readonly string[]): Promise<void> {
  const wrong: string[] = [];
  for (const id of acknowledged) {
    const { spans, segments, damaged } = await store.trace(1, id);
    if (spans.length !== 2 || segments.length !== 1 || damaged !== 0) wrong.push(id);
  }
  expect(wrong).toEqual([]);
  const [from, to] = [0, Date.now() + 86_400_000];
  const rows = await store.segments({ project: 1, route, from, to, limit: Number.MAX_SAFE_INTEGER });
  const counted = (await store.measures({ project: 1, step: "day", from, to })).flatMap(({ sketches }) => [
    ...sketches.values(),
  ]);
  expect(counted.reduce((sum, sketch) => sum + sketchCount(sketch), 0)).toBe(rows.length);
  expect(rows.length).toBeGreaterThanOrEqual(acknowledged.length);
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

const route = "/orders/[id]";

/** Whether an id is that of a trace, which every fourth is. */
function isTrace(id: string): boolean {
  return Number.parseInt(id.slice(-1), 16) < 4;
}

function aTrace(eventId: string): Uint8Array {
  const [root, query] = [eventId.slice(0, 16), eventId.slice(16)];
  const timestamp = Date.now() / 1_000;
  const times = { start_timestamp: timestamp - 0.2, timestamp };
  const transaction = {
    type: "transaction",
    event_id: eventId,
    transaction: route,
    ...times,
    contexts: { trace: { trace_id: eventId, span_id: root, op: "http.server" } },
    spans: [{ ...times, trace_id: eventId, span_id: query, parent_span_id: root, op: "db", description: "SELECT 1" }],
  };
  return writeEnvelope({ eventId }, [jsonItem("transaction", transaction)]);
}

async function eventIdsOf(store: StoreReader, issue: number): Promise<string[]> {
  const ids: string[] = [];
  let before: EventCursor | undefined;
  for (;;) {
    const page = await store.eventsOf(1, issue, before === undefined ? { limit: 1_000 } : { before, limit: 1_000 });
    ids.push(...page.map(({ eventId }) => eventId));
    const last = page.at(-1);
    if (last === undefined) return ids;
    before = { at: last.at, rowId: last.rowId };
  }
}
