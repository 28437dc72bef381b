import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { type FileHandle, open, unlink } from "node:fs/promises";
import path from "node:path";
import { crc32 } from "node:zlib";
import type { Category } from "#protocol";
import type { ReportingLimits } from "../limits.ts";
import {
  deliveredAt,
  headBytes,
  type KeptLetter,
  type Letter,
  readLetters,
  type Segment,
  type UnwrittenLetter,
  writeLetters,
} from "./letters.ts";

export interface SpoolOptions {
  folder: string;
  /** Begins the names of its files: `errors-00000001.spool`. */
  name: string;
  /** Whether letters are safe on the disk before `keep` resolves, or only written some time later if they still wait. */
  durable: boolean;
  limits: ReportingLimits;
  /** Told when the disk refuses; the letters stay in memory as far as there is room. */
  diskFailed: (why: unknown) => void;
  /** Told of letters for which neither disk nor memory had room. */
  lost: (letter: Letter) => void;
}

/**
 * A queue of envelopes in files that are only ever appended to. It survives the end of the process at any moment: what was promised is
 * on disk, a torn end is skipped, and what was delivered is marked so in its place. A letter may be delivered twice when the process
 * ends between delivery and mark; its event id tells.
 */
export class Spool {
  readonly #options: SpoolOptions;
  readonly #letters = new Set<KeptLetter>();
  /** To be written now. */
  #unwritten: KeptLetter[] = [];
  /** What may wait for a while in the hope that it is delivered; first here, then there. */
  #fresh: KeptLetter[] = [];
  #aged: KeptLetter[] = [];
  #segment: Segment | undefined;
  #lastNumber = 0;
  #heldBytes = 0;
  #flushing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Of delivered letters whose mark is not on disk yet. */
  readonly #marks = new Map<Segment, number[]>();
  #markTimer: NodeJS.Timeout | undefined;
  /** Of all letters that wait. */
  bytes = 0;

  constructor(options: SpoolOptions) {
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
    const letter: KeptLetter = {
      category,
      keptMs: nowMs,
      size,
      bytes,
      place: undefined,
      written: resolve,
      underWay: false,
    };
    this.#letters.add(letter);
    this.bytes += size;
    this.#heldBytes += size;
    if (this.#options.durable) {
      this.#unwritten.push(letter);
      void this.#writeDown();
    } else {
      this.#fresh.push(letter);
      this.#timer ??= setTimeout(() => this.#age(), this.#options.limits.spillMs / 2).unref();
    }
    return promise;
  }

  /** The oldest letters that nobody is delivering yet. They are under way from then on, until they are delivered, returned or dropped. */
  take(atMost: number): Letter[] {
    const taken: KeptLetter[] = [];
    for (const letter of this.#letters) {
      if (taken.length === atMost) break;
      if (letter.underWay) continue;
      letter.underWay = true;
      taken.push(letter);
    }
    return taken;
  }

  oldest(): Letter | undefined {
    for (const letter of this.#letters) if (!letter.underWay) return letter;
    return undefined;
  }

  /** The envelope itself; nothing when its file has been damaged since. */
  async read(letter: Letter): Promise<Uint8Array | undefined> {
    const kept = this.#known(letter);
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
  giveBack(letter: Letter): void {
    const kept = this.#known(letter);
    if (kept) kept.underWay = false;
  }

  /** Delivered, or given up for good. */
  remove(letter: Letter): void {
    const kept = this.#known(letter);
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
   * The process ends in this very moment: what is not on disk yet is written before that. What is being written just then may be there twice; its event id
   * tells.
   */
  flushNow(): void {
    const letters = this.#waitingOf([...this.#letters].filter(({ place }) => place === undefined));
    if (letters.length === 0) return;
    try {
      writeFileSync(this.#nextFile(), writeLetters(letters), { flag: "wx", mode: 0o600, flush: this.#options.durable });
    } catch (why) {
      this.#options.diskFailed(why);
    }
  }

  /** Twice in the time that traces may wait: only what is still here at the second time is written. Nearly all is delivered by then. */
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
        for (const letter of batch) settle(letter);
        return;
      }
      for (const letter of batch) settle(letter);
    }
  }

  /** What was delivered meanwhile needs no disk any more, and has let go of its bytes. */
  #waitingOf(letters: readonly KeptLetter[]): UnwrittenLetter[] {
    return letters.filter(
      (letter): letter is UnwrittenLetter => this.#letters.has(letter) && letter.bytes !== undefined,
    );
  }

  async #write(batch: readonly KeptLetter[]): Promise<void> {
    const segment = await this.#segmentWithRoom();
    // Looked at now, and not before: opening a file takes time, in which letters are delivered. A gap among them would end the file for its reader.
    const letters = this.#waitingOf(batch);
    const bytes = writeLetters(letters);
    const { handle } = segment;
    if (!handle) throw new Error(`${segment.file} is not open.`);
    await writeAll(handle, bytes, segment.size);
    if (this.#options.durable) await handle.datasync();
    let offset = segment.size;
    segment.size += bytes.length;
    for (const letter of letters) {
      const place = { segment, offset };
      offset += letter.size;
      if (this.#letters.has(letter)) {
        letter.place = place;
        segment.waiting++;
      } else this.#flag(place);
    }
    if (segment.size >= this.#options.limits.segmentBytes) await this.#endSegment();
  }

  async #segmentWithRoom(): Promise<Segment> {
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

  #markDelivered(place: { segment: Segment; offset: number }): void {
    place.segment.waiting--;
    if (place.segment.waiting === 0 && !place.segment.growing) void this.#delete(place.segment);
    else this.#flag(place);
  }

  /** One byte in the letter's head, soon. Not synced: after a power cut a letter may go out twice. */
  #flag({ segment, offset }: { segment: Segment; offset: number }): void {
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

  async #delete(segment: Segment): Promise<void> {
    await unlink(segment.file).catch((why: unknown) => (isMissing(why) ? undefined : this.#options.diskFailed(why)));
  }

  /** On disk they are safe; memory holds only what is likely to go out next. */
  #letGo(letters: readonly KeptLetter[]): void {
    for (const letter of letters) {
      if (this.#heldBytes <= this.#options.limits.memoryBytes) return;
      if (!letter.bytes || !letter.place) continue;
      letter.bytes = undefined;
      this.#heldBytes -= letter.size;
    }
  }

  /** The disk is full or broken. What memory has no room for is lost, the oldest first. */
  #keepInMemory(letters: readonly KeptLetter[]): void {
    for (const letter of letters) {
      if (this.#heldBytes <= this.#options.limits.memoryBytes) {
        this.#unwritten.push(letter);
        continue;
      }
      this.remove(letter);
      this.#options.lost(letter);
    }
    this.#timer ??= setTimeout(() => void this.flush(), this.#options.limits.spillMs).unref();
  }

  #readBack(name: string): void {
    const file = path.join(this.#options.folder, name);
    const number = Number(name.slice(this.#options.name.length + 1, -6));
    this.#lastNumber = Math.max(this.#lastNumber, number);
    const segment: Segment = { file, handle: undefined, size: 0, waiting: 0, growing: false };
    for (const letter of readLetters(readFileSync(file), segment)) {
      this.#letters.add(letter);
      this.bytes += letter.size;
      segment.waiting++;
    }
    if (segment.waiting === 0) void this.#delete(segment);
  }

  #known(letter: Letter): KeptLetter | undefined {
    const kept = letter as KeptLetter;
    return this.#letters.has(kept) ? kept : undefined;
  }
}

const delivered = Uint8Array.of(1);

function settle(letter: KeptLetter): void {
  letter.written?.();
  letter.written = undefined;
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
