import { closeSync, fsyncSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";

const pieceBytes = 1024 ** 2;

/**
 * A file of zeros. It is deleted when the disk is full, so that old weeks can be deleted and data in memory can be
 * written. It is created again when there is room.
 */
export class ReserveFile {
  readonly #file: string;
  readonly #bytes: number;

  constructor(folder: string, bytes: number) {
    this.#file = join(folder, "ballast");
    this.#bytes = bytes;
  }

  get isThere(): boolean {
    return statSync(this.#file, { throwIfNoEntry: false })?.size === this.#bytes;
  }

  giveUp(): void {
    rmSync(this.#file, { force: true });
  }

  /** Writes the bytes instead of only reserving them: file systems accept sparse files that they have no room for. */
  layDown(): void {
    const handle = openSync(this.#file, "w", 0o600);
    try {
      const piece = Buffer.alloc(pieceBytes);
      for (let written = 0; written < this.#bytes; written += pieceBytes) {
        writeSync(handle, piece, 0, Math.min(pieceBytes, this.#bytes - written));
      }
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  }
}
