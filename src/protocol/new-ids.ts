/**
 * Ids of our own making, and the digest of one. A file without imports and with a door of its own, `#protocol/new-ids`:
 * it is all that a page needs of the protocol before it is alive.
 */

export function newEventId(): string {
  return randomHex(16);
}

/** The two are made alike. */
export { newEventId as newTraceId };

export function newSpanId(): string {
  return randomHex(8);
}

/**
 * The digest of an id that need not be checked, as `digestOf` describes it. Five hexadecimal characters are a group of
 * four.
 */
export function digestOfHex(id: string): string {
  return [0, 5, 10].map((at) => groupOf(Number.parseInt(id.slice(at, at + 5), 16))).join("-");
}

function groupOf(bits: number): string {
  return [15, 10, 5, 0].map((shift) => alphabet[(bits >> shift) & 31]).join("");
}

/** Crockford's alphabet: no I, L, O and U, so that a code survives being read aloud or copied by hand. */
export const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

function randomHex(byteCount: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(byteCount));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
