import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { type FileHandle, open, unlink } from "node:fs/promises";
import path from "node:path";
import { crc32 } from "node:zlib";
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
  /** Begins the names of its files: `errors-00000001.spool`. */
  name: string;
  /**
   * Whether letters are safe on the disk before `keep` resolves, or only written some time later if they still wait.
   */
  durable: boolean;
  limits: ReportingLimits;
  /** Called when the disk refuses. The envelopes stay in memory as far as there is room. */
  diskFailed: (why: unknown) => void;
  /** Called with envelopes for which neither disk nor memory had room. */
  lost: (queued: QueuedEnvelope) => void;
}

/**
 * A queue of envelopes in files that are only ever appended to. It survives the end of the process at any moment: what
 * was promised is on disk, a torn end is skipped, and what was delivered is marked so in its place. A letter may be
 * delivered twice when the process ends between delivery and mark; its event id tells.
 */
export class EnvelopeQueue {
  readonly #options: EnvelopeQueueOptions;
  readonly #letters = new Set<StoredEnvelope>();
  /** To be written now. */
  #unwritten: StoredEnvelope[] = [];
  /** What may wait for a while in the hope that it is delivered; first here, then there. */
  #fresh: StoredEnvelope[] = [];
  #aged: StoredEnvelope[] = [];
  #segment: QueueSegment | undefined;
  #lastNumber = 0;
  #heldBytes = 0;
  #flushing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Of delivered letters whose mark is not on disk yet. */
  readonly #marks = new Map<QueueSegment, number[]>();
  #markTimer: NodeJS.Timeout | undefined;
  /** Of all letters that wait. */
  bytes = 0;

  constructor(options: EnvelopeQueueOptions) {
    this.#options = options;
    mkdirSync(options.folder, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(options.folder).sort()) {
      if (name.startsWith(`${options.name}-`) && name.endsWith(".spool")) this.#readBack(name);
    }
  }

  get length(): number {
    return this.#letters.size;
  }

  /** Resolves when the letter survives the end of the process, or when the disk has refused it. Never rejects. */
  keep(category: Category, bytes: Uint8Array, nowMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const size = headBytes + bytes.length;
    const queued: StoredEnvelope = {
      category,
      keptMs: nowMs,
      size,
      bytes,
      place: undefined,
      written: resolve,
      underWay: false,
    };
    this.#letters.add(queued);
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
   * The oldest envelopes that no delivery has taken yet. They count as taken until they are delivered, returned or
   * dropped.
   */
  take(atMost: number): QueuedEnvelope[] {
    const taken: StoredEnvelope[] = [];
    for (const queued of this.#letters) {
      if (taken.length === atMost) break;
      if (queued.underWay) continue;
      queued.underWay = true;
      taken.push(queued);
    }
    return taken;
  }

  oldest(): QueuedEnvelope | undefined {
    for (const queued of this.#letters) if (!queued.underWay) return queued;
    return undefined;
  }

  /** The envelope itself; nothing when its file has been damaged since. */
  async read(queued: QueuedEnvelope): Promise<Uint8Array | undefined> {
    const kept = this.#known(queued);
    if (!kept) return undefined;
    if (kept.bytes) return kept.bytes;
    const { place } = kept;
    if (!place) return undefined;
    const handle = await open(place.segment.file, "r");
    try {
      const bytes = Buffer.allocUnsafe(kept.size);
      await handle.read(bytes, 0, kept.size, place.offset);
      const envelope = bytes.subarray(headBytes);
      return crc32(envelope) === bytes.readUInt32LE(4) ? envelope : undefined;
    } finally {
      await handle.close();
    }
  }

  /** Could not be delivered now; it keeps its place in the queue. */
  giveBack(queued: QueuedEnvelope): void {
    const kept = this.#known(queued);
    if (kept) kept.underWay = false;
  }

  /** Delivered, or given up for good. */
  remove(queued: QueuedEnvelope): void {
    const kept = this.#known(queued);
    if (!kept) return;
    this.#letters.delete(kept);
    this.bytes -= kept.size;
    if (kept.bytes) this.#heldBytes -= kept.size;
    kept.bytes = undefined;
    if (kept.place) this.#markDelivered(kept.place);
  }

  /** Writes what is not on disk yet. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#unwritten = [...this.#unwritten, ...this.#aged, ...this.#fresh];
    this.#aged = [];
    this.#fresh = [];
    return this.#writeDown();
  }

  /**
   * The process ends in this very moment: what is not on disk yet is written before that. What is being written just
   * then may be there twice; its event id tells.
   */
  flushNow(): void {
    const queuedEnvelopes = this.#waitingOf([...this.#letters].filter(({ place }) => place === undefined));
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
   * Twice in the time that traces may wait: only what is still here at the second time is written. Nearly all is
   * delivered by then.
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

  /** One write and one sync for all that came in while the last one was under way. */
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

  /** What was delivered meanwhile needs no disk any more, and has let go of its bytes. */
  #waitingOf(queuedEnvelopes: readonly StoredEnvelope[]): UnwrittenEnvelope[] {
    return queuedEnvelopes.filter(
      (queued): queued is UnwrittenEnvelope => this.#letters.has(queued) && queued.bytes !== undefined,
    );
  }

  async #write(batch: readonly StoredEnvelope[]): Promise<void> {
    const segment = await this.#segmentWithRoom();
    // Looked at now, and not before: opening a file takes time, in which letters are delivered. A gap among them would
    // end the file for its reader.
    const queuedEnvelopes = this.#waitingOf(batch);
    const bytes = writeQueuedEnvelopes(queuedEnvelopes);
    const { handle } = segment;
    if (!handle) throw new Error(`${segment.file} is not open.`);
    await writeAll(handle, bytes, segment.size);
    if (this.#options.durable) await handle.datasync();
    let offset = segment.size;
    segment.size += bytes.length;
    for (const queued of queuedEnvelopes) {
      const place = { segment, offset };
      offset += queued.size;
      if (this.#letters.has(queued)) {
        queued.place = place;
        segment.waiting++;
      } else this.#flag(place);
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

  #markDelivered(place: { segment: QueueSegment; offset: number }): void {
    place.segment.waiting--;
    if (place.segment.waiting === 0 && !place.segment.growing) void this.#delete(place.segment);
    else this.#flag(place);
  }

  /** One byte in the letter's head, soon. Not synced: after a power cut a letter may go out twice. */
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
      // Its file is gone, or goes with the last letter.
      if (segment.waiting === 0 && !segment.growing) continue;
      try {
        const handle = await open(segment.file, "r+");
        for (const offset of offsets) await handle.write(delivered, 0, 1, offset);
        await handle.close();
      } catch (why) {
        if (!isMissing(why)) this.#options.diskFailed(why);
      }
    }
  }

  async #delete(segment: QueueSegment): Promise<void> {
    await unlink(segment.file).catch((why: unknown) => (isMissing(why) ? undefined : this.#options.diskFailed(why)));
  }

  /** On disk they are safe; memory holds only what is likely to go out next. */
  #letGo(queuedEnvelopes: readonly StoredEnvelope[]): void {
    for (const queued of queuedEnvelopes) {
      if (this.#heldBytes <= this.#options.limits.memoryBytes) return;
      if (!queued.bytes || !queued.place) continue;
      queued.bytes = undefined;
      this.#heldBytes -= queued.size;
    }
  }

  /** The disk is full or broken. What memory has no room for is lost, the oldest first. */
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
      this.#letters.add(queued);
      this.bytes += queued.size;
      segment.waiting++;
    }
    if (segment.waiting === 0) void this.#delete(segment);
  }

  #known(queued: QueuedEnvelope): StoredEnvelope | undefined {
    const kept = queued as StoredEnvelope;
    return this.#letters.has(kept) ? kept : undefined;
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

/** A new file is only found after a power cut when its folder is on disk too. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function isMissing(why: unknown): boolean {
  return why instanceof Error && "code" in why && why.code === "ENOENT";
}
