import type { Disk, ReadableFile } from "./disk.ts";
import { type JournalRecord, readJournalRecord, recordHeadBytes } from "./record.ts";

/**
 * One file of the journal. Its name is the position of its first byte, so that order and place need no other record.
 */
export interface JournalSegment {
  readonly name: string;
  readonly start: number;
}

const suffix = ".journal";

export function segmentAt(start: number): JournalSegment {
  return { name: `${String(start).padStart(16, "0")}${suffix}`, start };
}

/** The segments in the folder, oldest first. */
export function listSegments(disk: Disk): readonly JournalSegment[] {
  return disk
    .list()
    .filter((name) => /^\d{16}\.journal$/.test(name))
    .sort()
    .map((name) => ({ name, start: Number(name.slice(0, -suffix.length)) }));
}

export interface SegmentPart {
  readonly records: readonly JournalRecord[];
  /** Where reading goes on. */
  readonly next: number;
  /** Bytes that were stepped over because they hold no undamaged record. */
  readonly damagedBytes: number;
}

/** The largest envelope that is accepted, with room for headers; a longer record can only be a damaged length. */
const recordAtMost = 134_217_728;

/**
 * Reads records of one segment from a position on, until about `maxBytes` are read or `until` is reached. Damage inside
 * is stepped over to the next undamaged record: a flipped bit costs the record it hit and no other. The records are
 * views of `room`, as far as it is large enough.
 */
export function readJournalSegment(
  file: ReadableFile,
  segment: JournalSegment,
  from: number,
  until: number,
  maxBytes: number,
  room?: Buffer,
): SegmentPart {
  const end = Math.min(until, segment.start + file.size());
  let window = readWindow(file, segment, from, Math.min(end, from + maxBytes), room);
  const records: JournalRecord[] = [];
  let at = 0;
  let damagedBytes = 0;
  while (from + at < end) {
    const reading = readJournalRecord(window, at, from + at);
    if (reading.kind === "record") {
      records.push(reading.record);
      at = reading.record.next - from;
    } else if (reading.kind === "short" && from + window.length < end && reading.bytesNeeded <= recordAtMost) {
      if (records.length > 0 || damagedBytes > 0) break;
      window = readWindow(
        file,
        segment,
        from,
        Math.min(end, from + at + Math.max(reading.bytesNeeded, recordHeadBytes)),
        room,
      );
    } else {
      at += 1;
      damagedBytes += 1;
    }
  }
  return { records, next: from + at, damagedBytes };
}

function readWindow(file: ReadableFile, segment: JournalSegment, from: number, until: number, room?: Buffer): Buffer {
  const size = Math.max(0, until - from);
  const window = room !== undefined && size <= room.length ? room.subarray(0, size) : Buffer.allocUnsafe(size);
  return window.subarray(0, file.read(window, from - segment.start));
}
