import { createDecipheriv } from "node:crypto";
import { readSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { reclaimRead } from "./reclaim.ts";

/** One file of a form, among others in one file on disk. */
export interface SealedPart {
  /** Its number in the form: no two parts of a key have the same. */
  number: number;
  /** Position of its first byte. */
  at: number;
  size: number;
  /** Proves that no byte was changed, in base64. */
  tag: string;
}

/** A file on disk with sealed parts, and the key that opens them. */
export interface SealedSource {
  handle: FileHandle;
  key: Uint8Array;
}

/** From `start` to before `end`. */
export interface PartRange {
  start: number;
  end: number;
}

const pieceBytes = 65_536;
const blockBytes = 16;
/** AES-GCM encrypts its first block with this counter (NIST SP 800-38D, 7.1). */
const firstCounter = 2;

/** Whether a part is as it was written. */
export async function isIntact({ handle, key }: SealedSource, { number, at, size, tag }: SealedPart): Promise<boolean> {
  const decipher = createDecipheriv("aes-256-gcm", key, ivOf(number)).setAuthTag(Buffer.from(tag, "base64"));
  try {
    for await (const piece of readRange(handle, at, at + size)) decipher.update(piece);
    decipher.final();
    return true;
  } catch {
    return false;
  }
}

/** Decrypts some bytes of a part, without reading what is before them. */
export async function* openPart(
  { handle, key }: SealedSource,
  { number, at }: SealedPart,
  { start, end }: PartRange,
): AsyncGenerator<Buffer<ArrayBuffer>, void> {
  const decipher = decipherAt(key, number, start);
  for await (const piece of readRange(handle, at + start, at + end)) yield decipher.update(piece);
}

/** The same for code that cannot wait, all at once. */
export function openPartSync(
  { handle, key }: SealedSource,
  { number, at }: SealedPart,
  range: PartRange,
): Buffer<ArrayBuffer> {
  const sealed = Buffer.alloc(range.end - range.start);
  for (let read = 0; read < sealed.length; ) {
    const bytes = readSync(handle.fd, sealed, read, sealed.length - read, at + range.start + read);
    if (bytes === 0) throw new RangeError("The file ends too early.");
    read += bytes;
  }
  return decipherAt(key, number, range.start).update(sealed);
}

/** AES-GCM is AES in counter mode with a tag, so that any block can be decrypted alone. */
function decipherAt(key: Uint8Array, number: number, start: number) {
  const block = Math.floor(start / blockBytes);
  const counter = Buffer.alloc(blockBytes);
  ivOf(number).copy(counter);
  counter.writeUInt32BE(firstCounter + block, blockBytes - 4);
  const decipher = createDecipheriv("aes-256-ctr", key, counter);
  decipher.update(Buffer.alloc(start % blockBytes));
  return decipher;
}

/** Each piece is valid until the next one is asked for. */
async function* readRange(handle: FileHandle, start: number, end: number): AsyncGenerator<Buffer, void> {
  const buffer = Buffer.allocUnsafeSlow(Math.min(pieceBytes, end - start));
  for (let at = start; at < end; ) {
    const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, end - at), at);
    if (bytesRead === 0) throw new RangeError(`The file ends before byte ${end}.`);
    at += bytesRead;
    // Each piece is decrypted into a buffer of its own.
    reclaimRead(bytesRead);
    yield buffer.subarray(0, bytesRead);
  }
}

/** A key is used for one form only, so that the number of a file is unique. */
export function ivOf(number: number): Buffer {
  const iv = Buffer.alloc(12);
  iv.writeUInt32BE(number);
  return iv;
}
