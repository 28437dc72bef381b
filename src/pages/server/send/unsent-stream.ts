import { close, read, writeSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { promisify } from "node:util";
import { chunkBytes, chunksOf, writeChunk } from "./chunks.ts";

/** Space for unsent data, shared by all responses of the process. */
export interface OverflowSpace {
  /** This much waits in the response itself, as for any response. */
  largeBytes: number;
  mayKeepInMemory(bytes: number): boolean;
  mayKeepOnDisk(bytes: number): boolean;
  count(inMemory: number, onDisk: number): void;
  /** Opens an unlinked file. Throws if the disk is full. */
  openFile(): number;
}

/**
 * A response that is written while it is being rendered. Rendering never waits for a slow client; unsent chunks wait in
 * memory, or on disk if that is too much.
 */
export class UnsentStream {
  readonly #response: ServerResponse;
  readonly #room: OverflowSpace;
  /** Sent first: everything on disk is newer. */
  #memory: Buffer[] = [];
  #file: number | undefined;
  #asideBytes = 0;
  #takenBytes = 0;
  /** The one piece that was read from disk and not written yet; the next one reuses its buffer. */
  #onItsWay: Buffer | undefined;
  #isCatchingUp = false;
  #hasEnded = false;

  constructor(response: ServerResponse, room: OverflowSpace) {
    this.#response = response;
    this.#room = room;
    response.once("close", () => this.#isCatchingUp || this.#forget());
  }

  write(piece: string | Uint8Array): void {
    const response = this.#response;
    if (response.destroyed) return;
    if (!this.#isCatchingUp && response.writableLength + piece.length <= this.#room.largeBytes)
      return void response.write(piece);
    this.#keep(piece);
    if (!this.#isCatchingUp) void this.#catchUp();
  }

  end(): void {
    this.#hasEnded = true;
    if (!this.#isCatchingUp) this.#response.end();
  }

  #keep(piece: string | Uint8Array): void {
    const bytes = Buffer.byteLength(piece);
    const isAside = this.#takenBytes < this.#asideBytes;
    if (!isAside && this.#room.mayKeepInMemory(bytes)) {
      this.#room.count(bytes, 0);
      this.#memory.push(...chunksOf(typeof piece === "string" ? piece : Buffer.from(piece)));
    } else if (this.#room.mayKeepOnDisk(bytes) && this.#spillToDisk(piece, bytes)) {
      this.#room.count(0, bytes);
      this.#asideBytes += bytes;
    }
    // A slow client, and no space left: the response can only end early.
    else this.#response.destroy();
  }

  /**
   * Writes synchronously and without a copy: with asynchronous writes each page would wait in memory for the disk or
   * the garbage collector while the next ones are rendered. 5 MiB reach the system's cache in some milliseconds, a
   * tenth of the time to render them.
   */
  #spillToDisk(piece: string | Uint8Array, bytes: number): boolean {
    try {
      this.#file ??= this.#room.openFile();
      const written =
        typeof piece === "string"
          ? writeSync(this.#file, piece, this.#asideBytes)
          : writeSync(this.#file, piece, 0, bytes, this.#asideBytes);
      return written === bytes;
    } catch {
      return false;
    }
  }

  async #catchUp(): Promise<void> {
    this.#isCatchingUp = true;
    while (!this.#response.destroyed && (this.#memory.length > 0 || this.#takenBytes < this.#asideBytes)) {
      const part = this.#memory.shift() ?? (await this.#takeFromDisk());
      await writeChunk(this.#response, part);
      this.#room.count(-part.length, 0);
    }
    this.#isCatchingUp = false;
    if (this.#response.destroyed) this.#forget();
    else if (this.#hasEnded) this.#response.end();
  }

  /**
   * Reads one piece, which then counts as memory too: the file keeps its size until it is closed. Destroys the response
   * if the disk returns nothing.
   */
  async #takeFromDisk(): Promise<Buffer> {
    this.#onItsWay ??= Buffer.allocUnsafe(chunkBytes);
    const bytes = await readAt(this.#file ?? -1, this.#onItsWay, this.#takenBytes);
    if (bytes === 0) this.#response.destroy();
    this.#takenBytes += bytes;
    this.#room.count(bytes, 0);
    return this.#onItsWay.subarray(0, bytes);
  }

  #forget(): void {
    const waiting = this.#memory.reduce((bytes, { length }) => bytes + length, 0);
    this.#room.count(-waiting, -this.#asideBytes);
    this.#memory = [];
    this.#takenBytes = 0;
    this.#asideBytes = 0;
    // If closing fails, the unlinked file still ends with the process.
    if (this.#file !== undefined) close(this.#file, () => undefined);
    this.#file = undefined;
  }
}

const readFile = promisify(read);

async function readAt(file: number, into: Buffer, at: number): Promise<number> {
  try {
    return (await readFile(file, into, 0, into.length, at)).bytesRead;
  } catch {
    return 0;
  }
}
