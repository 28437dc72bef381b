import type { StoredJson } from "../filed.ts";

/**
 * Bodies compressed together. With more, opening one event would decompress too many others, and a flipped bit would
 * damage them.
 */
export const bodiesPerBlock = 8;

/** An event of unusual size is nearly alone in its block. */
export const bytesPerBlock = 131_072;

/** Encodes the place of a body in one number: its block, and its slot in the block. */
export function bodyIndexOf(block: number, slot: number): number {
  return block * bodiesPerBlock + slot;
}

export function blockOf(bodyIndex: number): { block: number; slot: number } {
  return { block: Math.floor(bodyIndex / bodiesPerBlock), slot: bodyIndex % bodiesPerBlock };
}

/**
 * Format: the number of bodies; for each its length, and in the lowest bit whether it is as the client sent it; then
 * the bodies.
 */
export function writeBlock(bodies: readonly StoredJson[]): Buffer {
  const head = Buffer.allocUnsafe(1 + 4 * bodies.length);
  head.writeUInt8(bodies.length, 0);
  for (const [slot, { form, bytes }] of bodies.entries())
    head.writeUInt32LE(bytes.length * 2 + Number(form === "reported"), 1 + 4 * slot);
  return Buffer.concat([head, ...bodies.map(({ bytes }) => bytes)]);
}

export function bodyInBlock(block: Buffer, slot: number): StoredJson | undefined {
  const count = block[0] ?? 0;
  if (slot >= count) return undefined;
  let from = 1 + 4 * count;
  for (let before = 0; before < slot; before += 1) from += block.readUInt32LE(1 + 4 * before) >>> 1;
  const head = block.readUInt32LE(1 + 4 * slot);
  return { form: head % 2 === 1 ? "reported" : "filed", bytes: block.subarray(from, from + (head >>> 1)) };
}

/** Returns the end of the block that begins at `from`. */
export function endOfBlock(bodies: readonly { body: StoredJson }[], from: number): number {
  let bytes = 0;
  for (let at = from; at < Math.min(bodies.length, from + bodiesPerBlock); at += 1) {
    bytes += bodies[at]?.body.bytes.length ?? 0;
    if (at > from && bytes > bytesPerBlock) return at;
  }
  return Math.min(bodies.length, from + bodiesPerBlock);
}
