import { readFileSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { crc32 } from "node:zlib";
import type { Category } from "#protocol";

/** An envelope that waits for delivery. */
export interface QueuedEnvelope {
  readonly category: Category;
  readonly keptMs: number;
  readonly size: number;
}

export interface StoredEnvelope extends QueuedEnvelope {
  /** Released when memory is short and the envelope is on disk. */
  bytes: Uint8Array | undefined;
  /** Position on disk, once written. */
  position: { segment: QueueSegment; offset: number } | undefined;
  /** Resolves the promise of the caller that waits for the disk. */
  written: (() => void) | undefined;
  underWay: boolean;
}

/** An envelope whose bytes are in memory. */
export interface UnwrittenEnvelope extends StoredEnvelope {
  bytes: Uint8Array;
}

export interface QueueSegment {
  file: string;
  handle: FileHandle | undefined;
  size: number;
  /** Envelopes in it that still wait. The file is deleted with the last one. */
  waiting: number;
  /** Whether more envelopes may be appended. */
  growing: boolean;
}

/** Length, checksum, time, category, delivered flag; the envelope follows. */
export const headBytes: number = 4 + 4 + 8 + 1 + 1;
export const deliveredAt: number = headBytes - 1;

/** Stored on disk by index: only append. */
const categories: readonly Category[] = [
  "default",
  "error",
  "transaction",
  "span",
  "log_item",
  "trace_metric",
  "session",
  "attachment",
  "replay",
  "monitor",
  "feedback",
  "security",
  "internal",
];

/** Encodes envelopes as the content of a file, or a part of it. */
export function writeQueuedEnvelopes(queuedEnvelopes: readonly UnwrittenEnvelope[]): Buffer {
  const bytes = Buffer.allocUnsafe(queuedEnvelopes.reduce((sum, { size }) => sum + size, 0));
  let at = 0;
  for (const queued of queuedEnvelopes) at = writeQueuedEnvelope(bytes, at, queued);
  return bytes;
}

/** Writes the envelope into the buffer and returns where it ends. */
function writeQueuedEnvelope(into: Buffer, at: number, queued: UnwrittenEnvelope): number {
  const envelope = queued.bytes;
  into.writeUInt32LE(envelope.length, at);
  into.writeUInt32LE(crc32(envelope), at + 4);
  into.writeDoubleLE(queued.keptMs, at + 8);
  into.writeUInt8(Math.max(0, categories.indexOf(queued.category)), at + 16);
  into.writeUInt8(0, at + deliveredAt);
  into.set(envelope, at + headBytes);
  return at + queued.size;
}

/** Returns the undelivered envelopes of a file, for tools that read an outbox. */
export function envelopesIn(file: string): Uint8Array[] {
  const bytes = readFileSync(file);
  const segment: QueueSegment = { file, handle: undefined, size: 0, waiting: 0, growing: false };
  return Array.from(readQueuedEnvelopes(bytes, segment), ({ position, size }) => {
    const at = position?.offset ?? 0;
    return bytes.subarray(at + headBytes, at + size);
  });
}

/** Reads the waiting envelopes of a file. Ends at the first invalid entry: the process ended while writing it. */
export function* readQueuedEnvelopes(bytes: Buffer, segment: QueueSegment): Generator<StoredEnvelope> {
  let at = 0;
  while (at + headBytes <= bytes.length) {
    const size = headBytes + bytes.readUInt32LE(at);
    if (at + size > bytes.length) return;
    if (crc32(bytes.subarray(at + headBytes, at + size)) !== bytes.readUInt32LE(at + 4)) return;
    if (bytes.readUInt8(at + deliveredAt) === 0)
      yield {
        category: categories[bytes.readUInt8(at + 16)] ?? "default",
        keptMs: bytes.readDoubleLE(at + 8),
        size,
        bytes: undefined,
        position: { segment, offset: at },
        written: undefined,
        underWay: false,
      };
    at += size;
    segment.size = at;
  }
}
