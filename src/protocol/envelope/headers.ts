import { readEventId } from "../ids.ts";
import { countOf, isObject, type JsonObject, nonEmptyText, objectOf, present, timeOf } from "../loose-values.ts";

/** The first line of an envelope. Every field is optional: `{}` is a whole header. */
export interface EnvelopeHeader {
  readonly eventId?: string;
  /** When the client sent it, by the client's own clock: with the time of arrival it shows how wrong that clock is. */
  readonly sentAtMs?: number;
  /** Present when the envelope comes through a tunnel. */
  readonly dsn?: string;
  readonly sdk?: { readonly name?: string; readonly version?: string };
  /** What the start of the trace decided for all of it: trace_id, sampled, release, environment and more. Unchecked, since few need it. */
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
  const sdk = objectOf(value.sdk);
  return present({
    eventId: readEventId(value.event_id),
    sentAtMs: timeOf(value.sent_at),
    dsn: nonEmptyText(value.dsn, textAtMost),
    sdk: isObject(value.sdk)
      ? present({ name: nonEmptyText(sdk.name, textAtMost), version: nonEmptyText(sdk.version, textAtMost) })
      : undefined,
    trace: isObject(value.trace) ? value.trace : undefined,
  });
}

/** Nothing when the line is no item header. A length that is no whole number from 0 up is a broken header, not a missing one. */
export function readItemHeader(value: unknown): ItemHeader | undefined {
  if (!isObject(value)) return undefined;
  const type = nonEmptyText(value.type, textAtMost);
  if (type === undefined || !hasUsableLength(value)) return undefined;
  return present({
    type,
    length: typeof value.length === "number" ? value.length : undefined,
    itemCount: countOf(value.item_count),
    contentType: nonEmptyText(value.content_type, textAtMost),
    filename: nonEmptyText(value.filename, textAtMost),
    attachmentType: nonEmptyText(value.attachment_type, textAtMost),
  });
}

function hasUsableLength(header: JsonObject): boolean {
  const { length } = header;
  return (
    length === undefined ||
    length === null ||
    (typeof length === "number" && Number.isSafeInteger(length) && length >= 0)
  );
}
