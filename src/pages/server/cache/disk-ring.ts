import { close, open, read, unlink, write } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";

/** Bytes in the ring. They are lost when later writes reach them. */
export interface DiskRegion {
  readonly at: number;
  readonly length: number;
  isLost: boolean;
  readonly onLost: () => void;
}

let rings = 0;

const [openFile, readFile, writeFile, unlinkFile] = [
  promisify(open),
  promisify(read),
  promisify(write),
  promisify(unlink),
];

/** A cache is in use until nothing refers to it: in development, until the next change of the code. */
const closing = new FinalizationRegistry<number>((file) => close(file));

/**
 * A file of bounded size. Each write follows the last one; at the end it begins again and overwrites the oldest. The
 * file has no name, so it disappears with the process, even after a crash.
 */
export class DiskRing {
  readonly #folder: string;
  readonly #size: number;
  #file: Promise<number> | undefined;
  /** The oldest first: it has the first place after the last write. */
  readonly #regions: DiskRegion[] = [];
  #next = 0;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(folder: string, size: number) {
    this.#folder = folder;
    this.#size = size;
  }

  /** Rejects if the disk does not take it. `onLost` is called when a later write needs its place. */
  write(bytes: Buffer, onLost: () => void): Promise<DiskRegion> {
    const written = this.#writing.then(() => this.#write(bytes, onLost));
    this.#writing = written.catch(() => undefined);
    return written;
  }

  /** Undefined if its place was needed, also while it was read. */
  async read(region: DiskRegion): Promise<Buffer | undefined> {
    if (region.isLost) return undefined;
    const bytes = Buffer.allocUnsafe(region.length);
    const { bytesRead } = await readFile(await this.#opened(), bytes, 0, region.length, region.at);
    return region.isLost || bytesRead < region.length ? undefined : bytes;
  }

  /** Nothing is read from it any more. Its place is used again in its turn. */
  drop(region: DiskRegion): void {
    region.isLost = true;
  }

  async #write(bytes: Buffer, onLost: () => void): Promise<DiskRegion> {
    const { length } = bytes;
    if (length > this.#size) throw new RangeError(`${length} bytes are more than the ${this.#size} of the ring.`);
    const isFull = this.#next + length > this.#size;
    if (isFull) this.#lose(this.#next, this.#size);
    const at = isFull ? 0 : this.#next;
    this.#lose(at, at + length);
    const file = await this.#opened();
    for (let done = 0; done < length; )
      done += (await writeFile(file, bytes, done, length - done, at + done)).bytesWritten;
    const region = { at, length, isLost: false, onLost };
    this.#regions.push(region);
    this.#next = at + length;
    return region;
  }

  /** What is there begins with the oldest. */
  #lose(from: number, to: number): void {
    for (let oldest = this.#regions[0]; oldest; oldest = this.#regions[0]) {
      if (oldest.at >= to || oldest.at + oldest.length <= from) return;
      this.#regions.shift();
      if (oldest.isLost) continue;
      oldest.isLost = true;
      oldest.onLost();
    }
  }

  #opened(): Promise<number> {
    if (this.#file) return this.#file;
    const opening = this.#open();
    this.#file = opening;
    opening.catch(() => {
      this.#file = undefined;
    });
    return opening;
  }

  async #open(): Promise<number> {
    rings += 1;
    const filePath = path.join(this.#folder, `pages-${process.pid}-${rings}`);
    const file = await openFile(filePath, "wx+", 0o600);
    closing.register(this, file);
    await unlinkFile(filePath);
    return file;
  }
}
