import type { Disk, ReadableFile, WritableFile } from "./disk.ts";

interface ForgetfulFile {
  written: Buffer;
  /** What a power cut leaves. */
  synced: Buffer;
}

/** A disk in memory that keeps apart what was written and what was synced, can lose power, and can fill up. For tests. */
export class ForgetfulDisk implements Disk {
  freeBytes = Number.MAX_SAFE_INTEGER;
  readonly #files = new Map<string, ForgetfulFile>();
  #steps = 0;
  readonly #waiting: { steps: number; resolve: () => void }[] = [];

  list(): readonly string[] {
    return [...this.#files.keys()];
  }

  async create(name: string): Promise<WritableFile> {
    await this.#step();
    if (this.#files.has(name)) throw new Error(`EEXIST: ${name}`);
    this.#files.set(name, { written: Buffer.alloc(0), synced: Buffer.alloc(0) });
    return this.reopen(name);
  }

  async reopen(name: string): Promise<WritableFile> {
    const file = this.#file(name);
    return {
      write: async (bytes, at) => {
        await this.#step();
        const room = Math.min(bytes.length, this.freeBytes);
        this.freeBytes -= room;
        file.written = Buffer.concat([
          file.written.subarray(0, at),
          bytes.subarray(0, room),
          file.written.subarray(at + room),
        ]);
        if (room < bytes.length) throw new Error("ENOSPC: no space left on device");
      },
      sync: async () => {
        await this.#step();
        file.synced = Buffer.from(file.written);
      },
      truncate: async (size) => {
        await this.#step();
        file.written = file.written.subarray(0, size);
      },
      close: () => Promise.resolve(),
    };
  }

  async remove(name: string): Promise<void> {
    await this.#step();
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

  /** The disk as it would be found now after a power cut: some of what was written but not synced may be there, torn anywhere. */
  copyAfterPowerCut(seed: number): ForgetfulDisk {
    const copy = new ForgetfulDisk();
    for (const [name, file] of this.#files) {
      const unsynced = Math.max(0, file.written.length - file.synced.length);
      const survived = file.written.length < file.synced.length ? 0 : (seed * 7_919) % (unsynced + 1);
      const found = Buffer.concat([
        file.synced,
        file.written.subarray(file.synced.length, file.synced.length + survived),
      ]);
      copy.#files.set(name, { written: found, synced: Buffer.from(found) });
    }
    return copy;
  }

  /** Flips one bit at a place of the first file. */
  flipBit(at: number): void {
    const [file] = this.#files.values();
    if (file !== undefined) file.written[at] = (file.written[at] ?? 0) ^ 0x10;
  }

  /** Resolves when the disk has done so many steps, or when it has nothing left to do. */
  afterSteps(steps: number): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ steps, resolve });
      setTimeout(resolve, 20);
    });
  }

  async #step(): Promise<void> {
    this.#steps += 1;
    for (const waiting of this.#waiting) if (waiting.steps === this.#steps) waiting.resolve();
    await new Promise((resolve) => setImmediate(resolve));
  }

  #file(name: string): ForgetfulFile {
    const file = this.#files.get(name);
    if (file === undefined) throw new Error(`ENOENT: ${name}`);
    return file;
  }
}

/** Passes everything on, except the one step whose turn it is to fail. For tests that let every step fail once. */
export class FaultyDisk implements Disk {
  readonly inner: ForgetfulDisk;
  failures = 0;
  readonly #failingStep: number;
  #step = 0;

  constructor(inner: ForgetfulDisk, failingStep: number) {
    this.inner = inner;
    this.#failingStep = failingStep;
  }

  list(): readonly string[] {
    return this.inner.list();
  }

  async create(name: string): Promise<WritableFile> {
    this.#mayFail("create");
    return this.#wrap(await this.inner.create(name));
  }

  async reopen(name: string): Promise<WritableFile> {
    this.#mayFail("open");
    return this.#wrap(await this.inner.reopen(name));
  }

  async remove(name: string): Promise<void> {
    this.#mayFail("remove");
    await this.inner.remove(name);
  }

  openToRead(name: string): ReadableFile {
    return this.inner.openToRead(name);
  }

  #wrap(file: WritableFile): WritableFile {
    return {
      write: async (bytes, at) => {
        // A write that fails may have written a part.
        if (this.#isTurn()) await file.write(bytes.subarray(0, bytes.length / 2), at);
        this.#mayFail("write");
        await file.write(bytes, at);
      },
      sync: async () => {
        this.#mayFail("sync");
        await file.sync();
      },
      truncate: async (size) => {
        this.#mayFail("truncate");
        await file.truncate(size);
      },
      close: () => file.close(),
    };
  }

  #isTurn(): boolean {
    return this.#step === this.#failingStep;
  }

  #mayFail(what: string): void {
    const isTurn = this.#isTurn();
    this.#step += 1;
    if (isTurn) {
      this.failures += 1;
      throw new Error(`EIO: ${what} failed`);
    }
  }
}
