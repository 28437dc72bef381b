import type { EnvelopeHeader, ItemHeader } from "./headers.ts";

export interface EnvelopeItem {
  /** `length` is computed from the payload; a given one is ignored. */
  readonly header: ItemHeader;
  readonly payload: Uint8Array;
}

const encoder = new TextEncoder();

/** Creates an item with a JSON payload. */
export function jsonItem(type: string, value: unknown, header: Omit<ItemHeader, "type" | "length"> = {}): EnvelopeItem {
  return { header: { ...header, type }, payload: encoder.encode(JSON.stringify(value)) };
}

/** Encodes an envelope. Every item gets its length, so that any payload may contain line ends. */
export function writeEnvelope(header: EnvelopeHeader, items: readonly EnvelopeItem[]): Uint8Array {
  const pieces: Uint8Array[] = [encoder.encode(`${JSON.stringify(wireHeader(header))}\n`)];
  for (const item of items) {
    pieces.push(encoder.encode(`${JSON.stringify(wireItemHeader(item))}\n`), item.payload, lineEnd);
  }
  return joined(pieces);
}

const lineEnd = Uint8Array.of(0x0a);

/**
 * Encodes an envelope with one item that is already JSON, in one step: for envelopes of every request. JSON has no line
 * ends, so the line end delimits it.
 */
export function writeJsonEnvelope(header: EnvelopeHeader, type: string, json: string): Uint8Array {
  return encoder.encode(`${JSON.stringify(wireHeader(header))}\n{"type":"${type}"}\n${json}\n`);
}

function wireHeader(header: EnvelopeHeader): object {
  return {
    event_id: header.eventId,
    sent_at: header.sentAtMs === undefined ? undefined : new Date(header.sentAtMs).toISOString(),
    dsn: header.dsn,
    sdk: header.sdk,
    trace: header.trace,
  };
}

function wireItemHeader({ header, payload }: EnvelopeItem): object {
  return {
    type: header.type,
    length: payload.length,
    item_count: header.itemCount,
    content_type: header.contentType,
    filename: header.filename,
    attachment_type: header.attachmentType,
  };
}

export function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [first] = pieces;
  if (first !== undefined && pieces.length === 1) return first;
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
