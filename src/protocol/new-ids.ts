/**
 * New ids and their digest. A file without imports and with its own entry point, `#protocol/new-ids`: a page needs no
 * other code of the protocol before hydration.
 */

export function newEventId(): string {
  return randomHex(16);
}

/** Trace ids have the same form. */
export { newEventId as newTraceId };

export function newSpanId(): string {
  return randomHex(8);
}

/** Returns the digest of an id that needs no check; see `digestOf`. Five hexadecimal characters are a group of four. */
export function digestOfHex(id: string): string {
  return [0, 5, 10].map((at) => groupOf(Number.parseInt(id.slice(at, at + 5), 16))).join("-");
}

function groupOf(bits: number): string {
  return [15, 10, 5, 0].map((shift) => alphabet[(bits >> shift) & 31]).join("");
}

/** Crockford's alphabet: no I, L, O and U, so that a code can be read aloud or copied by hand. */
export const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

function randomHex(byteCount: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(byteCount));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
