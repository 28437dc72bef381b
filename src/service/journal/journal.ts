import { messageOf } from "#errors";
import { type Clock, systemClock } from "../clock.ts";
import { Acknowledgements } from "./acknowledge/acknowledgements.ts";
import type { AppendListener, AppendOutcome } from "./acknowledge/append-outcome.ts";
import type { Disk, WriteMode } from "./disk.ts";
import { type FoundSegments, findSegments } from "./find-segments.ts";
import type { JournalStats, Pressure } from "./journal-stats.ts";
import { type JournalStep, JournalSteps } from "./journal-steps.ts";
import { type JournalLimits, journalLimits } from "./limits.ts";
import { type AcceptedEnvelope, recordHeadBytes, writeRecord } from "./record.ts";
import { makeRoom, newGroup, type RecordGroup } from "./record-group.ts";
import { SegmentFiles } from "./segment-files.ts";

const smallestBuffer = 262_144;

/**
 * Accepted envelopes that are not filed yet. An append ends when the record is on disk. Records that arrive during a
 * sync share the next one, so that the number of syncs follows the disk and not the load.
 *
 * With a store that acknowledges, an append ends when the store has committed the record. The journal is written
 * without sync, and synced only while it bridges an outage or a delay of the store.
 */
export class Journal {
  #limits: JournalLimits;
  readonly #clock: Clock;
  readonly #onReadable: (end: number) => void;
  readonly #acknowledge: "sync" | "store";
  readonly #steps = new JournalSteps(() => this.#nextStep());
  readonly #files: SegmentFiles;
  readonly #acknowledgements: Acknowledgements;
  #filling: RecordGroup;
  #writingBytes = 0;
  /** A record was refused for lack of room, and nothing has been released since. */
  #isFull = false;
  #spareBuffer: Buffer | undefined;
  #failedAt: number | undefined;
  #closed = false;
  #appendedRecords = 0;
  #syncs = 0;
  #failures = 0;
  readonly #cutBytes: number;

  private constructor(options: JournalOptions, found: FoundSegments) {
    const { disk, limits = journalLimits, clock = systemClock, startAt = 0, acknowledge = "sync" } = options;
    this.#limits = limits;
    this.#clock = clock;
    this.#onReadable = options.onReadable ?? (() => undefined);
    this.#acknowledge = acknowledge;
    const writes = writeModes[acknowledge];
    this.#files = new SegmentFiles({ disk, writes, limits, clock, steps: this.#steps, startAt }, found);
    const onWaiting = () => this.#steps.begin();
    this.#acknowledgements = new Acknowledgements({ files: this.#files, limits, clock, onWaiting });
    this.#cutBytes = found.cutBytes;
    this.#filling = newGroup(Buffer.allocUnsafe(smallestBuffer));
  }

  static async open(options: JournalOptions): Promise<Journal> {
    const { disk, acknowledge = "sync" } = options;
    const journal = new Journal(options, await findSegments(disk, writeModes[acknowledge]));
    if (acknowledge === "store") await journal.#files.beginSegment();
    // Also deletes segments that were filed before the start.
    await journal.release(journal.#files.releasedUpTo);
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
    if (this.#acknowledge === "store") {
      if (group.ends.length === 0) group.arrivedMs = this.#clock.elapsed();
      group.ends.push(group.bytes);
    }
    // Delayed, so that all requests of one turn of the event loop share a group.
    if (!this.#steps.isRunning && group.listeners.length === 1) setImmediate(() => this.#steps.begin());
  }

  /** The store has committed everything before this position. */
  committed(position: number): void {
    if (this.#acknowledge === "store") this.#acknowledgements.committed(position);
  }

  /** While the store is away, records are acknowledged without waiting for it. */
  storeIsAway(isAway: boolean): void {
    if (this.#acknowledge === "store") this.#acknowledgements.storeIsAway(isAway);
  }

  /**
   * Marks everything before this position as stored elsewhere. Deletes segments that contain nothing else, the newest
   * once its time is over.
   */
  async release(upTo: number): Promise<void> {
    this.committed(upTo);
    if (Math.min(upTo, this.readableEnd) > this.#files.releasedUpTo) this.#isFull = false;
    await this.#files.release(upTo);
  }

  /** Changes the limits of its disk use. */
  limit(room: Pick<JournalLimits, "backlogBytes" | "segmentBytes">): void {
    this.#limits = { ...this.#limits, ...room };
    this.#files.limit(room.segmentBytes);
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
    return this.bytesAfter(this.#files.releasedUpTo) + this.#writingBytes;
  }

  /** Bytes after a position that can be read and are not released. */
  bytesAfter(position: number): number {
    return this.#files.bytesAfter(position);
  }

  /** False from a failed write until the next successful one. */
  get isWritable(): boolean {
    return !this.#closed && this.#failedAt === undefined;
  }

  get readableEnd(): number {
    return this.#files.readableEnd;
  }

  /** Whether records are acknowledged in place of the store. */
  get isBridging(): boolean {
    return this.#acknowledgements.isBridging;
  }

  stats(): JournalStats {
    const { end, readableEnd, releasedUpTo } = this.#files;
    return {
      backlogBytes: end - readableEnd + this.bytesAfter(releasedUpTo),
      readableEnd,
      releasedUpTo,
      appendedRecords: this.#appendedRecords,
      acknowledged: this.#acknowledgements.counts,
      isBridging: this.isBridging,
      syncs: this.#syncs,
      failures: this.#failures,
      cutBytes: this.#cutBytes,
    };
  }

  /** Accepts nothing more, and resolves when all accepted records are acknowledged. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#acknowledge === "store") this.#acknowledgements.bridge();
    this.#steps.begin();
    await this.#steps.idle();
    this.#acknowledgements.close();
    await this.#files.close();
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

  /** Between two writes there is a sync if clients wait for it. */
  #nextStep(): JournalStep | undefined {
    if (this.isBridging && this.#acknowledgements.hasUnsynced) return () => this.#syncWritten();
    return this.#filling.listeners.length > 0 ? () => this.#writeFilling() : undefined;
  }

  async #writeFilling(): Promise<(() => void) | undefined> {
    const group = this.#filling;
    this.#filling = newGroup(this.#spareBuffer ?? Buffer.allocUnsafe(smallestBuffer));
    this.#spareBuffer = undefined;
    this.#writingBytes = group.bytes;
    const outcome = await this.#write(group);
    // One unusually large envelope must not occupy its memory permanently.
    if (group.buffer.length <= this.#limits.spareBufferBytes) this.#spareBuffer = group.buffer;
    if (outcome === "waits") return undefined;
    return () => {
      for (const listener of group.listeners) listener(outcome);
    };
  }

  /** `waits`: written, and not acknowledged yet. */
  async #write(group: RecordGroup): Promise<AppendOutcome | "waits"> {
    const start = this.#files.end;
    const { bytes, ends, listeners, arrivedMs } = group;
    try {
      if (!this.#files.hasRoomFor(bytes)) await this.#beginSegment();
      await this.#files.write(group.buffer.subarray(0, bytes));
    } catch (error) {
      this.#writingBytes = 0;
      return this.#fail(error, start + bytes);
    }
    this.#writingBytes = 0;
    this.#appendedRecords += listeners.length;
    this.#failedAt = undefined;
    const waits = this.#acknowledge === "store";
    if (waits) this.#acknowledgements.add({ start, ends, listeners, arrivedMs });
    else {
      this.#syncs += 1;
      this.#acknowledgements.keptByWrite(listeners.length);
    }
    this.#onReadable(this.readableEnd);
    if (!waits) return { kind: "kept", by: "journal" };
    this.#acknowledgements.watchOldest();
    return "waits";
  }

  async #beginSegment(): Promise<void> {
    // Only the current segment can be synced later.
    if (this.#acknowledgements.hasUnsynced) await this.#sync();
    await this.#files.beginSegment();
  }

  async #syncWritten(): Promise<undefined> {
    try {
      await this.#sync();
      this.#failedAt = undefined;
      this.#acknowledgements.settleSynced();
    } catch (error) {
      await this.#fail(error, this.#files.end);
    }
  }

  async #sync(): Promise<void> {
    const end = this.readableEnd;
    await this.#files.sync();
    this.#acknowledgements.synced(end);
    this.#syncs += 1;
  }

  /** Gives up the segment, and refuses the records whose only copy may be in it. */
  async #fail(error: unknown, nextAt: number): Promise<AppendOutcome> {
    this.#isFull = false;
    await this.#files.giveUpSegment(nextAt);
    this.#failures += 1;
    this.#failedAt = this.#clock.elapsed();
    const why = messageOf(error);
    const refused: AppendOutcome = {
      kind: "refused",
      why: `The journal could not be written: ${why}`,
      retryAfterSeconds: 5,
    };
    this.#acknowledgements.refuseUnsynced(refused);
    return refused;
  }
}

export interface JournalOptions {
  readonly disk: Disk;
  readonly limits?: JournalLimits;
  readonly clock?: Clock;
  /** The store's position. Earlier positions are never used, even if the journal's files are lost. */
  readonly startAt?: number;
  /**
   * What must have happened before a record is acknowledged: `sync`, it is on this disk; `store`, the store has
   * committed it, which `committed` reports.
   */
  readonly acknowledge?: "sync" | "store";
  /** Called when everything before this position can be read. */
  readonly onReadable?: (end: number) => void;
}

const writeModes: Readonly<Record<"sync" | "store", WriteMode>> = { sync: "durable", store: "buffered" };
