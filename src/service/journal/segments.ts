import type { Disk, ReadableFile } from "./disk.ts";
import { type JournalRecord, readJournalRecord, recordHeadBytes } from "./record.ts";

/**
 * A file of the journal. Its name is the position of its first byte, so that its order and place are known without an
 * index.
 */
export interface JournalSegment {
  readonly name: string;
  readonly start: number;
}

const suffix = ".journal";

export function segmentAt(start: number): JournalSegment {
  return { name: `${String(start).padStart(16, "0")}${suffix}`, start };
}

/** Lists the segments in the folder, oldest first. */
export function listSegments(disk: Disk): readonly JournalSegment[] {
  return disk
    .list()
    .filter((name) => /^\d{16}\.journal$/.test(name))
    .sort()
    .map((name) => ({ name, start: Number(name.slice(0, -suffix.length)) }));
}

export interface SegmentPart {
  readonly records: readonly JournalRecord[];
  /** Position to continue reading at. */
  readonly next: number;
  /** Skipped bytes without an undamaged record. */
  readonly damagedBytes: number;
}

export interface WantedPart {
  readonly from: number;
  readonly until: number;
  readonly maxBytes: number;
  /** Buffer for the records, which are views of it if it is large enough. */
  readonly room?: Buffer | undefined;
}

/** The largest accepted envelope, with room for headers. A longer record means a damaged length. */
const recordAtMost = 134_217_728;

/**
 * Reads records of one segment from a position, until about `maxBytes` are read or `until` is reached. Skips damaged
 * bytes up to the next undamaged record: a flipped bit costs one record.
 */
export function readJournalSegment(file: ReadableFile, segment: JournalSegment, wanted: WantedPart): SegmentPart {
  const { from, until, maxBytes, room } = wanted;
  const end = Math.min(until, segment.start + file.size());
  const readUpTo = (stop: number): Buffer => {
    const bytes = windowOf(Math.max(0, stop - from), room);
    return bytes.subarray(0, file.read(bytes, from - segment.start));
  };
  let window = readUpTo(Math.min(end, from + maxBytes));
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
      window = readUpTo(Math.min(end, from + at + Math.max(reading.bytesNeeded, recordHeadBytes)));
    } else {
      at += 1;
      damagedBytes += 1;
    }
  }
  return { records, next: from + at, damagedBytes };
}

function windowOf(size: number, room: Buffer | undefined): Buffer {
  return room !== undefined && size <= room.length ? room.subarray(0, size) : Buffer.allocUnsafe(size);
}
