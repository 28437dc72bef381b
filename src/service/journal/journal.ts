import { messageOf } from "#errors";
import { type Clock, systemClock } from "../clock.ts";
import type { AppendListener, AppendOutcome, KeptBy } from "./append-outcome.ts";
import { Bridge } from "./bridge.ts";
import type { Disk, WritableFile, WriteMode } from "./disk.ts";
import { type FoundSegments, findSegments, type Gap } from "./find-segments.ts";
import { type JournalLimits, journalLimits } from "./limits.ts";
import { type AcceptedEnvelope, recordHeadBytes, writeRecord } from "./record.ts";
import { makeRoom, newGroup, type RecordGroup } from "./record-group.ts";
import { type JournalSegment, segmentAt } from "./segments.ts";
import { Unacknowledged } from "./unacknowledged.ts";

/** Fill level of the journal. At each stage less is accepted. */
export type Pressure = "none" | "half" | "high" | "full";

export interface JournalStats {
  /** Bytes not filed yet. */
  readonly backlogBytes: number;
  readonly readableEnd: number;
  readonly releasedUpTo: number;
  readonly appendedRecords: number;
  /** Records by what kept them when they were acknowledged. */
  readonly acknowledged: Readonly<Record<KeptBy, number>>;
  /** Whether records are acknowledged in place of the store. */
  readonly isBridging: boolean;
  readonly syncs: number;
  readonly failures: number;
  /** Bytes of a half-written record at the end of the last segment, cut off at the start. */
  readonly cutBytes: number;
}

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
 *
 * With a store that acknowledges, an append ends when the store has committed the record. The journal is written
 * without sync, and synced only while it bridges an outage or a delay of the store.
 */
export class Journal {
  readonly #disk: Disk;
  #limits: JournalLimits;
  readonly #clock: Clock;
  readonly #onReadable: (end: number) => void;
  readonly #acknowledge: "sync" | "store";
  readonly #unacknowledged = new Unacknowledged();
  readonly #bridge: Bridge;
  #bridgeTimer: NodeJS.Timeout | undefined;
  #segments: JournalSegment[];
  #current: OpenSegment | undefined;
  /** Position of the next record. Never decreases, even if bytes written at it are abandoned. */
  #end: number;
  /** Everything before it is written and can be read. */
  #readableEnd: number;
  /** Nothing before it needs a sync: it is synced, committed by the store, or refused. */
  #syncedEnd: number;
  #releasedUpTo: number;
  /** Positions before the start that no record has. */
  readonly #gaps: readonly Gap[];
  #filling: RecordGroup;
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
  readonly #acknowledged: Record<KeptBy, number> = { store: 0, journal: 0 };
  #syncs = 0;
  #failures = 0;
  readonly #cutBytes: number;

  private constructor(options: JournalOptions, found: FoundSegments) {
    this.#disk = options.disk;
    this.#limits = options.limits ?? journalLimits;
    this.#clock = options.clock ?? systemClock;
    this.#onReadable = options.onReadable ?? (() => undefined);
    this.#acknowledge = options.acknowledge ?? "sync";
    this.#segments = [...found.segments];
    this.#current = found.current && { ...found.current, openedMs: this.#clock.elapsed() };
    const { startAt = 0 } = options;
    const from = Math.max(found.end, startAt);
    const isUsed = this.#acknowledge === "store" && (from > 0 || found.segments.length > 0);
    this.#end = isUsed ? from + this.#limits.skippedAtStart : from;
    this.#gaps = [...found.gaps, { from: found.end, bytes: this.#end - found.end }];
    this.#readableEnd = this.#end;
    this.#syncedEnd = this.#end;
    const isAllFiled = startAt >= found.end;
    this.#releasedUpTo = isAllFiled ? this.#end : Math.max(found.segments[0]?.start ?? 0, startAt);
    this.#bridge = new Bridge(this.#limits.bridgeAfterMs, this.#clock, this.#releasedUpTo);
    this.#cutBytes = found.cutBytes;
    this.#filling = newGroup(Buffer.allocUnsafe(smallestBuffer));
  }

  static async open(options: JournalOptions): Promise<Journal> {
    const { disk, acknowledge = "sync" } = options;
    const journal = new Journal(options, await findSegments(disk, writeModes[acknowledge]));
    if (acknowledge === "store") await journal.#beginSegment();
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
    if (this.#acknowledge === "store") {
      if (group.ends.length === 0) group.arrivedMs = this.#clock.elapsed();
      group.ends.push(group.bytes);
    }
    // Delayed, so that all requests of one turn of the event loop share a group.
    if (this.#writing === undefined && group.listeners.length === 1) setImmediate(() => this.#workNext());
  }

  /** The store has committed everything before this position. */
  committed(position: number): void {
    if (this.#acknowledge === "sync") return;
    this.#settle(position, "store");
    this.#bridge.committed(position, this.#readableEnd);
  }

  /** While the store is away, records are acknowledged without waiting for it. */
  storeIsAway(isAway: boolean): void {
    if (this.#acknowledge === "sync") return;
    this.#bridge.storeIsAway(isAway, this.#readableEnd);
    this.#bridgeWaiting();
  }

  /**
   * Marks everything before this position as stored elsewhere. Deletes segments that contain nothing else, the newest
   * once its time is over.
   */
  async release(upTo: number): Promise<void> {
    this.committed(upTo);
    const releasedUpTo = Math.max(this.#releasedUpTo, Math.min(upTo, this.#readableEnd));
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
        // The name of the last segment keeps the position, for a start at which the store is away.
        if (this.#acknowledge === "store" && this.#segments.length === 1) await this.#succeedLast();
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

  async #succeedLast(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
    if (this.#segments.length > 1) return;
    const begun = this.#beginSegment();
    this.#writing = begun
      .catch(() => undefined)
      .then(async () => {
        if (this.#closed) await this.#closeCurrent();
        this.#writing = undefined;
        this.#workNext();
      });
    await begun;
    await this.#writing;
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
    return this.bytesAfter(this.#releasedUpTo) + this.#writingBytes;
  }

  /** Bytes after a position that can be read and are not released. */
  bytesAfter(position: number): number {
    const start = Math.max(position, this.#releasedUpTo);
    const unused = this.#gaps.reduce((sum, { from, bytes }) => (from >= start ? sum + bytes : sum), 0);
    return Math.max(0, this.#readableEnd - start - unused);
  }

  /** False from a failed write until the next successful one. */
  get isWritable(): boolean {
    return !this.#closed && this.#failedAt === undefined;
  }

  get readableEnd(): number {
    return this.#readableEnd;
  }

  /** Whether records are acknowledged in place of the store. */
  get isBridging(): boolean {
    return this.#bridge.isBridging;
  }

  stats(): JournalStats {
    return {
      backlogBytes: this.#end - this.#readableEnd + this.bytesAfter(this.#releasedUpTo),
      readableEnd: this.#readableEnd,
      releasedUpTo: this.#releasedUpTo,
      appendedRecords: this.#appendedRecords,
      acknowledged: { ...this.#acknowledged },
      isBridging: this.#bridge.isBridging,
      syncs: this.#syncs,
      failures: this.#failures,
      cutBytes: this.#cutBytes,
    };
  }

  /** Accepts nothing more, and resolves when all accepted records are acknowledged. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#acknowledge === "store") this.#bridge.begin(this.#readableEnd);
    this.#bridgeWaiting();
    this.#workNext();
    while (this.#writing !== undefined) await this.#writing;
    clearTimeout(this.#dropTimer);
    clearTimeout(this.#bridgeTimer);
    await this.#dropping;
    await this.#closeCurrent();
  }

  async #closeCurrent(): Promise<void> {
    const current = this.#current;
    this.#current = undefined;
    await current?.file.close();
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

  /** One step at a time: a write or a sync. Between two writes there is a sync if clients wait for it. */
  #workNext(): void {
    if (this.#writing !== undefined) return;
    if (this.#mustSync) this.#writing = this.#syncWritten().then(() => this.#worked());
    else if (this.#filling.listeners.length > 0) this.#writeNext();
  }

  #worked(): void {
    this.#writing = undefined;
    this.#workNext();
  }

  get #mustSync(): boolean {
    return this.#bridge.isBridging && this.#syncedEnd < this.#readableEnd && !this.#unacknowledged.isEmpty;
  }

  #writeNext(): void {
    const group = this.#filling;
    this.#filling = newGroup(this.#spareBuffer ?? Buffer.allocUnsafe(smallestBuffer));
    this.#spareBuffer = undefined;
    this.#writingBytes = group.bytes;
    this.#writing = this.#write(group).then((outcome) => {
      // One unusually large envelope must not occupy its memory permanently.
      if (group.buffer.length <= this.#limits.spareBufferBytes) this.#spareBuffer = group.buffer;
      this.#worked();
      if (outcome !== "waits") for (const listener of group.listeners) listener(outcome);
    });
  }

  /** `waits`: written, and not acknowledged yet. */
  async #write(group: RecordGroup): Promise<AppendOutcome | "waits"> {
    const start = this.#end;
    try {
      const target = await this.#segmentFor(group.bytes);
      this.#end += group.bytes;
      await target.file.write(group.buffer.subarray(0, group.bytes), target.size);
      target.size += group.bytes;
    } catch (error) {
      this.#end = Math.max(this.#end, start + group.bytes);
      this.#writingBytes = 0;
      return this.#fail(error);
    }
    this.#readableEnd = this.#end;
    this.#writingBytes = 0;
    this.#appendedRecords += group.listeners.length;
    this.#failedAt = undefined;
    const waits = this.#acknowledge === "store";
    if (waits)
      this.#unacknowledged.add({ start, ends: group.ends, listeners: group.listeners, arrivedMs: group.arrivedMs });
    else {
      this.#syncedEnd = this.#end;
      this.#syncs += 1;
      this.#acknowledged.journal += group.listeners.length;
    }
    this.#onReadable(this.#readableEnd);
    if (!waits) return { kind: "kept", by: "journal" };
    this.#watchOldest();
    return "waits";
  }

  async #syncWritten(): Promise<void> {
    try {
      await this.#syncCurrent();
      this.#failedAt = undefined;
      this.#settle(this.#syncedEnd, "journal");
    } catch (error) {
      await this.#fail(error);
    }
  }

  async #syncCurrent(): Promise<void> {
    const end = this.#readableEnd;
    await this.#current?.file.sync();
    this.#syncedEnd = end;
    this.#syncs += 1;
  }

  /** Gives up the segment, and refuses the records whose only copy may be in it. */
  async #fail(error: unknown): Promise<AppendOutcome> {
    this.#isFull = false;
    await this.#giveUpSegment();
    this.#failures += 1;
    this.#failedAt = this.#clock.elapsed();
    const why = messageOf(error);
    const refused: AppendOutcome = {
      kind: "refused",
      why: `The journal could not be written: ${why}`,
      retryAfterSeconds: 5,
    };
    this.#settle(this.#syncedEnd, "journal");
    this.#unacknowledged.settle(Number.POSITIVE_INFINITY, refused);
    this.#syncedEnd = this.#readableEnd;
    return refused;
  }

  #settle(upTo: number, by: KeptBy): void {
    this.#acknowledged[by] += this.#unacknowledged.settle(upTo, { kind: "kept", by });
  }

  /** Begins to bridge when the oldest record has waited too long. */
  #watchOldest(): void {
    const { oldestMs } = this.#unacknowledged;
    if (oldestMs === undefined || this.#bridge.isBridging || this.#bridgeTimer !== undefined) return;
    const leftMs = this.#bridge.leftMs(oldestMs);
    if (leftMs <= 0) {
      this.#bridge.begin(this.#readableEnd);
      this.#bridgeWaiting();
      return;
    }
    this.#bridgeTimer = setTimeout(() => {
      this.#bridgeTimer = undefined;
      this.#watchOldest();
    }, Math.ceil(leftMs)).unref();
  }

  #bridgeWaiting(): void {
    if (!this.#bridge.isBridging) return;
    // A segment that was left before is synced already.
    this.#settle(this.#syncedEnd, "journal");
    this.#workNext();
  }

  async #segmentFor(bytes: number): Promise<OpenSegment> {
    const current = this.#current;
    const continues = current !== undefined && current.segment.start + current.size === this.#end;
    if (continues && current.size === 0) {
      // Its name is the position. Its time begins with its first record.
      this.#current = { ...current, openedMs: this.#clock.elapsed() };
      return this.#current;
    }
    const hasRoom = current !== undefined && current.size + bytes <= this.#limits.segmentBytes;
    if (hasRoom && continues && this.#leftMs(current) > 0) return current;
    // Only the current segment can be synced later.
    if (!this.#unacknowledged.isEmpty && this.#syncedEnd < this.#readableEnd) await this.#syncCurrent();
    return this.#beginSegment();
  }

  async #beginSegment(): Promise<OpenSegment> {
    await this.#current?.file.close();
    this.#current = undefined;
    const segment = segmentAt(this.#end);
    const file = await this.#disk.create(segment.name, writeModes[this.#acknowledge]);
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
    if (current.size === 0 && this.#acknowledge === "sync") {
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
  /**
   * What must have happened before a record is acknowledged: `sync`, it is on this disk; `store`, the store has
   * committed it, which `committed` reports.
   */
  readonly acknowledge?: "sync" | "store";
  /** Called when everything before this position can be read. */
  readonly onReadable?: (end: number) => void;
}

const writeModes: Readonly<Record<"sync" | "store", WriteMode>> = { sync: "durable", store: "buffered" };
