import { inflateSync } from "node:zlib";
import { type Envelope, isObject, jsonExcess, newEventId, type Reading, readEventId, readLeniently } from "#protocol";
import type { AcceptLimits } from "./limits.ts";

/**
 * Converts the body of the old store endpoint, one event or transaction as JSON, to an envelope. Raven clients compress
 * it with zlib and encode it in base64.
 */
export function fromStoreBody(body: Buffer, limits: AcceptLimits): Reading<Envelope> {
  const json = unpacked(body, limits);
  if (json === undefined) return { kind: "unreadable", why: "The body is neither JSON nor packed JSON." };
  const { jsonDepth, containerKeys } = limits.protocol;
  const excess = jsonExcess(json, { jsonDepth, jsonKeys: containerKeys });
  if (excess !== undefined) return { kind: "unreadable", why: excess };
  const { value, flaw } = readLeniently(decoder.decode(json), jsonDepth);
  if (!isObject(value)) return { kind: "unreadable", why: "An event must be a JSON object." };
  const type = value.type === "transaction" ? "transaction" : "event";
  // A malformed error report is still useful; half a trace is not.
  if (flaw !== undefined && type === "transaction") return { kind: "unreadable", why: flaw };
  return {
    kind: "read",
    value: {
      header: { eventId: readEventId(value.event_id) ?? newEventId() },
      // Unchanged: filing notes the flaws of the text in the event.
      items: [{ header: { type }, payload: json }],
      skipped: [],
    },
  };
}

const decoder = new TextDecoder();
const openBrace = 0x7b;
/** First byte of zlib data with the default window. */
const zlibMark = 0x78;

function unpacked(body: Buffer, limits: AcceptLimits): Buffer | undefined {
  const first = body.find((byte) => byte > 0x20);
  if (first === openBrace) return body;
  const packed = first === zlibMark && body[0] === zlibMark ? body : Buffer.from(body.toString("latin1"), "base64");
  if (packed[0] === openBrace) return packed;
  try {
    return inflateSync(packed, { maxOutputLength: limits.protocol.eventBytes });
  } catch {
    // Not zlib data, or larger than an event may be.
    return undefined;
  }
}
