import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";

/**
 * Compression of bodies on disk. Every frame has zstd's checksum of its content, so that a flipped bit, in the body or
 * in its dictionary, is detected when it is read.
 */
const alone = paramsOfLevel(3);

// One event with its dictionary takes 42 µs at level 1 and 52 µs at level 3, which saves 7 of 432 bytes. For the plain
// blocks of spans and logs, level 3 saves a fifth.
// Against a similar body, only long matches are worth their place: with at least seven bytes, a body takes a fiftieth
// less room than with the level's own minimum, and no more time.
const againstAnother = { ...paramsOfLevel(1), [constants.ZSTD_c_minMatch]: 7 };

function paramsOfLevel(level: number): Readonly<Record<number, number>> {
  return { [constants.ZSTD_c_compressionLevel]: level, [constants.ZSTD_c_checksumFlag]: 1 };
}

/** Size of the output buffer. The default of 16 KiB each time would be freed only by garbage collection. */
function roomFor(content: Uint8Array): number {
  return Math.max(2_048, content.length >> 3);
}

/** With a similar body as its dictionary, an event of 7 kB takes a tenth of its size. */
export function pack(content: Uint8Array, dictionary?: Uint8Array): Uint8Array {
  // A declared size keeps the tables of zstd small, which saves 3 to 5 µs.
  const pledgedSrcSize = content.length;
  const chunkSize = roomFor(content);
  return dictionary === undefined
    ? zstdCompressSync(content, { params: alone, chunkSize, pledgedSrcSize })
    : zstdCompressSync(content, { params: againstAnother, chunkSize, dictionary, pledgedSrcSize });
}

/** Returns `undefined` if the bytes have changed. */
export function unpack(packed: Uint8Array, dictionary?: Uint8Array): Buffer | undefined {
  try {
    return zstdDecompressSync(packed, dictionary ? { dictionary } : {});
  } catch {
    // Every error of zstd means damaged bytes.
    return undefined;
  }
}

/** So many bytes of the beginning are enough to read the size. */
export const packedSizeBytes = 18;

const frameMagic = 0xfd2fb528;
// Bytes of the size in the header of a frame, by its flag. Without the window, the smallest one has one byte.
const sizeBytes = [0, 2, 4, 8] as const;

/** Reads the size of the content from the beginning of a frame of zstd (RFC 8878, 3.1.1.1), without unpacking it. */
export function packedSize(beginning: Uint8Array): number | undefined {
  const bytes = Buffer.from(beginning.buffer, beginning.byteOffset, beginning.length);
  if (bytes.length < 6 || bytes.readUInt32LE(0) !== frameMagic) return undefined;
  const descriptor = bytes.readUInt8(4);
  const hasWindow = (descriptor & 0x20) === 0;
  const length = sizeBytes[descriptor >> 6] || (hasWindow ? 0 : 1);
  const from = 5 + (hasWindow ? 1 : 0) + ([0, 1, 2, 4][descriptor & 3] ?? 0);
  if (length === 0 || bytes.length < from + length) return undefined;
  if (length === 8) return Number(bytes.readBigUInt64LE(from));
  return bytes.readUIntLE(from, length) + (length === 2 ? 256 : 0);
}
