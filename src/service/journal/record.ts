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
  skippedBytes: Number.MAX_SAFE_INTEGER,
  itemsPerEnvelope: Number.MAX_SAFE_INTEGER,
};

/** Checksum, then what it covers: length, version, project, time of arrival, and the envelope. */
export const recordHeadBytes: number = 4 + 4 + 1 + 4 + 8;
const recordVersion = 1;

/** Writes the record into a buffer that has room for it, and returns where it ends. */
export function writeRecord(into: Buffer, at: number, envelope: AcceptedEnvelope): number {
  const { bytes } = envelope;
  coveredHead.writeUInt32LE(bytes.length, 0);
  coveredHead.writeUInt8(recordVersion, 4);
  coveredHead.writeUInt32LE(envelope.project, 5);
  coveredHead.writeDoubleLE(envelope.receivedMs, 9);
  into.writeUInt32LE(crc32(bytes, crc32(coveredHead)), at);
  into.set(coveredHead, at + 4);
  into.set(bytes, at + recordHeadBytes);
  return at + recordHeadBytes + bytes.length;
}

/**
 * Written here first, so that the checksum needs no view of the buffer; one is made for all records, since each is done
 * before the next begins.
 */
const coveredHead = Buffer.alloc(recordHeadBytes - 4);

/** `short`: the record may go on beyond the bytes at hand. `damaged`: no record begins here. */
export type RecordReading =
  | { kind: "record"; record: JournalRecord }
  | { kind: "short"; bytesNeeded: number }
  | { kind: "damaged" };

export function readJournalRecord(bytes: Buffer, at: number, position: number): RecordReading {
  if (at + recordHeadBytes > bytes.length) return { kind: "short", bytesNeeded: recordHeadBytes };
  const size = recordHeadBytes + bytes.readUInt32LE(at + 4);
  if (bytes.readUInt8(at + 8) !== recordVersion) return { kind: "damaged" };
  if (at + size > bytes.length) return { kind: "short", bytesNeeded: size };
  const end = at + size;
  if (crc32(bytes.subarray(at + 4, end)) !== bytes.readUInt32LE(at)) return { kind: "damaged" };
  return {
    kind: "record",
    record: {
      project: bytes.readUInt32LE(at + 9),
      receivedMs: bytes.readDoubleLE(at + 13),
      bytes: bytes.subarray(at + recordHeadBytes, end),
      position,
      next: position + size,
    },
  };
}
