import { type ProtocolLimits, protocolLimits } from "../limits.ts";
import { type EnvelopeHeader, type ItemHeader, readEnvelopeHeader, readItemHeader } from "./headers.ts";
import { isItemType, itemKinds } from "./item-types.ts";
import { type EnvelopeItem, joined } from "./write-envelope.ts";

/** Why an item of a readable envelope was left out. */
export type SkipReason = "unknown-type" | "too-large" | "not-kept";

export interface SkippedItem {
  readonly type: string;
  readonly reason: SkipReason;
}

export interface Envelope {
  readonly header: EnvelopeHeader;
  readonly items: readonly EnvelopeItem[];
  readonly skipped: readonly SkippedItem[];
}

export type EnvelopeReading =
  | { kind: "read"; envelope: Envelope }
  | { kind: "malformed"; why: string }
  | { kind: "too-large"; why: string };

/** Selects the items to hold in memory. Others are skipped byte by byte and never collected. */
export type KeepItem = (type: string) => boolean;

type ReaderState =
  | { at: "envelope-header" }
  | { at: "item-header" }
  | PayloadState
  | { at: "after-payload" }
  | { at: "failed"; reading: EnvelopeReading };

interface PayloadState {
  readonly at: "payload";
  readonly header: ItemHeader;
  /** Remaining bytes, or `line` for all until the end of the line. */
  left: number | "line";
  skip: SkipReason | undefined;
  readonly maxBytes: number;
}

const lineEnd = 0x0a;
const nothing = new Uint8Array(0);
const decoder = new TextDecoder();

/**
 * Reads an envelope from chunks of any size as they arrive. Memory grows with the bytes that arrived, never with a
 * length that a header claims.
 */
export class EnvelopeReader {
  readonly #limits: ProtocolLimits;
  readonly #keep: KeepItem;
  #state: ReaderState = { at: "envelope-header" };
  /** Pieces of the current line or payload. */
  #pieces: Uint8Array[] = [];
  #pieceBytes = 0;
  #keptBytes = 0;
  #skippedBytes = 0;
  #itemCount = 0;
  #header: EnvelopeHeader = {};
  readonly #items: EnvelopeItem[] = [];
  readonly #skipped: SkippedItem[] = [];

  constructor(limits: ProtocolLimits = protocolLimits, keep: KeepItem = isItemType) {
    this.#limits = limits;
    this.#keep = keep;
  }

  /** The error in the bytes so far; the rest need not be read then. */
  get failure(): EnvelopeReading | undefined {
    return this.#state.at === "failed" ? this.#state.reading : undefined;
  }

  push(chunk: Uint8Array): void {
    let from = 0;
    while (from < chunk.length && this.#state.at !== "failed") from = this.#step(chunk, from);
  }

  end(): EnvelopeReading {
    const state = this.#state;
    if (state.at === "envelope-header" || state.at === "item-header") {
      if (this.#pieceBytes > 0 || state.at === "envelope-header") this.#line(nothing, 0, 0);
    }
    if (this.#state.at === "payload") this.#endInPayload(this.#state);
    return (
      this.failure ?? { kind: "read", envelope: { header: this.#header, items: this.#items, skipped: this.#skipped } }
    );
  }

  /** Consumes the bytes of the current place and returns where the next begins. */
  #step(chunk: Uint8Array, from: number): number {
    const state = this.#state;
    switch (state.at) {
      case "envelope-header":
      case "item-header":
        return this.#readLine(chunk, from);
      case "payload":
        return state.left === "line"
          ? this.#readPayloadLine(chunk, from, state)
          : this.#readPayloadBytes(chunk, from, state, state.left);
      case "after-payload":
        if (chunk[from] !== lineEnd)
          return this.#fail("malformed", "A payload is longer than the length its header gives.", chunk.length);
        this.#state = { at: "item-header" };
        return from + 1;
      case "failed":
        return chunk.length;
    }
  }

  #readLine(chunk: Uint8Array, from: number): number {
    const end = chunk.indexOf(lineEnd, from);
    const until = end < 0 ? chunk.length : end;
    if (this.#pieceBytes + until - from > this.#limits.headerLineBytes) {
      return this.#fail(
        "too-large",
        `A header line is longer than ${this.#limits.headerLineBytes} bytes.`,
        chunk.length,
      );
    }
    if (end < 0) {
      this.#collect(chunk.subarray(from));
      return chunk.length;
    }
    this.#line(chunk, from, end);
    return end + 1;
  }

  #line(chunk: Uint8Array, from: number, end: number): void {
    const line = this.#taken(chunk.subarray(from, end));
    if (this.#state.at === "envelope-header") {
      const header = readEnvelopeHeader(parsedLine(line));
      if (header === undefined) this.#fail("malformed", "The first line of an envelope must be a JSON object.", 0);
      else {
        this.#header = header;
        this.#state = { at: "item-header" };
      }
      return;
    }
    // Some clients end an envelope with several line ends.
    if (line.length === 0 || (line.length === 1 && line[0] === 0x0d)) return;
    this.#beginItem(shortItemHeader(line) ?? readItemHeader(parsedLine(line)));
  }

  #beginItem(header: ItemHeader | undefined): void {
    this.#itemCount += 1;
    if (header === undefined) {
      this.#fail(
        "malformed",
        `The header of item ${this.#itemCount} must be a JSON object with a type and, if any, a length from 0 up.`,
        0,
      );
      return;
    }
    if (this.#itemCount > this.#limits.itemsPerEnvelope) {
      this.#fail("too-large", `An envelope may have ${this.#limits.itemsPerEnvelope} items.`, 0);
      return;
    }
    const { type, length } = header;
    const maxBytes = isItemType(type) ? this.#limits[itemKinds[type].maxBytes] : 0;
    const skip = this.#skipReason(type, length ?? 0, maxBytes);
    const state: PayloadState = { at: "payload", header, left: length ?? "line", skip, maxBytes };
    this.#state = state;
    if (length === 0) this.#finishItem(state, nothing, "after-payload");
  }

  #skipReason(type: string, declaredBytes: number, maxBytes: number): SkipReason | undefined {
    if (!isItemType(type)) return "unknown-type";
    if (!this.#keep(type)) return "not-kept";
    return declaredBytes > maxBytes ? "too-large" : undefined;
  }

  #readPayloadLine(chunk: Uint8Array, from: number, state: PayloadState): number {
    const end = chunk.indexOf(lineEnd, from);
    const until = end < 0 ? chunk.length : end;
    this.#takePayload(chunk.subarray(from, until), state, end >= 0 ? "item-header" : undefined);
    return end < 0 ? chunk.length : end + 1;
  }

  #readPayloadBytes(chunk: Uint8Array, from: number, state: PayloadState, left: number): number {
    const taken = Math.min(left, chunk.length - from);
    state.left = left - taken;
    this.#takePayload(chunk.subarray(from, from + taken), state, state.left === 0 ? "after-payload" : undefined);
    return from + taken;
  }

  #takePayload(piece: Uint8Array, state: PayloadState, next: "item-header" | "after-payload" | undefined): void {
    if (state.skip === undefined && this.#pieceBytes + piece.length > state.maxBytes) {
      state.skip = "too-large";
      this.#forget();
    }
    if (state.skip === undefined) this.#keptBytes += piece.length;
    else this.#skippedBytes += piece.length;
    if (this.#keptBytes > this.#limits.keptBytes || this.#skippedBytes > this.#limits.skippedBytes) {
      this.#fail(
        "too-large",
        `An envelope may have ${this.#limits.keptBytes} bytes that are kept and ${this.#limits.skippedBytes} that are not.`,
        0,
      );
      return;
    }
    if (next !== undefined) this.#finishItem(state, piece, next);
    else if (state.skip === undefined) this.#collect(piece);
  }

  #finishItem(state: PayloadState, last: Uint8Array, next: "item-header" | "after-payload"): void {
    if (state.skip === undefined) this.#items.push({ header: state.header, payload: this.#taken(last) });
    else this.#skipped.push({ type: state.header.type, reason: state.skip });
    this.#state = { at: next };
  }

  #endInPayload(state: PayloadState): void {
    if (state.left === "line") this.#finishItem(state, nothing, "item-header");
    else
      this.#fail(
        "malformed",
        `The header of item ${this.#itemCount} gives a length that goes beyond the end of the envelope.`,
        0,
      );
  }

  /** Pieces are views: the caller must not change a chunk until the envelope is read. */
  #collect(piece: Uint8Array): void {
    if (piece.length === 0) return;
    this.#pieces.push(piece);
    this.#pieceBytes += piece.length;
  }

  #taken(last: Uint8Array): Uint8Array {
    if (this.#pieces.length === 0) return last;
    if (last.length > 0) this.#pieces.push(last);
    const whole = joined(this.#pieces);
    this.#forget();
    return whole;
  }

  #forget(): void {
    this.#pieces = [];
    this.#pieceBytes = 0;
  }

  #fail(kind: "malformed" | "too-large", why: string, next: number): number {
    this.#state = { at: "failed", reading: { kind, why } };
    this.#forget();
    return next;
  }
}

/** Reads a complete envelope. The payloads are views into the given bytes. */
export function readEnvelope(
  bytes: Uint8Array,
  limits: ProtocolLimits = protocolLimits,
  keep: KeepItem = isItemType,
): EnvelopeReading {
  const only = readOnlyItem(bytes, limits, keep);
  if (only !== undefined) return only;
  const reader = new EnvelopeReader(limits, keep);
  reader.push(bytes);
  return reader.end();
}

/**
 * Reads an envelope that ends with its first item, as nearly every one does: half the time of the reader above, which
 * would read the same from it. Anything else returns undefined.
 */
function readOnlyItem(bytes: Uint8Array, limits: ProtocolLimits, keep: KeepItem): EnvelopeReading | undefined {
  const headerEnd = bytes.indexOf(lineEnd);
  if (headerEnd <= 0 || headerEnd > limits.headerLineBytes) return undefined;
  const itemEnd = bytes.indexOf(lineEnd, headerEnd + 1);
  const item = itemEnd < 0 ? undefined : shortItemHeader(bytes.subarray(headerEnd + 1, itemEnd));
  if (item === undefined || !isItemType(item.type) || !keep(item.type)) return undefined;
  const payload = payloadUpToTheEnd(bytes.subarray(itemEnd + 1), item.length);
  if (payload === undefined || payload.length > limits[itemKinds[item.type].maxBytes]) return undefined;
  if (payload.length > limits.keptBytes || limits.itemsPerEnvelope < 1) return undefined;
  const header = readEnvelopeHeader(parsedLine(bytes.subarray(0, headerEnd)));
  return header && { kind: "read", envelope: { header, items: [{ header: item, payload }], skipped: [] } };
}

/** Returns the payload, if nothing but a line end follows it. */
function payloadUpToTheEnd(rest: Uint8Array, length: number | undefined): Uint8Array | undefined {
  const end = length ?? rest.indexOf(lineEnd);
  if (end < 0 || end === rest.length) return rest;
  return end === rest.length - 1 && rest[end] === lineEnd ? rest.subarray(0, end) : undefined;
}

/** Most clients write only type and length, which an expression reads faster than a JSON parser. */
const typeAndLength = /^\{"type":"([a-z_]+)"(?:,"length":(0|[1-9]\d{0,14}))?\}$/;
const longestShortHeader = 80;

function shortItemHeader(line: Uint8Array): ItemHeader | undefined {
  const found = line.length > longestShortHeader ? null : typeAndLength.exec(decoder.decode(line));
  const type = found?.[1];
  if (found === null || type === undefined) return undefined;
  return found[2] === undefined ? { type } : { type, length: Number(found[2]) };
}

function parsedLine(line: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(line));
  } catch {
    // Not JSON: the reader of the header reports what was expected.
    return undefined;
  }
}
