import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { type FileHandle, open, unlink } from "node:fs/promises";
import path from "node:path";
import { crc32 } from "node:zlib";
import { hasCode } from "#errors";
import type { Category } from "#protocol";
import type { ReportingLimits } from "../../limits.ts";
import {
  deliveredAt,
  headBytes,
  type QueuedEnvelope,
  type QueueSegment,
  readQueuedEnvelopes,
  type StoredEnvelope,
  type UnwrittenEnvelope,
  writeQueuedEnvelopes,
} from "./queued-envelopes.ts";

export interface EnvelopeQueueOptions {
  folder: string;
  /** Prefix of its file names: `errors-00000001.spool`. */
  name: string;
  /** Whether envelopes are synced to disk before `keep` resolves, or only written later if they still wait. */
  durable: boolean;
  limits: ReportingLimits;
  /** Called when the disk fails. The envelopes stay in memory as far as there is room. */
  diskFailed: (why: unknown) => void;
  /** Called with envelopes that fit neither on disk nor in memory. */
  lost: (queued: QueuedEnvelope) => void;
}

/**
 * A queue of envelopes in append-only files. It survives the end of the process at any moment: confirmed envelopes are
 * on disk, an incomplete end is skipped, and delivered envelopes are marked in place. An envelope may be delivered
 * twice if the process ends between delivery and mark; the service recognizes it by its event id.
 */
export class EnvelopeQueue {
  readonly #options: EnvelopeQueueOptions;
  readonly #envelopes = new Set<StoredEnvelope>();
  /** To be written now. */
  #unwritten: StoredEnvelope[] = [];
  /** Envelopes that may be delivered before they need the disk; they move from `#fresh` to `#aged`. */
  #fresh: StoredEnvelope[] = [];
  #aged: StoredEnvelope[] = [];
  #segment: QueueSegment | undefined;
  #lastNumber = 0;
  #heldBytes = 0;
  #flushing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Delivered envelopes whose mark is not on disk yet. */
  readonly #marks = new Map<QueueSegment, number[]>();
  #markTimer: NodeJS.Timeout | undefined;
  /** Size of all waiting envelopes. */
  bytes = 0;

  constructor(options: EnvelopeQueueOptions) {
    this.#options = options;
    mkdirSync(options.folder, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(options.folder).sort()) {
      if (name.startsWith(`${options.name}-`) && name.endsWith(".spool")) this.#readBack(name);
    }
  }

  get length(): number {
    return this.#envelopes.size;
  }

  /** Resolves when the envelope survives the end of the process, or when the disk has failed. Never rejects. */
  keep(category: Category, bytes: Uint8Array, nowMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const size = headBytes + bytes.length;
    const queued: StoredEnvelope = {
      category,
      keptMs: nowMs,
      size,
      bytes,
      position: undefined,
      written: resolve,
      underWay: false,
    };
    this.#envelopes.add(queued);
    this.bytes += size;
    this.#heldBytes += size;
    if (this.#options.durable) {
      this.#unwritten.push(queued);
      void this.#writeDown();
    } else {
      this.#fresh.push(queued);
      this.#timer ??= setTimeout(() => this.#age(), this.#options.limits.spillMs / 2).unref();
    }
    return promise;
  }

  /**
   * Returns the oldest envelopes that are not being delivered. They stay reserved until they are removed or given back.
   */
  take(atMost: number): QueuedEnvelope[] {
    const taken: StoredEnvelope[] = [];
    for (const queued of this.#envelopes) {
      if (taken.length === atMost) break;
      if (queued.underWay) continue;
      queued.underWay = true;
      taken.push(queued);
    }
    return taken;
  }

  oldest(): QueuedEnvelope | undefined {
    for (const queued of this.#envelopes) if (!queued.underWay) return queued;
    return undefined;
  }

  /** When the oldest of all was kept, also if it is being delivered. */
  get waitingSince(): number | undefined {
    for (const { keptMs } of this.#envelopes) return keptMs;
    return undefined;
  }

  /** Reads the envelope; undefined if its file was damaged. */
  async read(queued: QueuedEnvelope): Promise<Uint8Array | undefined> {
    const stored = this.#known(queued);
    if (!stored) return undefined;
    if (stored.bytes) return stored.bytes;
    const { position } = stored;
    if (!position) return undefined;
    const handle = await open(position.segment.file, "r");
    try {
      const bytes = Buffer.allocUnsafe(stored.size);
      await handle.read(bytes, 0, stored.size, position.offset);
      const envelope = bytes.subarray(headBytes);
      return crc32(envelope) === bytes.readUInt32LE(4) ? envelope : undefined;
    } finally {
      await handle.close();
    }
  }

  /** Returns an undelivered envelope to its place in the queue. */
  requeue(queued: QueuedEnvelope): void {
    const stored = this.#known(queued);
    if (stored) stored.underWay = false;
  }

  /** Removes an envelope that was delivered or dropped. */
  remove(queued: QueuedEnvelope): void {
    const stored = this.#known(queued);
    if (!stored) return;
    this.#envelopes.delete(stored);
    this.bytes -= stored.size;
    if (stored.bytes) this.#heldBytes -= stored.size;
    stored.bytes = undefined;
    if (stored.position) this.#markDelivered(stored.position);
  }

  /** Writes all envelopes that are not on disk yet. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#unwritten = [...this.#unwritten, ...this.#aged, ...this.#fresh];
    this.#aged = [];
    this.#fresh = [];
    return this.#writeDown();
  }

  /**
   * Called when the process ends: writes all remaining envelopes synchronously. One that is being written may be stored
   * twice; the service recognizes it by its event id.
   */
  flushNow(): void {
    const queuedEnvelopes = this.#waitingOf([...this.#envelopes].filter(({ position }) => position === undefined));
    if (queuedEnvelopes.length === 0) return;
    try {
      writeFileSync(this.#nextFile(), writeQueuedEnvelopes(queuedEnvelopes), {
        flag: "wx",
        mode: 0o600,
        flush: this.#options.durable,
      });
    } catch (why) {
      this.#options.diskFailed(why);
    }
  }

  /**
   * Runs twice within the time that traces may wait: only envelopes that are still queued at the second run are
   * written. Nearly all are delivered by then.
   */
  #age(): void {
    this.#timer = undefined;
    const due = this.#aged;
    this.#aged = this.#fresh;
    this.#fresh = [];
    if (this.#aged.length > 0) this.#timer = setTimeout(() => this.#age(), this.#options.limits.spillMs / 2).unref();
    if (due.length === 0) return;
    this.#unwritten.push(...due);
    void this.#writeDown();
  }

  #writeDown(): Promise<void> {
    this.#flushing ??= this.#flushAll().finally(() => {
      this.#flushing = undefined;
    });
    return this.#flushing;
  }

  async close(): Promise<void> {
    await this.flush();
    await this.#endSegment();
    await this.#writeMarks();
  }

  /** One write and one sync for all envelopes that arrived during the previous one. */
  async #flushAll(): Promise<void> {
    while (this.#unwritten.length > 0) {
      const batch = this.#unwritten;
      this.#unwritten = [];
      try {
        if (this.#waitingOf(batch).length > 0) await this.#write(batch);
        this.#letGo(batch);
      } catch (why) {
        this.#options.diskFailed(why);
        await this.#endSegment();
        this.#keepInMemory(this.#waitingOf(batch));
        for (const queued of batch) settle(queued);
        return;
      }
      for (const queued of batch) settle(queued);
    }
  }

  /** Envelopes that were delivered in the meantime have released their bytes and need no disk. */
  #waitingOf(queuedEnvelopes: readonly StoredEnvelope[]): UnwrittenEnvelope[] {
    return queuedEnvelopes.filter(
      (queued): queued is UnwrittenEnvelope => this.#envelopes.has(queued) && queued.bytes !== undefined,
    );
  }

  async #write(batch: readonly StoredEnvelope[]): Promise<void> {
    const segment = await this.#segmentWithRoom();
    // Selected only now: opening a file takes time, in which envelopes are delivered. A gap would end the file for its
    // reader.
    const queuedEnvelopes = this.#waitingOf(batch);
    const bytes = writeQueuedEnvelopes(queuedEnvelopes);
    const { handle } = segment;
    if (!handle) throw new Error(`${segment.file} is not open.`);
    await writeAll(handle, bytes, segment.size);
    if (this.#options.durable) await handle.datasync();
    let offset = segment.size;
    segment.size += bytes.length;
    for (const queued of queuedEnvelopes) {
      const position = { segment, offset };
      offset += queued.size;
      if (this.#envelopes.has(queued)) {
        queued.position = position;
        segment.waiting++;
      } else this.#flag(position);
    }
    if (segment.size >= this.#options.limits.segmentBytes) await this.#endSegment();
  }

  async #segmentWithRoom(): Promise<QueueSegment> {
    if (this.#segment) return this.#segment;
    const file = this.#nextFile();
    const handle = await open(file, "wx", 0o600);
    if (this.#options.durable) await syncFolder(this.#options.folder);
    this.#segment = { file, handle, size: 0, waiting: 0, growing: true };
    return this.#segment;
  }

  #nextFile(): string {
    const number = String(++this.#lastNumber).padStart(8, "0");
    return path.join(this.#options.folder, `${this.#options.name}-${number}.spool`);
  }

  async #endSegment(): Promise<void> {
    const segment = this.#segment;
    if (!segment) return;
    this.#segment = undefined;
    segment.growing = false;
    const { handle } = segment;
    segment.handle = undefined;
    await handle?.close().catch(this.#options.diskFailed);
    if (segment.waiting === 0) await this.#delete(segment);
  }

  #markDelivered(position: { segment: QueueSegment; offset: number }): void {
    position.segment.waiting--;
    if (position.segment.waiting === 0 && !position.segment.growing) void this.#delete(position.segment);
    else this.#flag(position);
  }

  /**
   * Marks an envelope with one byte in its head, delayed. Not synced: after a power cut an envelope may be sent twice.
   */
  #flag({ segment, offset }: { segment: QueueSegment; offset: number }): void {
    const marks = this.#marks.get(segment) ?? [];
    marks.push(offset + deliveredAt);
    this.#marks.set(segment, marks);
    this.#markTimer ??= setTimeout(() => void this.#writeMarks(), this.#options.limits.markMs).unref();
  }

  async #writeMarks(): Promise<void> {
    clearTimeout(this.#markTimer);
    this.#markTimer = undefined;
    const all = [...this.#marks];
    this.#marks.clear();
    for (const [segment, offsets] of all) {
      // Its file is deleted, or will be with the last envelope.
      if (segment.waiting === 0 && !segment.growing) continue;
      try {
        const handle = await open(segment.file, "r+");
        for (const offset of offsets) await handle.write(delivered, 0, 1, offset);
        await handle.close();
      } catch (why) {
        if (!hasCode(why, "ENOENT")) this.#options.diskFailed(why);
      }
    }
  }

  async #delete(segment: QueueSegment): Promise<void> {
    await unlink(segment.file).catch((why: unknown) =>
      hasCode(why, "ENOENT") ? undefined : this.#options.diskFailed(why),
    );
  }

  /** Envelopes on disk are safe; memory holds only those that are likely to be sent next. */
  #letGo(queuedEnvelopes: readonly StoredEnvelope[]): void {
    for (const queued of queuedEnvelopes) {
      if (this.#heldBytes <= this.#options.limits.memoryBytes) return;
      if (!queued.bytes || !queued.position) continue;
      queued.bytes = undefined;
      this.#heldBytes -= queued.size;
    }
  }

  /** Handles a full or broken disk. If memory has no room, the oldest envelopes are lost. */
  #keepInMemory(queuedEnvelopes: readonly StoredEnvelope[]): void {
    for (const queued of queuedEnvelopes) {
      if (this.#heldBytes <= this.#options.limits.memoryBytes) {
        this.#unwritten.push(queued);
        continue;
      }
      this.remove(queued);
      this.#options.lost(queued);
    }
    this.#timer ??= setTimeout(() => void this.flush(), this.#options.limits.spillMs).unref();
  }

  #readBack(name: string): void {
    const file = path.join(this.#options.folder, name);
    const number = Number(name.slice(this.#options.name.length + 1, -6));
    this.#lastNumber = Math.max(this.#lastNumber, number);
    const segment: QueueSegment = { file, handle: undefined, size: 0, waiting: 0, growing: false };
    for (const queued of readQueuedEnvelopes(readFileSync(file), segment)) {
      this.#envelopes.add(queued);
      this.bytes += queued.size;
      segment.waiting++;
    }
    if (segment.waiting === 0) void this.#delete(segment);
  }

  #known(queued: QueuedEnvelope): StoredEnvelope | undefined {
    const stored = queued as StoredEnvelope;
    return this.#envelopes.has(stored) ? stored : undefined;
  }
}

const delivered = Uint8Array.of(1);

function settle(queued: StoredEnvelope): void {
  queued.written?.();
  queued.written = undefined;
}

async function writeAll(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  let done = 0;
  while (done < bytes.length) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}

/** After a power cut, a new file exists only if its folder was synced too. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
