import type { Disk, WritableFile, WriteMode } from "./disk.ts";
import { type JournalSegment, listSegments, readJournalSegment, segmentAt } from "./segments.ts";

/** Positions that were skipped after a failed write or at a start. */
export interface Gap {
  readonly from: number;
  readonly bytes: number;
}

export interface FoundSegments {
  readonly segments: readonly JournalSegment[];
  readonly gaps: readonly Gap[];
  /** The last one, which is continued. */
  readonly current: { segment: JournalSegment; file: WritableFile; size: number } | undefined;
  readonly end: number;
  readonly cutBytes: number;
}

/** Scans the last segment and cuts off a half-written record. Earlier segments were synced before the last began. */
export async function findSegments(disk: Disk, writes: WriteMode): Promise<FoundSegments> {
  const segments = listSegments(disk);
  const last = segments.at(-1);
  if (last === undefined) return { segments, gaps: [], current: undefined, end: 0, cutBytes: 0 };
  const { end, fileEnd } = lastRecordEnd(disk, last);
  const file = await disk.reopen(last.name, writes);
  if (fileEnd > end) await file.truncate(end - last.start);
  const gaps = gapsBetween(disk, segments);
  return { segments, gaps, current: { segment: last, file, size: end - last.start }, end, cutBytes: fileEnd - end };
}

function gapsBetween(disk: Disk, segments: readonly JournalSegment[]): readonly Gap[] {
  return segments.slice(1).map(({ start }, index) => {
    const before = segments[index] ?? segmentAt(start);
    const file = disk.openToRead(before.name);
    const from = before.start + file.size();
    file.close();
    return { from, bytes: start - from };
  });
}

function lastRecordEnd(disk: Disk, segment: JournalSegment): { end: number; fileEnd: number } {
  const file = disk.openToRead(segment.name);
  const fileEnd = segment.start + file.size();
  let at = segment.start;
  let end = segment.start;
  while (at < fileEnd) {
    const part = readJournalSegment(file, segment, { from: at, until: fileEnd, maxBytes: 8_388_608 });
    end = part.records.at(-1)?.next ?? end;
    at = part.next;
  }
  file.close();
  return { end, fileEnd };
}
