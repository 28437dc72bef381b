import { readEventId } from "../ids.ts";
import { countOf, isObject, type JsonObject, nonEmptyText, present, timeOf } from "../loose-values.ts";

/** First line of an envelope. Every field is optional: `{}` is a complete header. */
export interface EnvelopeHeader {
  readonly eventId?: string;
  /** Time of sending by the client's clock: the time of arrival then shows how wrong that clock is. */
  readonly sentAtMs?: number;
  /** Present if the envelope comes through a tunnel. */
  readonly dsn?: string;
  readonly sdk?: { readonly name?: string; readonly version?: string };
  /**
   * Facts that the start of the trace decided for all of it: trace_id, sampled, release, environment and more.
   * Unchecked, since few callers need it.
   */
  readonly trace?: JsonObject;
}

/** The line before each payload. */
export interface ItemHeader {
  readonly type: string;
  /** Bytes of the payload; without it, the payload ends with its line. */
  readonly length?: number;
  readonly itemCount?: number;
  readonly contentType?: string;
  readonly filename?: string;
  readonly attachmentType?: string;
}

const textAtMost = 1_024;

export function readEnvelopeHeader(value: unknown): EnvelopeHeader | undefined {
  if (!isObject(value)) return undefined;
  const header: Writable<EnvelopeHeader> = {};
  const eventId = readEventId(value.event_id);
  if (eventId !== undefined) header.eventId = eventId;
  const sentAtMs = timeOf(value.sent_at);
  if (sentAtMs !== undefined) header.sentAtMs = sentAtMs;
  const dsn = nonEmptyText(value.dsn, textAtMost);
  if (dsn !== undefined) header.dsn = dsn;
  if (isObject(value.sdk)) header.sdk = readSdk(value.sdk);
  if (isObject(value.trace)) header.trace = value.trace;
  return header;
}

/**
 * Headers are filled field by field: they are read before every response, where removing fields afterwards is
 * measurably slower.
 */
type Writable<T> = { -readonly [K in keyof T]: T[K] };

function readSdk({ name, version }: JsonObject): NonNullable<EnvelopeHeader["sdk"]> {
  return present({ name: nonEmptyText(name, textAtMost), version: nonEmptyText(version, textAtMost) });
}

/**
 * Returns undefined if the line is no item header. An invalid length makes a header broken, it does not count as
 * missing.
 */
export function readItemHeader(value: unknown): ItemHeader | undefined {
  if (!isObject(value)) return undefined;
  const type = nonEmptyText(value.type, textAtMost);
  if (type === undefined || !hasUsableLength(value)) return undefined;
  const header: Writable<ItemHeader> = { type };
  if (typeof value.length === "number") header.length = value.length;
  const itemCount = countOf(value.item_count);
  if (itemCount !== undefined) header.itemCount = itemCount;
  const contentType = nonEmptyText(value.content_type, textAtMost);
  if (contentType !== undefined) header.contentType = contentType;
  const filename = nonEmptyText(value.filename, textAtMost);
  if (filename !== undefined) header.filename = filename;
  const attachmentType = nonEmptyText(value.attachment_type, textAtMost);
  if (attachmentType !== undefined) header.attachmentType = attachmentType;
  return header;
}

function hasUsableLength(header: JsonObject): boolean {
  const { length } = header;
  return (
    length === undefined ||
    length === null ||
    (typeof length === "number" && Number.isSafeInteger(length) && length >= 0)
  );
}
