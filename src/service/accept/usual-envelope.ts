import { type ItemType, isItemType, itemKinds, type ProtocolLimits } from "#protocol";
import { harmlessBytes } from "./choose-items.ts";

/** One item of no great size, the event's id in the first line, and nothing else. */
export interface UsualEnvelope {
  readonly eventId: string;
  readonly type: ItemType;
  /** As the header has it, unread. */
  readonly dsn: string | undefined;
}

const lineEnd = 0x0a;

/**
 * Both header lines as clients write them: the id in front, then texts and objects of texts; of the item nothing but
 * type and length. That much JSON can be seen to be right without being parsed, which would cost more than all else
 * that is done with an envelope here. A second id would be the one that counts, so there must be none.
 */
const headers = ((): RegExp => {
  // Everything of Latin-1 that may stand in a text as it is.
  const text = /"[ !#-[\]-\xff]*"/.source;
  const texts = `\\{(?:${text}:${text}(?:,${text}:${text})*)?\\}`;
  const dsn = /"dsn":"([ !#-[\]-~]+)"/.source;
  const other = `(?!"event_id"|"dsn")${text}:(?:${text}|${texts})`;
  const envelope = `\\{"event_id":"((?!0{32})[0-9a-f]{32})"(?:,${other})*(?:,${dsn}(?:,${other})*)?\\}`;
  const item = /\{"type":"([a-z_]+)"(?:,"length":([1-9]\d{0,14}))?\}/.source;
  return new RegExp(`^${envelope}\n${item}$`);
})();

/** Of an item whose header has nothing but type and length. */
const itemHeaderBytes = 80;

const itemTypes: ReadonlyMap<unknown, ItemType> = new Map(
  Object.keys(itemKinds)
    .filter(isItemType)
    .map((type) => [type, type]),
);

/**
 * Looks whether a whole envelope is of the usual form, which is nearly every one, and tells what accepting wants to
 * know of it. What it takes, the reader of all envelopes would read in the same way; what it does not take may be
 * anything, good or bad, and is for that reader to say.
 */
export function readUsualEnvelope(bytes: Buffer, limits: ProtocolLimits): UsualEnvelope | undefined {
  const headerEnd = bytes.indexOf(lineEnd);
  if (headerEnd <= 0 || headerEnd > limits.headerLineBytes) return undefined;
  const itemEnd = bytes.indexOf(lineEnd, headerEnd + 1);
  if (itemEnd < 0 || itemEnd - headerEnd > itemHeaderBytes) return undefined;
  // Latin-1 costs less than UTF-8, and which letters the texts are made of is of no account.
  const found = headers.exec(bytes.toString("latin1", 0, itemEnd));
  const eventId = found?.[1];
  const type = itemTypes.get(found?.[3]);
  if (eventId === undefined || type === undefined) return undefined;
  const payloadBytes = payloadUpToTheEnd(bytes, itemEnd + 1, found?.[4]);
  if (payloadBytes === undefined || payloadBytes >= harmlessBytes) return undefined;
  if (payloadBytes > limits[itemKinds[type].maxBytes] || payloadBytes > limits.keptBytes) return undefined;
  return { eventId, type, dsn: found?.[2] };
}

/** How many bytes the payload has, if it is the last thing in the envelope but for a line end. */
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
