import { type Clock, systemClock } from "../clock.ts";
import type { Disk, WritableFile } from "./disk.ts";
import { type JournalLimits, journalLimits } from "./limits.ts";
import { type AcceptedEnvelope, recordHeadBytes, writeRecord } from "./record.ts";
import { type JournalSegment, listSegments, readJournalSegment, segmentAt } from "./segments.ts";

/**
 * `appended`: survives a power cut from now on. `refused`: nothing was promised, and the client may retry later.
 * `too-large`: would not fit into an empty journal either.
 */
export type AppendOutcome =
  | { kind: "appended" }
  | { kind: "refused"; why: string; retryAfterSeconds: number }
  | { kind: "too-large"; why: string };

/** Fill level of the journal. At each stage less is accepted. */
export type Pressure = "none" | "half" | "high" | "full";

export interface JournalStats {
  /** Bytes not filed yet. */
  readonly backlogBytes: number;
  readonly durableEnd: number;
  readonly releasedUpTo: number;
  readonly appendedRecords: number;
  readonly syncs: number;
  readonly failures: number;
  /** Bytes of a half-written record at the end of the last segment, cut off at the start. */
  readonly cutBytes: number;
}

/** Records that are written and synced together, with their listeners. */
interface Group {
  buffer: Buffer;
  bytes: number;
  readonly listeners: AppendListener[];
}

/** Must not throw: all listeners of one sync are called in a row. */
export type AppendListener = (outcome: AppendOutcome) => void;

interface OpenSegment {
  readonly segment: JournalSegment;
  readonly file: WritableFile;
  /** Monotonic clock. */
  readonly openedMs: number;
  size: number;
}

/** While a write is in progress, the end of a segment is retried after this time. */
const dropAgainMs = 1_000;

const smallestBuffer = 262_144;

/**
 * Accepted envelopes that are not filed yet. An append ends when the record is on disk. Records that arrive during a
 * sync share the next one, so that the number of syncs follows the disk and not the load.
 */
export class Journal {
  readonly #disk: Disk;
  #limits: JournalLimits;
  readonly #clock: Clock;
  readonly #onDurable: (end: number) => void;
  #segments: JournalSegment[];
  #current: OpenSegment | undefined;
  /** Position of the next record. Never decreases, even if bytes written at it are abandoned. */
  #end: number;
  #durableEnd: number;
  #releasedUpTo: number;
  #filling: Group;
  #writingBytes = 0;
  /** A record was refused for lack of room, and nothing has been released since. */
  #isFull = false;
  #spareBuffer: Buffer | undefined;
  #writing: Promise<void> | undefined;
  #dropping: Promise<void> | undefined;
  #dropTimer: NodeJS.Timeout | undefined;
  #failedAt: number | undefined;
  #closed = false;
  #appendedRecords = 0;
  #syncs = 0;
  #failures = 0;
  readonly #cutBytes: number;

  private constructor(options: JournalOptions, found: FoundSegments) {
    this.#disk = options.disk;
    this.#limits = options.limits ?? journalLimits;
    this.#clock = options.clock ?? systemClock;
    this.#onDurable = options.onDurable ?? (() => undefined);
    this.#segments = [...found.segments];
    this.#current = found.current && { ...found.current, openedMs: this.#clock.elapsed() };
    this.#end = Math.max(found.end, options.startAt ?? 0);
    this.#durableEnd = this.#end;
    this.#releasedUpTo = Math.min(Math.max(found.segments[0]?.start ?? this.#end, options.startAt ?? 0), this.#end);
    this.#cutBytes = found.cutBytes;
    this.#filling = newGroup(Buffer.allocUnsafe(smallestBuffer));
  }

  static async open(options: JournalOptions): Promise<Journal> {
    const journal = new Journal(options, await findSegments(options.disk));
    // Also deletes segments that were filed before the start.
    await journal.release(journal.#releasedUpTo);
    return journal;
  }

  append(envelope: AcceptedEnvelope): Promise<AppendOutcome> {
    return new Promise((resolve) => this.appendThen(envelope, resolve));
  }

  /**
   * Appends a record. Copies the bytes at once, so the caller may reuse them. Calls back when the record is appended or
   * refused. No promise, because thousands wait at the same time and each promise costs.
   */
  appendThen(envelope: AcceptedEnvelope, listener: AppendListener): void {
    const size = recordHeadBytes + envelope.bytes.length;
    const refusal = this.#refusal(size);
    if (refusal !== undefined) return listener(refusal);
    const group = this.#filling;
    makeRoom(group, size);
    group.bytes = writeRecord(group.buffer, group.bytes, envelope);
    group.listeners.push(listener);
    // Delayed, so that all requests of one turn of the event loop share a group.
    if (this.#writing === undefined && group.listeners.length === 1) setImmediate(() => this.#writeNext());
  }

  /**
   * Marks everything before this position as stored elsewhere. Deletes segments that contain nothing else, the newest
   * once its time is over.
   */
  async release(upTo: number): Promise<void> {
    const releasedUpTo = Math.max(this.#releasedUpTo, Math.min(upTo, this.#durableEnd));
    if (releasedUpTo > this.#releasedUpTo) this.#isFull = false;
    this.#releasedUpTo = releasedUpTo;
    // One run at a time, which includes concurrent releases.
    this.#dropping ??= this.#dropReleased().finally(() => {
      this.#dropping = undefined;
    });
    await this.#dropping;
  }

  async #dropReleased(): Promise<void> {
    for (let oldest = this.#segments[0]; oldest !== undefined; oldest = this.#segments[0]) {
      const end = this.#segments[1]?.start ?? this.#end;
      // An empty segment may be the file of the next record.
      if (end > this.#releasedUpTo || end === oldest.start) return;
      if (this.#current?.segment === oldest && !(await this.#endCurrent(this.#current))) return;
      try {
        await this.#disk.remove(oldest.name);
      } catch {
        // A remaining file is harmless. The next release retries.
        return;
      }
      this.#segments = this.#segments.filter((segment) => segment !== oldest);
    }
  }

  /**
   * Whether the current segment accepts no more records: its time is over, and no write is in progress. Otherwise
   * schedules another check.
   */
  async #endCurrent(current: OpenSegment): Promise<boolean> {
    const leftMs = this.#leftMs(current);
    if (leftMs > 0 || this.#writing !== undefined) {
      this.#dropTimer ??= setTimeout(
        () => {
          this.#dropTimer = undefined;
          void this.release(this.#releasedUpTo);
        },
        leftMs > 0 ? leftMs : dropAgainMs,
      ).unref();
      return false;
    }
    this.#current = undefined;
    await current.file.close();
    return true;
  }

  #leftMs({ openedMs }: OpenSegment): number {
    return openedMs + this.#limits.segmentMs - this.#clock.elapsed();
  }

  /** Changes the limits of its disk use. */
  limit(room: Pick<JournalLimits, "backlogBytes" | "segmentBytes">): void {
    this.#limits = { ...this.#limits, ...room };
    this.#isFull = false;
  }

  get pressure(): Pressure {
    const share = this.#unfiledBytes / this.#limits.backlogBytes;
    if (this.#isFull || share >= 1) return "full";
    if (share >= 0.8) return "high";
    return share >= 0.5 ? "half" : "none";
  }

  /** Bytes on disk or on their way to it. A failed write uses no room, though its positions are used up. */
  get #unfiledBytes(): number {
    return this.#durableEnd - this.#releasedUpTo + this.#writingBytes;
  }

  /** False from a failed write until the next successful one. */
  get isWritable(): boolean {
    return !this.#closed && this.#failedAt === undefined;
  }

  get durableEnd(): number {
    return this.#durableEnd;
  }

  stats(): JournalStats {
    return {
      backlogBytes: this.#end - this.#releasedUpTo,
      durableEnd: this.#durableEnd,
      releasedUpTo: this.#releasedUpTo,
      appendedRecords: this.#appendedRecords,
      syncs: this.#syncs,
      failures: this.#failures,
      cutBytes: this.#cutBytes,
    };
  }

  /** Accepts nothing more, and resolves when all accepted records are written. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#writeNext();
    while (this.#writing !== undefined) await this.#writing;
    clearTimeout(this.#dropTimer);
    await this.#dropping;
    await this.#current?.file.close();
    this.#current = undefined;
  }

  #refusal(size: number): AppendOutcome | undefined {
    if (this.#closed) return { kind: "refused", why: "The service is shutting down.", retryAfterSeconds: 5 };
    if (this.#failedAt !== undefined && this.#clock.elapsed() - this.#failedAt < this.#limits.retryAfterFailureMs) {
      return { kind: "refused", why: "The disk does not take any more at the moment.", retryAfterSeconds: 5 };
    }
    if (this.#filling.bytes + size > Math.max(this.#limits.waitingBytes, size)) {
      return { kind: "refused", why: "The disk is too slow for what arrives.", retryAfterSeconds: 5 };
    }
    const { backlogBytes } = this.#limits;
    if (size > backlogBytes)
      return {
        kind: "too-large",
        why: `The envelope has more than the ${Math.floor(backlogBytes)} bytes that may wait.`,
      };
    this.#isFull ||= this.#unfiledBytes + this.#filling.bytes + size > backlogBytes;
    if (this.#isFull) return { kind: "refused", why: "Too much is waiting to be filed.", retryAfterSeconds: 30 };
    return undefined;
  }

  #writeNext(): void {
    if (this.#writing !== undefined || this.#filling.listeners.length === 0) return;
    const group = this.#filling;
    this.#filling = newGroup(this.#spareBuffer ?? Buffer.allocUnsafe(smallestBuffer));
    this.#spareBuffer = undefined;
    this.#writingBytes = group.bytes;
    this.#writing = this.#commit(group).then((outcome) => {
      this.#writing = undefined;
      // One unusually large envelope must not occupy its memory permanently.
      if (group.buffer.length <= this.#limits.spareBufferBytes) this.#spareBuffer = group.buffer;
      this.#writeNext();
      for (const listener of group.listeners) listener(outcome);
    });
  }

  async #commit(group: Group): Promise<AppendOutcome> {
    const start = this.#end;
    try {
      const target = await this.#segmentFor(group.bytes);
      this.#end += group.bytes;
      await target.file.writeDurably(group.buffer.subarray(0, group.bytes), target.size);
      target.size += group.bytes;
    } catch (error) {
      this.#end = Math.max(this.#end, start + group.bytes);
      this.#writingBytes = 0;
      this.#isFull = false;
      await this.#giveUpSegment();
      this.#failures += 1;
      this.#failedAt = this.#clock.elapsed();
      const why = error instanceof Error ? error.message : String(error);
      return { kind: "refused", why: `The journal could not be written: ${why}`, retryAfterSeconds: 5 };
    }
    this.#durableEnd = this.#end;
    this.#writingBytes = 0;
    this.#appendedRecords += group.listeners.length;
    this.#syncs += 1;
    this.#failedAt = undefined;
    this.#onDurable(this.#durableEnd);
    return { kind: "appended" };
  }

  async #segmentFor(bytes: number): Promise<OpenSegment> {
    const current = this.#current;
    const continues = current !== undefined && current.segment.start + current.size === this.#end;
    const hasRoom = current !== undefined && current.size + bytes <= this.#limits.segmentBytes;
    if (hasRoom && continues && this.#leftMs(current) > 0) return current;
    await current?.file.close();
    this.#current = undefined;
    const segment = segmentAt(this.#end);
    const file = await this.#disk.create(segment.name);
    this.#segments.push(segment);
    this.#current = { segment, file, size: 0, openedMs: this.#clock.elapsed() };
    return this.#current;
  }

  /**
   * After a failed sync, the file's content on disk is unknown, and a second successful sync proves nothing. So the
   * segment ends at its last durable position, and the next record begins a new one, at a later position.
   */
  async #giveUpSegment(): Promise<void> {
    const current = this.#current;
    this.#current = undefined;
    if (current === undefined) return;
    const steps = [() => current.file.truncate(current.size), () => current.file.close()];
    if (current.size === 0) {
      this.#segments = this.#segments.filter((segment) => segment !== current.segment);
      steps.push(() => this.#disk.remove(current.segment.name));
    }
    for (const step of steps) {
      await step().catch(() => {
        // The disk already fails. Remaining bytes were never acknowledged and are harmless when read.
      });
    }
  }
}

export interface JournalOptions {
  readonly disk: Disk;
  readonly limits?: JournalLimits;
  readonly clock?: Clock;
  /** The store's position. Earlier positions are never used, even if the journal's files are lost. */
  readonly startAt?: number;
  readonly onDurable?: (end: number) => void;
}

interface FoundSegments {
  readonly segments: readonly JournalSegment[];
  readonly current: Omit<OpenSegment, "openedMs"> | undefined;
  readonly end: number;
  readonly cutBytes: number;
}

/** Scans the last segment and cuts off a half-written record. Earlier segments were synced before the last began. */
async function findSegments(disk: Disk): Promise<FoundSegments> {
  const segments = listSegments(disk);
  const last = segments.at(-1);
  if (last === undefined) return { segments, current: undefined, end: 0, cutBytes: 0 };
  const { end, fileEnd } = lastRecordEnd(disk, last);
  const file = await disk.reopen(last.name);
  if (fileEnd > end) await file.truncate(end - last.start);
  return { segments, current: { segment: last, file, size: end - last.start }, end, cutBytes: fileEnd - end };
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

function newGroup(buffer: Buffer): Group {
  return { buffer, bytes: 0, listeners: [] };
}

function makeRoom(group: Group, size: number): void {
  const needed = group.bytes + size;
  if (needed <= group.buffer.length) return;
  const larger = Buffer.allocUnsafe(Math.max(needed, group.buffer.length * 2));
  larger.set(group.buffer.subarray(0, group.bytes));
  group.buffer = larger;
}
