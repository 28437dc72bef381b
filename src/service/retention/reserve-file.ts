import { closeSync, fsyncSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";

const pieceBytes = 1024 ** 2;

/**
 * A file of zeros. When the disk is full it is deleted, so that old weeks can be dropped and what is
 * in memory can be written; when there is room again it is created again.
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

  /** Written out, not merely reserved: file systems promise room for holes that they then do not have. */
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
