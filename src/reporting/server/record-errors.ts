import { mkdirSync } from "node:fs";
import { open } from "node:fs/promises";
import path from "node:path";
import { digestOf, jsonItem, newEventId, writeEnvelope } from "#protocol";
import type { ErrorPlace, Receipt } from "#signals";

export interface RecorderOptions {
  /** Envelopes are kept here, one file each, until they are delivered. */
  folder: string;
  now: () => number;
  /** Told when an envelope could not be kept; the visitor's answer goes on. */
  failed: (why: unknown) => void;
}

/** Turns an error into an envelope on disk, and gives out the digest that leads to it. */
export function createErrorRecorder({
  folder,
  now,
  failed,
}: RecorderOptions): (error: unknown, place: ErrorPlace) => Receipt {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return (error, place) => {
    const eventId = newEventId();
    const event = describe(error, place, eventId, now());
    const bytes = writeEnvelope({ eventId }, [jsonItem("event", event)]);
    const durable = keep(path.join(folder, `${eventId}.envelope`), bytes).catch(failed);
    return { kind: "recorded", eventId, digest: digestOf(eventId), durable };
  };
}

async function keep(file: string, bytes: Uint8Array): Promise<void> {
  const handle = await open(file, "wx", 0o600);
  try {
    await handle.writeFile(bytes);
    await handle.datasync();
  } finally {
    await handle.close();
  }
}

function describe(error: unknown, place: ErrorPlace, eventId: string, now: number): Record<string, unknown> {
  const { type, value, stack } = readThrown(error);
  return {
    event_id: eventId,
    timestamp: now / 1000,
    platform: "javascript",
    level: "error",
    transaction: place.route,
    exception: { values: [{ type, value, mechanism: { type: place.during, handled: true } }] },
    request: place.url === undefined ? undefined : { url: place.url },
    tags: { side: place.side, during: place.during, variant: place.variant },
    contexts: {
      holdfast: {
        route: place.route,
        params: place.params,
        boundary: place.boundary,
        visitor_saw: place.visitorSaw,
        component_stack: place.componentStack,
      },
    },
    extra: stack === undefined ? undefined : { stack },
  };
}

/** Anything can be thrown, also objects whose properties throw. */
function readThrown(error: unknown): { type: string; value: string; stack: string | undefined } {
  try {
    if (error instanceof Error)
      return {
        type: String(error.name),
        value: String(error.message),
        stack: typeof error.stack === "string" ? error.stack : undefined,
      };
    return {
      type: error === null ? "null" : typeof error,
      value: typeof error === "object" ? (JSON.stringify(error) ?? String(error)) : String(error),
      stack: undefined,
    };
  } catch {
    return { type: "unreadable", value: "What was thrown could not be read.", stack: undefined };
  }
}
