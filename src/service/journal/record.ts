import { crc32 } from "node:zlib";
import { type Envelope, type ProtocolLimits, protocolLimits, readEnvelope } from "#protocol";

/** An accepted and acknowledged envelope, with the facts of its arrival. */
export interface AcceptedEnvelope {
  readonly project: number;
  readonly receivedMs: number;
  /**
   * A complete envelope in wire format. With an event, transaction or feedback, its header always contains the event
   * id.
   */
  readonly bytes: Uint8Array;
  /** Set for lines of an export in place of an envelope. No client can send them. */
  readonly isImport?: boolean;
}

export interface JournalRecord extends AcceptedEnvelope {
  /** Start of the record in bytes since the first record ever. Only grows, and is never reused. */
  readonly position: number;
  /** Start of the following record. */
  readonly next: number;
}

/** Parses the record's envelope. Refuses nothing that was accepted. */
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

/** A checksum, then the data it covers: length, version, project, time of arrival, and the envelope. */
export const recordHeadBytes: number = 4 + 4 + 1 + 4 + 8;
const envelopeVersion = 1;
const importVersion = 2;

/** Writes the record into a buffer with enough room, and returns its end. */
export function writeRecord(into: Buffer, at: number, envelope: AcceptedEnvelope): number {
  const { bytes } = envelope;
  coveredHead.writeUInt32LE(bytes.length, 0);
  coveredHead.writeUInt8(envelope.isImport ? importVersion : envelopeVersion, 4);
  coveredHead.writeUInt32LE(envelope.project, 5);
  coveredHead.writeDoubleLE(envelope.receivedMs, 9);
  into.writeUInt32LE(crc32(bytes, crc32(coveredHead)), at);
  into.set(coveredHead, at + 4);
  into.set(bytes, at + recordHeadBytes);
  return at + recordHeadBytes + bytes.length;
}

/**
 * Written separately, so that the checksum needs no view of the buffer. Shared by all records, since each is finished
 * before the next begins.
 */
const coveredHead = Buffer.alloc(recordHeadBytes - 4);

/** `short`: the record may extend beyond the available bytes. `damaged`: no record begins at this position. */
export type RecordReading =
  | { kind: "record"; record: JournalRecord }
  | { kind: "short"; bytesNeeded: number }
  | { kind: "damaged" };

export function readJournalRecord(bytes: Buffer, at: number, position: number): RecordReading {
  if (at + recordHeadBytes > bytes.length) return { kind: "short", bytesNeeded: recordHeadBytes };
  const size = recordHeadBytes + bytes.readUInt32LE(at + 4);
  const version = bytes.readUInt8(at + 8);
  if (version !== envelopeVersion && version !== importVersion) return { kind: "damaged" };
  if (at + size > bytes.length) return { kind: "short", bytesNeeded: size };
  const end = at + size;
  if (crc32(bytes.subarray(at + 4, end)) !== bytes.readUInt32LE(at)) return { kind: "damaged" };
  return {
    kind: "record",
    record: {
      project: bytes.readUInt32LE(at + 9),
      receivedMs: bytes.readDoubleLE(at + 13),
      bytes: bytes.subarray(at + recordHeadBytes, end),
      ...(version === importVersion && { isImport: true }),
      position,
      next: position + size,
    },
  };
}
