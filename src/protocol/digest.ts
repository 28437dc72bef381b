import { readEventId } from "./ids.ts";
import { alphabet, digestOfHex } from "./new-ids.ts";

/**
 * Returns the code that a visitor sees for one occurrence of an error, for example `7K2M-9QXD-4TBA`: the first 60 bits
 * of the event id in three groups of four characters.
 */
export function digestOf(eventId: string): string {
  const id = readEventId(eventId);
  if (id === undefined)
    throw new RangeError(`A digest is made from an event id of 32 hexadecimal characters, got "${eventId}".`);
  return digestOfHex(id);
}

/** Returns a substitute id for an event of which only the digest is known. */
export function idOfDigest(start: string): string {
  return start.slice(0, digestHexDigits).padEnd(32, "0");
}

const digestHexDigits = 15;

/** Returns the first 15 hexadecimal characters of a digest's event id, or undefined if the text is no digest. */
export function readDigest(text: string): string | undefined {
  // No spelling of twelve characters with separators is longer.
  if (text.length > 64) return undefined;
  const plain = text
    .toUpperCase()
    .replace(/[\s\-–—_.]/g, "")
    .replaceAll("O", "0")
    .replace(/[IL]/g, "1");
  if (plain.length !== 12) return undefined;
  let bits = 0n;
  for (const character of plain) {
    const value = alphabet.indexOf(character);
    if (value < 0) return undefined;
    bits = (bits << 5n) | BigInt(value);
  }
  return bits.toString(16).padStart(digestHexDigits, "0");
}
