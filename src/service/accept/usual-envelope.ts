import { type ItemType, isItemType, itemKinds, type ProtocolLimits } from "#protocol";
import { harmlessBytes } from "./choose-items.ts";

/** One item of moderate size, with the event's id in the first line. */
export interface UsualEnvelope {
  readonly eventId: string;
  readonly type: ItemType;
  /** Text from the header, not validated. */
  readonly dsn: string | undefined;
}

const lineEnd = 0x0a;

/**
 * Matches both header lines in the form that clients write: the id first, then strings and objects of strings; in the
 * item header only type and length. This much JSON can be validated without parsing, which would cost more than the
 * rest of accepting an envelope. In JSON the last duplicate key wins, so a second id must not match.
 */
const headers = ((): RegExp => {
  // All Latin-1 characters that a JSON string may contain unescaped.
  const text = /"[ !#-[\]-\xff]*"/.source;
  const texts = `\\{(?:${text}:${text}(?:,${text}:${text})*)?\\}`;
  const dsn = /"dsn":"([ !#-[\]-~]+)"/.source;
  const other = `(?!"event_id"|"dsn")${text}:(?:${text}|${texts})`;
  const envelope = `\\{"event_id":"((?!0{32})[0-9a-f]{32})"(?:,${other})*(?:,${dsn}(?:,${other})*)?\\}`;
  const item = /\{"type":"([a-z_]+)"(?:,"length":([1-9]\d{0,14}))?\}/.source;
  return new RegExp(`^${envelope}\n${item}$`);
})();

/** Longest item header that has only type and length. */
const itemHeaderBytes = 80;

const itemTypes: ReadonlyMap<unknown, ItemType> = new Map(
  Object.keys(itemKinds)
    .filter(isItemType)
    .map((type) => [type, type]),
);

/**
 * Reads the parts of an envelope that accepting needs, if it has the usual form, which nearly every one has. The
 * general reader would read the same from it. Anything else returns undefined and is left to that reader.
 */
export function readUsualEnvelope(bytes: Buffer, limits: ProtocolLimits): UsualEnvelope | undefined {
  const headerEnd = bytes.indexOf(lineEnd);
  if (headerEnd <= 0 || headerEnd > limits.headerLineBytes) return undefined;
  const itemEnd = bytes.indexOf(lineEnd, headerEnd + 1);
  if (itemEnd < 0 || itemEnd - headerEnd > itemHeaderBytes) return undefined;
  // Latin-1 decodes faster than UTF-8, and the text content is irrelevant here.
  const found = headers.exec(bytes.toString("latin1", 0, itemEnd));
  const eventId = found?.[1];
  const type = itemTypes.get(found?.[3]);
  if (eventId === undefined || type === undefined) return undefined;
  const payloadBytes = payloadUpToTheEnd(bytes, itemEnd + 1, found?.[4]);
  if (payloadBytes === undefined || payloadBytes >= harmlessBytes) return undefined;
  if (payloadBytes > limits[itemKinds[type].maxBytes] || payloadBytes > limits.keptBytes) return undefined;
  return { eventId, type, dsn: found?.[2] };
}

/** Size of the payload, if nothing but a line end follows it. */
function payloadUpToTheEnd(bytes: Buffer, from: number, length: string | undefined): number | undefined {
  const rest = bytes.length - from;
  if (length === undefined) {
    const end = bytes.indexOf(lineEnd, from);
    return end < 0 ? rest : end === bytes.length - 1 ? rest - 1 : undefined;
  }
  const declared = Number(length);
  const isEndedByLine = bytes[bytes.length - 1] === lineEnd;
  return declared === rest || (declared === rest - 1 && isEndedByLine) ? declared : undefined;
}
