import { readEventId } from "../ids.ts";
import { countOf, isObject, type JsonObject, nonEmptyText, present, timeOf } from "../loose-values.ts";

/** The first line of an envelope. Every field is optional: `{}` is a whole header. */
export interface EnvelopeHeader {
  readonly eventId?: string;
  /** When the client sent it, by the client's own clock: with the time of arrival it shows how wrong that clock is. */
  readonly sentAtMs?: number;
  /** Present when the envelope comes through a tunnel. */
  readonly dsn?: string;
  readonly sdk?: { readonly name?: string; readonly version?: string };
  /**
   * What the start of the trace decided for all of it: trace_id, sampled, release, environment and more. Unchecked,
   * since few need it.
   */
  readonly trace?: JsonObject;
}

/** The line before each payload. */
export interface ItemHeader {
  readonly type: string;
  /** How many bytes the payload has; without it, the payload ends with its line. */
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
 * Headers are filled field by field: they are read for every request before it is answered, where leaving out fields
 * afterwards can be measured.
 */
type Writable<T> = { -readonly [K in keyof T]: T[K] };

function readSdk({ name, version }: JsonObject): NonNullable<EnvelopeHeader["sdk"]> {
  return present({ name: nonEmptyText(name, textAtMost), version: nonEmptyText(version, textAtMost) });
}

/**
 * Nothing when the line is no item header. A length that is no whole number from 0 up is a broken header, not a missing
 * one.
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
