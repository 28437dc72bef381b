/** Ids are random bits in lower-case hexadecimal without dashes, however they arrive. */

/** An event id: 32 hexadecimal characters, with or without dashes and in any case. All zeros name nothing. */
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
  // A UUID in its usual form is 36 characters long; nothing longer is looked at.
  if (typeof value !== "string" || value.length > 40) return undefined;
  const plain = value.length === length ? value : value.replaceAll("-", "");
  if (plain.length !== length || !/^[0-9a-f]+$/i.test(plain) || /^0+$/.test(plain)) return undefined;
  return plain.toLowerCase();
}
