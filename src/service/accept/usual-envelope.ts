import { type ItemType, isItemType, itemKinds, type ProtocolLimits } from "#protocol";
import { harmlessBytes } from "./choose-items.ts";

/** One item of no great size, the event's id in the first line, and nothing else. */
export interface UsualEnvelope {
  readonly eventId: string;
  readonly type: ItemType;
}

const lineEnd = 0x0a;

/**
 * The first line as clients write it: the id in front, then texts and objects of texts. That much JSON can be seen to be right without being parsed, which
 * would cost more than all else that is done with an envelope here. A second id would be the one that counts, so there must be none.
 */
const envelopeHeader = ((): RegExp => {
  // Everything of Latin-1 that may stand in a text as it is.
  const text = /"[ !#-[\]-\xff]*"/.source;
  const texts = `\\{(?:${text}:${text}(?:,${text}:${text})*)?\\}`;
  return new RegExp(`^\\{"event_id":"((?!0{32})[0-9a-f]{32})"(?:,(?!"event_id")${text}:(?:${text}|${texts}))*\\}$`);
})();

/** Most clients write nothing but type and length. */
const itemHeader = /^\{"type":"([a-z_]+)"(?:,"length":([1-9]\d{0,14}))?\}$/;
const longestItemHeader = 80;
const itemTypes: ReadonlyMap<unknown, ItemType> = new Map(
  Object.keys(itemKinds)
    .filter(isItemType)
    .map((type) => [type, type]),
);

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
  const item = itemHeader.exec(bytes.toString("latin1", itemAt, itemEnd));
  const type = itemTypes.get(item?.[1]);
  if (type === undefined) return undefined;
  const payloadBytes = payloadUpToTheEnd(bytes, itemEnd + 1, item?.[2]);
  if (payloadBytes === undefined || payloadBytes >= harmlessBytes) return undefined;
  if (payloadBytes > limits[itemKinds[type].maxBytes] || payloadBytes > limits.keptBytes) return undefined;
  // Latin-1 costs less than UTF-8, and which letters the texts are made of is of no account.
  const eventId = envelopeHeader.exec(bytes.toString("latin1", 0, headerEnd))?.[1];
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
