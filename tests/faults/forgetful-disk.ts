import type { Disk, ReadableFile, WritableFile, WriteMode } from "../../src/service/journal/disk.ts";

interface ForgetfulFile {
  written: Buffer;
  /** Content after a power cut. */
  synced: Buffer;
}

/**
 * A disk in memory that distinguishes written from synced data. It can lose power, fill up, and fail at any of its
 * steps. A durable write has two: write and sync.
 */
export class ForgetfulDisk implements Disk {
  freeBytes = Number.MAX_SAFE_INTEGER;
  failures = 0;
  #failingStep: number | undefined;
  readonly #files = new Map<string, ForgetfulFile>();
  #steps = 0;
  readonly #waiting: { steps: number; resolve: () => void }[] = [];

  constructor(failingStep?: number) {
    this.#failingStep = failingStep;
  }

  list(): readonly string[] {
    return [...this.#files.keys()];
  }

  async create(name: string, writes: WriteMode): Promise<WritableFile> {
    await this.#step("create");
    if (this.#files.has(name)) throw new Error(`EEXIST: ${name}`);
    this.#files.set(name, { written: Buffer.alloc(0), synced: Buffer.alloc(0) });
    return this.#writable(name, writes);
  }

  async reopen(name: string, writes: WriteMode): Promise<WritableFile> {
    await this.#step("open");
    return this.#writable(name, writes);
  }

  async remove(name: string): Promise<void> {
    await this.#step("remove");
    this.#files.delete(name);
  }

  openToRead(name: string): ReadableFile {
    const file = this.#file(name);
    return {
      size: () => file.written.length,
      read: (into, at) => file.written.copy(into, 0, at, at + into.length),
      close: () => undefined,
    };
  }

  losePower(): void {
    for (const file of this.#files.values()) file.written = Buffer.from(file.synced);
  }

  /** Returns the disk as after a power cut at this moment: some unsynced bytes may exist, cut at any place. */
  copyAfterPowerCut(seed: number): ForgetfulDisk {
    const copy = new ForgetfulDisk();
    for (const [name, file] of this.#files) {
      const unsynced = Math.max(0, file.written.length - file.synced.length);
      const survived = (seed * 7_919) % (unsynced + 1);
      const found = Buffer.concat([
        file.synced,
        file.written.subarray(file.synced.length, file.synced.length + survived),
      ]);
      copy.#files.set(name, { written: found, synced: Buffer.from(found) });
    }
    return copy;
  }

  /** Flips one bit of the first file. */
  flipBit(at: number): void {
    const [file] = this.#files.values();
    if (file !== undefined) file.written[at] = (file.written[at] ?? 0) ^ 0x10;
  }

  /** Resolves after this many steps, or when the disk is idle. */
  afterSteps(steps: number): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ steps, resolve });
      setTimeout(resolve, 20);
    });
  }

  #writable(name: string, writes: WriteMode): WritableFile {
    const file = this.#file(name);
    const sync = async (): Promise<void> => {
      const written = Buffer.from(file.written);
      await this.#step("sync");
      file.synced = written;
    };
    return {
      write: async (bytes, at) => {
        const room = Math.min(bytes.length, this.freeBytes);
        // A failing write may have written a part.
        put(file, bytes.subarray(0, room / 2), at);
        await this.#step("write");
        put(file, bytes.subarray(0, room), at);
        this.freeBytes -= room;
        if (room < bytes.length) throw new Error("ENOSPC: no space left on device");
        if (writes === "durable") await sync();
      },
      sync,
      truncate: async (size) => {
        await this.#step("truncate");
        file.written = file.written.subarray(0, size);
      },
      close: () => Promise.resolve(),
    };
  }

  /** Ends the planned failure, which has happened or was never reached, so that later steps succeed. */
  heal(): void {
    this.#failingStep = undefined;
  }

  async #step(what: string): Promise<void> {
    this.#steps += 1;
    for (const waiting of this.#waiting) if (waiting.steps === this.#steps) waiting.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    if (this.#steps !== this.#failingStep) return;
    this.failures += 1;
    throw new Error(`EIO: ${what} failed`);
  }

  #file(name: string): ForgetfulFile {
    const file = this.#files.get(name);
    if (file === undefined) throw new Error(`ENOENT: ${name}`);
    return file;
  }
}

function put(file: ForgetfulFile, bytes: Uint8Array, at: number): void {
  file.written = Buffer.concat([file.written.subarray(0, at), bytes, file.written.subarray(at + bytes.length)]);
}
