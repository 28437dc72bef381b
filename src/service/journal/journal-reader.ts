import { hasCode } from "#errors";
import type { Disk, ReadableFile } from "./disk.ts";
import { type JournalSegment, listSegments, readJournalSegment, type SegmentPart } from "./segments.ts";

/** Reads the journal while it is being written, also from another thread or process. */
export class JournalReader {
  readonly #disk: Disk;
  readonly #room: Buffer | undefined;
  #open: { segment: JournalSegment; file: ReadableFile } | undefined;

  /**
   * With `roomBytes`, it reads into the same buffer each time, and records are valid until the next read. Otherwise, a
   * caller that files batch after batch would trigger garbage collection after each.
   */
  constructor(disk: Disk, roomBytes?: number) {
    this.#disk = disk;
    this.#room = roomBytes === undefined ? undefined : Buffer.allocUnsafe(roomBytes);
  }

  /**
   * Reads records from a position, at most about `maxBytes` of them and none at or beyond `until`, which must be a
   * durable position of the journal. Empty only if there is none before `until`.
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

  /** Closes the last file. Reading may continue. */
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

  /** Returns undefined for a segment that was deleted since it was listed: everything in it was filed. */
  #fileOf(segment: JournalSegment): ReadableFile | undefined {
    if (this.#open?.segment.name === segment.name) return this.#open.file;
    this.close();
    try {
      this.#open = { segment, file: this.#disk.openToRead(segment.name) };
    } catch (error) {
      if (hasCode(error, "ENOENT")) return undefined;
      throw error;
    }
    return this.#open.file;
  }
}
