import { crc32 } from "node:zlib";
import { type Envelope, type ProtocolLimits, protocolLimits, readEnvelope } from "#protocol";

/** What was accepted and promised to be kept: one envelope, with what only the moment of its arrival knows. */
export interface AcceptedEnvelope {
  readonly project: number;
  readonly receivedMs: number;
  /** A whole envelope on the wire; one with an event, transaction or feedback always has the event id in its header. */
  readonly bytes: Uint8Array;
}

export interface JournalRecord extends AcceptedEnvelope {
  /** Where the record begins, counted in bytes since the first record ever; grows for ever and is never used twice. */
  readonly position: number;
  /** Where the following record begins. */
  readonly next: number;
}

/** The record's envelope, taken apart. Nothing is refused here that was accepted before. */
export function envelopeOf(record: AcceptedEnvelope): Envelope {
  const reading = readEnvelope(record.bytes, acceptedLimits);
  if (reading.kind === "read") return reading.envelope;
  throw new Error(`A journal record of project ${record.project} holds no envelope: ${reading.why}`);
}

const acceptedLimits: ProtocolLimits = {
  ...protocolLimits,
  keptBytes: Number.MAX_SAFE_INTEGER,
  itemsPerEnvelope: Number.MAX_SAFE_INTEGER,
};

/** Length, checksum, then what the checksum covers: version, project, time of arrival. */
export const recordHeadBytes = 4 + 4 + 1 + 4 + 8;
const recordVersion = 1;

/** The head that stands before the envelope's bytes in a segment. */
export function writeRecordHead(envelope: AcceptedEnvelope): Buffer {
  const head = Buffer.allocUnsafe(recordHeadBytes);
  head.writeUInt32LE(envelope.bytes.length, 0);
  head.writeUInt8(recordVersion, 8);
  head.writeUInt32LE(envelope.project, 9);
  head.writeDoubleLE(envelope.receivedMs, 13);
  head.writeUInt32LE(checksum(head, envelope.bytes), 4);
  return head;
}

/** Reads the record at an offset; nothing when the bytes there are no whole, undamaged record. */
export function readRecord(bytes: Buffer, offset: number, position: number): JournalRecord | undefined {
  if (offset + recordHeadBytes > bytes.length) return undefined;
  const head = bytes.subarray(offset, offset + recordHeadBytes);
  const end = offset + recordHeadBytes + head.readUInt32LE(0);
  if (end > bytes.length || head.readUInt8(8) !== recordVersion) return undefined;
  const envelope = bytes.subarray(offset + recordHeadBytes, end);
  if (checksum(head, envelope) !== head.readUInt32LE(4)) return undefined;
  return {
    project: head.readUInt32LE(9),
    receivedMs: head.readDoubleLE(13),
    bytes: envelope,
    position,
    next: position + (end - offset),
  };
}

/** The length is covered too: a flipped bit in it must not make two records of one. */
function checksum(head: Buffer, envelope: Uint8Array): number {
  return crc32(envelope, crc32(head.subarray(8), crc32(head.subarray(0, 4))));
}
