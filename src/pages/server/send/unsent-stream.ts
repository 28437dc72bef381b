import { close, read, writeSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { promisify } from "node:util";
import { chunkBytes, chunksOf, writeChunk } from "./chunks.ts";

/** Where what was not writeChunk yet may wait, shared by all answers of the process. */
export interface OverflowSpace {
  /** So much waits in the response itself, as for any answer. */
  largeBytes: number;
  mayKeepInMemory(bytes: number): boolean;
  mayKeepOnDisk(bytes: number): boolean;
  count(inMemory: number, onDisk: number): void;
  /** A file that has no name any more. Throws where the disk takes nothing. */
  openFile(): number;
}

/**
 * An answer that is written while it is being made. Rendering never waits for a slow client; unsent chunks wait in
 * memory, or on disk where that is too much.
 */
export class UnsentStream {
  readonly #response: ServerResponse;
  readonly #room: OverflowSpace;
  /** Taken from here first: everything on disk is younger. */
  #memory: Buffer[] = [];
  #file: number | undefined;
  #asideBytes = 0;
  #takenBytes = 0;
  /** The one piece that was read from disk and not writeChunk yet; the next one is read into the same place. */
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
    } else if (this.#room.mayKeepOnDisk(bytes) && this.#putAside(piece, bytes)) {
      this.#room.count(0, bytes);
      this.#asideBytes += bytes;
    }
    // A slow client, and no space left: the response can only end early.
    else this.#response.destroy();
  }

  /**
   * At once, and as it is: pages are made one after the other, and each would otherwise wait in memory for the disk, or
   * for its copy to be swept up, while the next ones are made. 5 MiB go into the system's cache in some milliseconds, a
   * tenth of what it took to make them.
   */
  #putAside(piece: string | Uint8Array, bytes: number): boolean {
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
   * One piece, which is in memory as well from now on: the file keeps its size until it goes. Empty when the disk does
   * not give back what it was given.
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
    // A file that does not close has no name, and ends with the process.
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
