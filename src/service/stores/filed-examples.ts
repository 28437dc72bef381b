import { createHash } from "node:crypto";
import type { ReportedEvent } from "#protocol";
import { type FiledEvent, type FiledItem, type FilingBatch, rowIdOf } from "./filed.ts";
import type { StoreReader } from "./store.ts";

/** An ordinary Wednesday noon. */
export const noon = Date.UTC(2026, 10, 11, 12);

let nextEvent = 0;

/** Creates an event as filing does. A test sets only the fields it is about. Each event has its own id. */
export function anEvent(
  fields: Partial<FiledEvent> & { text?: string; position?: number; spanId?: string } = {},
): FiledEvent {
  const { text = "boom", position = 0, spanId, ...overrides } = fields;
  const eventId = overrides.eventId ?? hex(`event ${nextEvent++}`);
  const event: ReportedEvent = {
    eventId,
    level: "error",
    exceptions: [{ type: "Error", value: text, frames: [] }],
    tags: {},
    breadcrumbs: [],
    contexts: {},
    extra: {},
    modules: {},
    debugImages: [],
    ...(spanId !== undefined && { trace: { traceId: overrides.traceId ?? hex("trace"), spanId, data: {} } }),
  };
  const at = overrides.at ?? noon;
  return {
    kind: "event",
    rowId: rowIdOf(position, 0),
    project: 1,
    receivedAt: at,
    eventId,
    otherId: undefined,
    at,
    grouping: [{ version: 1, hash: hex(text), reason: { rule: "type-and-text", parts: ["Error", text] } }],
    title: { type: "Error", text, culprit: "src/page.ts:1 load" },
    level: "error",
    platform: "javascript",
    route: "/",
    release: "1.0.0",
    environment: "production",
    traceId: undefined,
    visitor: undefined,
    session: undefined,
    aliases: [],
    tags: [["route", overrides.route ?? "/"]],
    stackText: "",
    searchText: `Error ${text} src/page.ts load ${overrides.route ?? "/"}`,
    chunks: [],
    body: { form: "filed", bytes: Buffer.from(JSON.stringify(event)) },
    ...overrides,
  };
}

export interface ExampleBatch extends FilingBatch {
  items: readonly FiledItem[];
}

// Longer than any example item, so that all positions differ.
const bytesPerEnvelope = 1_000;

/** Places items in the journal one after another, each in its own envelope, and splits it into batches. */
export function batchesOf(items: readonly FiledItem[], perBatch = items.length, from = 0): ExampleBatch[] {
  const batches: ExampleBatch[] = [];
  for (let first = 0; first < items.length; first += perBatch) {
    const part = items.slice(first, first + perBatch);
    batches.push({
      upTo: from + (first + part.length) * bytesPerEnvelope,
      items: part.map((item, index) => ({ ...item, rowId: rowIdOf(from + (first + index) * bytesPerEnvelope, 0) })),
    });
  }
  return batches;
}

export function hex(text: string): string {
  return createHash("sha1").update(text).digest("hex").slice(0, 32);
}

/** Returns the ids of the events in the store. */
export async function storedIds(
  store: Pick<StoreReader, "event">,
  ids: readonly string[],
  project = 1,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const id of ids) if ((await store.event(project, id)) !== undefined) found.push(id);
  return found;
}
