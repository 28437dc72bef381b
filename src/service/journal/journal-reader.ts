import type { Disk, ReadableFile } from "./disk.ts";
import { type JournalSegment, listSegments, readJournalSegment, type SegmentPart } from "./segments.ts";

/** Reads the journal while it is being written, from another thread or another process if need be. */
export class JournalReader {
  readonly #disk: Disk;
  readonly #room: Buffer | undefined;
  #open: { segment: JournalSegment; file: ReadableFile } | undefined;

  /**
   * With `roomBytes` it reads into the same memory each time, and the records of one reading last until the next: a
   * caller that files batch after batch would otherwise make the memory's collector run after each.
   */
  constructor(disk: Disk, roomBytes?: number) {
    this.#disk = disk;
    this.#room = roomBytes === undefined ? undefined : Buffer.allocUnsafe(roomBytes);
  }

  /**
   * Records from a position on, at most about `maxBytes` of them and none at or beyond `until`, which must be a
   * position the journal has given out as durable. Empty only when there is none before `until`.
   */
  read(from: number, until: number, maxBytes: number): SegmentPart {
    let damagedBytes = 0;
    let at = from;
    for (const segment of this.#segmentsFrom(from, until)) {
      at = Math.max(at, segment.start);
      const file = this.#fileOf(segment);
      if (file === undefined) continue;
      const part = readJournalSegment(file, segment, { from: at, until, maxBytes, room: this.#room });
      damagedBytes += part.damagedBytes;
      if (part.records.length > 0) return { ...part, damagedBytes };
      at = part.next;
    }
    return { records: [], next: Math.max(at, until), damagedBytes };
  }

  /** Lets go of the file that was read last; reading goes on as before. */
  close(): void {
    this.#open?.file.close();
    this.#open = undefined;
  }

  #segmentsFrom(from: number, until: number): readonly JournalSegment[] {
    const segments = listSegments(this.#disk);
    const following = segments.findIndex((segment) => segment.start > from);
    const holding = (following < 0 ? segments.length : following) - 1;
    return segments.slice(Math.max(0, holding)).filter((segment) => segment.start < until);
  }

  /** Nothing for a segment that has been deleted since it was listed: everything in it was filed. */
  #fileOf(segment: JournalSegment): ReadableFile | undefined {
    if (this.#open?.segment.name === segment.name) return this.#open.file;
    this.close();
    try {
      this.#open = { segment, file: this.#disk.openToRead(segment.name) };
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
      throw error;
    }
    return this.#open.file;
  }
}
