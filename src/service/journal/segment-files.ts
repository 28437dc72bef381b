import type { Clock } from "../clock.ts";
import type { Disk, WritableFile, WriteMode } from "./disk.ts";
import type { FoundSegments, Gap } from "./find-segments.ts";
import type { JournalSteps } from "./journal-steps.ts";
import type { JournalLimits } from "./limits.ts";
import { type JournalSegment, segmentAt } from "./segments.ts";

interface OpenSegment {
  readonly segment: JournalSegment;
  readonly file: WritableFile;
  /** Monotonic clock. */
  openedMs: number;
  size: number;
}

export interface SegmentFilesOptions {
  readonly disk: Disk;
  readonly writes: WriteMode;
  readonly limits: JournalLimits;
  readonly clock: Clock;
  /** No file is closed and no file is added during a step. */
  readonly steps: JournalSteps;
  /** Earlier positions are never used, even if the files are lost. */
  readonly startAt: number;
}

/** While a write is in progress, the end of a segment is retried after this time. */
const dropAgainMs = 1_000;

/**
 * The files of the journal and the positions in them. The last file is written. Files are deleted when everything in
 * them is released.
 */
export class SegmentFiles {
  readonly #disk: Disk;
  readonly #writes: WriteMode;
  readonly #clock: Clock;
  readonly #steps: JournalSteps;
  #limits: Pick<JournalLimits, "segmentBytes" | "segmentMs">;
  #segments: JournalSegment[];
  #current: OpenSegment | undefined;
  /** Position of the next record. Never decreases, even if bytes written at it are abandoned. */
  #end: number;
  /** Everything before it is written and can be read. */
  #readableEnd: number;
  #releasedUpTo: number;
  /** Positions before the start that no record has. */
  readonly #gaps: readonly Gap[];
  #dropping: Promise<void> | undefined;
  #dropTimer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor({ disk, writes, limits, clock, steps, startAt }: SegmentFilesOptions, found: FoundSegments) {
    this.#disk = disk;
    this.#writes = writes;
    this.#limits = limits;
    this.#clock = clock;
    this.#steps = steps;
    this.#segments = [...found.segments];
    this.#current = found.current && { ...found.current, openedMs: clock.elapsed() };
    const from = Math.max(found.end, startAt);
    const isUsed = writes === "buffered" && (from > 0 || found.segments.length > 0);
    this.#end = isUsed ? from + limits.skippedAtStart : from;
    this.#gaps = [...found.gaps, { from: found.end, bytes: this.#end - found.end }];
    this.#readableEnd = this.#end;
    const isAllFiled = startAt >= found.end;
    this.#releasedUpTo = isAllFiled ? this.#end : Math.max(found.segments[0]?.start ?? 0, startAt);
  }

  get end(): number {
    return this.#end;
  }

  get readableEnd(): number {
    return this.#readableEnd;
  }

  get releasedUpTo(): number {
    return this.#releasedUpTo;
  }

  /** Bytes after a position that can be read and are not released. */
  bytesAfter(position: number): number {
    const start = Math.max(position, this.#releasedUpTo);
    const unused = this.#gaps.reduce((sum, { from, bytes }) => (from >= start ? sum + bytes : sum), 0);
    return Math.max(0, this.#readableEnd - start - unused);
  }

  limit(segmentBytes: number): void {
    this.#limits = { ...this.#limits, segmentBytes };
  }

  /** Whether the next record can be written to the current file. */
  hasRoomFor(bytes: number): boolean {
    const current = this.#current;
    if (current === undefined || current.segment.start + current.size !== this.#end) return false;
    if (current.size === 0) return true;
    return current.size + bytes <= this.#limits.segmentBytes && this.#leftMs(current) > 0;
  }

  async beginSegment(): Promise<void> {
    await this.#current?.file.close();
    this.#current = undefined;
    const segment = segmentAt(this.#end);
    const file = await this.#disk.create(segment.name, this.#writes);
    this.#segments.push(segment);
    this.#current = { segment, file, size: 0, openedMs: this.#clock.elapsed() };
  }

  /** Writes to the current file, for which it must have room. */
  async write(bytes: Uint8Array): Promise<void> {
    const current = this.#current;
    if (current === undefined) throw new Error("no file is open");
    // Its name is the position. Its time begins with its first record.
    if (current.size === 0) current.openedMs = this.#clock.elapsed();
    this.#end += bytes.length;
    await current.file.write(bytes, current.size);
    current.size += bytes.length;
    this.#readableEnd = this.#end;
  }

  async sync(): Promise<void> {
    await this.#current?.file.sync();
  }

  /**
   * After a failed sync, the file's content on disk is unknown, and a second successful sync proves nothing. So the
   * segment ends at its last durable position, and the next record begins a new one, not before `nextAt`.
   */
  async giveUpSegment(nextAt: number): Promise<void> {
    this.#end = Math.max(this.#end, nextAt);
    const current = this.#current;
    this.#current = undefined;
    if (current === undefined) return;
    const steps = [() => current.file.truncate(current.size), () => current.file.close()];
    if (current.size === 0 && this.#writes === "durable") {
      this.#segments = this.#segments.filter((segment) => segment !== current.segment);
      steps.push(() => this.#disk.remove(current.segment.name));
    }
    for (const step of steps) {
      await step().catch(() => {
        // The disk already fails. Remaining bytes were never acknowledged and are harmless when read.
      });
    }
  }

  /** Deletes the files that contain nothing after this position, the newest once its time is over. */
  async release(upTo: number): Promise<void> {
    this.#releasedUpTo = Math.max(this.#releasedUpTo, Math.min(upTo, this.#readableEnd));
    // One run at a time, which includes concurrent releases.
    this.#dropping ??= this.#dropReleased().finally(() => {
      this.#dropping = undefined;
    });
    await this.#dropping;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#dropTimer);
    await this.#dropping;
    await this.#closeCurrent();
  }

  async #dropReleased(): Promise<void> {
    for (let oldest = this.#segments[0]; oldest !== undefined; oldest = this.#segments[0]) {
      const end = this.#segments[1]?.start ?? this.#end;
      // An empty segment may be the file of the next record.
      if (end > this.#releasedUpTo || end === oldest.start) return;
      if (this.#current?.segment === oldest && !(await this.#endCurrent(this.#current))) return;
      try {
        // The name of the last segment keeps the position, for a start at which the store is away.
        if (this.#writes === "buffered" && this.#segments.length === 1) await this.#succeedLast();
        await this.#disk.remove(oldest.name);
      } catch {
        // A remaining file is harmless. The next release retries.
        return;
      }
      this.#segments = this.#segments.filter((segment) => segment !== oldest);
    }
  }

  /**
   * Whether the current segment accepts no more records: its time is over, and no step is running. Otherwise schedules
   * another check.
   */
  async #endCurrent(current: OpenSegment): Promise<boolean> {
    const leftMs = this.#leftMs(current);
    if (leftMs > 0 || this.#steps.isRunning) {
      this.#dropTimer ??= setTimeout(
        () => {
          this.#dropTimer = undefined;
          void this.release(this.#releasedUpTo);
        },
        leftMs > 0 ? leftMs : dropAgainMs,
      ).unref();
      return false;
    }
    await this.#closeCurrent();
    return true;
  }

  #succeedLast(): Promise<void> {
    return this.#steps.insert(async () => {
      if (this.#segments.length > 1) return;
      await this.beginSegment();
      if (this.#closed) await this.#closeCurrent();
    });
  }

  async #closeCurrent(): Promise<void> {
    const current = this.#current;
    this.#current = undefined;
    await current?.file.close();
  }

  #leftMs({ openedMs }: OpenSegment): number {
    return openedMs + this.#limits.segmentMs - this.#clock.elapsed();
  }
}
