import { type ItemType, isItemType, isObject, itemKinds, type ProtocolLimits, readEventId } from "#protocol";
import { harmlessBytes } from "./choose-items.ts";

/** One item of no great size, the event's id in the first line, and nothing else. */
export interface UsualEnvelope {
  readonly eventId: string;
  readonly type: ItemType;
}

const lineEnd = 0x0a;

/** Most clients write nothing but type and length. */
const itemHeader = /^\{"type":"([a-z_]+)"(?:,"length":([1-9]\d{0,14}))?\}$/;
const longestItemHeader = 80;

/**
 * Looks whether a whole envelope is of the usual form, which is nearly every one, and tells what accepting wants to know of it. What it takes, the reader
 * of all envelopes would read in the same way; what it does not take may be anything, good or bad, and is for that reader to say.
 */
export function readUsualEnvelope(bytes: Buffer, limits: ProtocolLimits): UsualEnvelope | undefined {
  const headerEnd = bytes.indexOf(lineEnd);
  if (headerEnd <= 0 || headerEnd > limits.headerLineBytes) return undefined;
  const itemAt = headerEnd + 1;
  const itemEnd = bytes.indexOf(lineEnd, itemAt);
  if (itemEnd < 0 || itemEnd - itemAt > longestItemHeader) return undefined;
  const [, type = "", length] = itemHeader.exec(bytes.toString("latin1", itemAt, itemEnd)) ?? [];
  if (!isItemType(type)) return undefined;
  const payloadBytes = payloadUpToTheEnd(bytes, itemEnd + 1, length);
  if (payloadBytes === undefined || payloadBytes >= harmlessBytes) return undefined;
  if (payloadBytes > limits[itemKinds[type].maxBytes] || payloadBytes > limits.keptBytes) return undefined;
  const eventId = eventIdIn(bytes.toString("latin1", 0, headerEnd));
  return eventId === undefined ? undefined : { eventId, type };
}

/** How many bytes the payload has, if it is the last thing in the envelope but for a line end. */
function payloadUpToTheEnd(bytes: Buffer, from: number, length: string | undefined): number | undefined {
  const isEndedByLine = bytes[bytes.length - 1] === lineEnd;
  const rest = bytes.length - from;
  if (length === undefined) {
    const end = bytes.indexOf(lineEnd, from);
    return end < 0 ? rest : end === bytes.length - 1 ? rest - 1 : undefined;
  }
  const declared = Number(length);
  return declared === rest || (declared === rest - 1 && isEndedByLine) ? declared : undefined;
}

/** Read as Latin-1, which costs less: whatever the letters are, an id has none beyond ASCII, and whether it is JSON does not depend on them. */
function eventIdIn(line: string): string | undefined {
  try {
    const header: unknown = JSON.parse(line);
    return isObject(header) ? readEventId(header.event_id) : undefined;
  } catch {
    // No JSON, or marked as UTF-8 in front; the reader of all envelopes knows.
    return undefined;
  }
}
