/** Ids are random bits. All forms that arrive are normalized to lower-case hexadecimal without dashes. */

/** Reads an event id: 32 hexadecimal characters, with or without dashes, in any case. All zeros are no id. */
export function readEventId(value: unknown): string | undefined {
  return readHex(value, 32);
}

export function readTraceId(value: unknown): string | undefined {
  return readHex(value, 32);
}

export function readSpanId(value: unknown): string | undefined {
  return readHex(value, 16);
}

function readHex(value: unknown, length: number): string | undefined {
  // A UUID in its usual form has 36 characters; longer texts are refused.
  if (typeof value !== "string" || value.length > 40) return undefined;
  const plain = value.length === length ? value : value.replaceAll("-", "");
  if (plain.length !== length || !/^[0-9a-f]+$/i.test(plain) || /^0+$/.test(plain)) return undefined;
  return plain.toLowerCase();
}
