import { type Clock, systemClock } from "../clock.ts";
import type { Disk, WritableFile } from "./disk.ts";
import { type JournalLimits, journalLimits } from "./limits.ts";
import { type AcceptedEnvelope, recordHeadBytes, writeRecord } from "./record.ts";
import { type JournalSegment, listSegments, readJournalSegment, segmentAt } from "./segments.ts";

/**
 * `kept`: it survives a power cut from now on. `refused`: nothing was promised; the sender may come again after a
 * while. `too-large`: it would not fit into an empty journal either.
 */
export type AppendOutcome =
  | { kind: "kept" }
  | { kind: "refused"; why: string; retryAfterSeconds: number }
  | { kind: "too-large"; why: string };

/** How full the journal is, in the stages at which less and less is taken in. */
export type Pressure = "none" | "half" | "high" | "full";

export interface JournalStats {
  /** What is not yet filed. */
  readonly backlogBytes: number;
  readonly durableEnd: number;
  readonly releasedUpTo: number;
  readonly appendedRecords: number;
  readonly syncs: number;
  readonly failures: number;
  /** Bytes at the end of the last segment that a crash had left half written, cut off at the start. */
  readonly cutBytes: number;
}

/** Records that are written and synced together, with their listeners. */
interface Group {
  buffer: Buffer;
  bytes: number;
  readonly tell: AppendListener[];
}

/** Must not throw: all listeners of one sync are called one after the other. */
export type AppendListener = (outcome: AppendOutcome) => void;

interface OpenSegment {
  readonly segment: JournalSegment;
  readonly file: WritableFile;
  /** On the clock that never jumps. */
  readonly openedMs: number;
  size: number;
}

/** While something is written, the end of a segment waits for so long. */
const dropAgainMs = 1_000;

const smallestBuffer = 262_144;

/**
 * What was accepted and is not yet filed. Appending returns when the record is on the disk; what arrives while a sync
 * is under way goes together into the next one, so that the number of syncs follows the disk and not the load.
 */
export class Journal {
  readonly #disk: Disk;
  #limits: JournalLimits;
  readonly #clock: Clock;
  readonly #onDurable: (end: number) => void;
  #segments: JournalSegment[];
  #current: OpenSegment | undefined;
  /** Where the next record goes. Never goes back, also when what was written there is given up. */
  #end: number;
  #durableEnd: number;
  #releasedUpTo: number;
  #filling: Group;
  #writingBytes = 0;
  /** Something was refused for want of room, and nothing has been released since. */
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
    // What was filed before the start goes too.
    await journal.release(journal.#releasedUpTo);
    return journal;
  }

  append(envelope: AcceptedEnvelope): Promise<AppendOutcome> {
    return new Promise((resolve) => this.appendThen(envelope, resolve));
  }

  /**
   * Copies the bytes at once; the caller may reuse them. Tells when the record is kept or refused, without a promise:
   * thousands wait at the same time, and each promise on the way is a detour.
   */
  appendThen(envelope: AcceptedEnvelope, tell: AppendListener): void {
    const size = recordHeadBytes + envelope.bytes.length;
    const refusal = this.#refusal(size);
    if (refusal !== undefined) return tell(refusal);
    const group = this.#filling;
    makeRoom(group, size);
    group.bytes = writeRecord(group.buffer, group.bytes, envelope);
    group.tell.push(tell);
    // The pause lets every request that came with the same turn of the event loop into the same group.
    if (this.#writing === undefined && group.tell.length === 1) setImmediate(() => this.#writeNext());
  }

  /**
   * Everything before this position lies safely elsewhere; segments that hold nothing else are deleted, the newest when
   * its time is over.
   */
  async release(upTo: number): Promise<void> {
    const releasedUpTo = Math.max(this.#releasedUpTo, Math.min(upTo, this.#durableEnd));
    if (releasedUpTo > this.#releasedUpTo) this.#isFull = false;
    this.#releasedUpTo = releasedUpTo;
    // One at a time, which sees what others have released meanwhile.
    this.#dropping ??= this.#dropReleased().finally(() => {
      this.#dropping = undefined;
    });
    await this.#dropping;
  }

  async #dropReleased(): Promise<void> {
    for (let oldest = this.#segments[0]; oldest !== undefined; oldest = this.#segments[0]) {
      const end = this.#segments[1]?.start ?? this.#end;
      // An empty one may be the file that the next record is written to.
      if (end > this.#releasedUpTo || end === oldest.start) return;
      if (this.#current?.segment === oldest && !(await this.#endCurrent(this.#current))) return;
      try {
        await this.#disk.remove(oldest.name);
      } catch {
        // It takes room and does no harm; the next release tries again.
        return;
      }
      this.#segments = this.#segments.filter((segment) => segment !== oldest);
    }
  }

  /**
   * Whether the segment that is written takes nothing more: its time is over, and nothing is being written. Else it is
   * looked at again.
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

  /** How much it may have on the disk from now on. */
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

  /** On the disk or on the way there. What could not be written takes no room, though its positions are used up. */
  get #unfiledBytes(): number {
    return this.#durableEnd - this.#releasedUpTo + this.#writingBytes;
  }

  /** Red while the last write failed and none has succeeded since. */
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

  /** Takes nothing more, and returns when what was taken is written. */
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
    if (this.#writing !== undefined || this.#filling.tell.length === 0) return;
    const group = this.#filling;
    this.#filling = newGroup(this.#spareBuffer ?? Buffer.allocUnsafe(smallestBuffer));
    this.#spareBuffer = undefined;
    this.#writingBytes = group.bytes;
    this.#writing = this.#commit(group).then((outcome) => {
      this.#writing = undefined;
      // One unusually large envelope must not hold its size in memory for ever.
      if (group.buffer.length <= this.#limits.spareBufferBytes) this.#spareBuffer = group.buffer;
      this.#writeNext();
      for (const tell of group.tell) tell(outcome);
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
    this.#appendedRecords += group.tell.length;
    this.#syncs += 1;
    this.#failedAt = undefined;
    this.#onDurable(this.#durableEnd);
    return { kind: "kept" };
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
   * After a failed sync the content of the file on disk is unknown, and a second sync that succeeds proves nothing. So
   * the segment ends where it was last known to be safe, and the next record begins a new one, further on.
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
        // The disk is already known to fail. What stays behind was never acknowledged and does no harm when it is read.
      });
    }
  }
}

export interface JournalOptions {
  readonly disk: Disk;
  readonly limits?: JournalLimits;
  readonly clock?: Clock;
  /**
   * Where the store says it has read to: positions before it are never used, even when the journal's files are lost.
   */
  readonly startAt?: number;
  readonly onDurable?: (end: number) => void;
}

interface FoundSegments {
  readonly segments: readonly JournalSegment[];
  readonly current: Omit<OpenSegment, "openedMs"> | undefined;
  readonly end: number;
  readonly cutBytes: number;
}

/**
 * Looks through the last segment and cuts off what a crash left half written. Earlier ones were synced before the last
 * began.
 */
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
  return { buffer, bytes: 0, tell: [] };
}

function makeRoom(group: Group, size: number): void {
  const needed = group.bytes + size;
  if (needed <= group.buffer.length) return;
  const larger = Buffer.allocUnsafe(Math.max(needed, group.buffer.length * 2));
  larger.set(group.buffer.subarray(0, group.bytes));
  group.buffer = larger;
}
