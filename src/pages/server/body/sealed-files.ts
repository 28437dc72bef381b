import { createCipheriv, randomBytes } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { reclaimRead } from "./reclaim.ts";
import { openSealed } from "./sealed-blob.ts";
import { ivOf, type SealedPart, type SealedSource } from "./sealed-part.ts";

const keyBytes = 32;

/**
 * The files of one form, one after the other in a file on disk, encrypted from the first byte (AES-256-GCM) with a key
 * that is only in memory. A submission that is kept takes over the file as it is, and seals the key.
 */
export class SealedFiles {
  readonly path: string;
  readonly #source: SealedSource;
  readonly #parts = new Map<File, SealedPart>();
  #size = 0;
  #count = 0;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(path: string, handle: FileHandle) {
    this.path = path;
    this.#source = { handle, key: randomBytes(keyBytes) };
  }

  static async create(path: string): Promise<SealedFiles> {
    return new SealedFiles(path, await open(path, "wx+", 0o600));
  }

  get key(): Uint8Array {
    return this.#source.key;
  }

  get size(): number {
    return this.#size;
  }

  /** Files are written in turn: a form may begin its next file before this one is on disk. */
  add(content: AsyncIterable<Buffer>, named: { name: string; type: string }): Promise<File> {
    const adding = this.#last.then(async () => {
      const part = await this.#write(content);
      const file = openSealed(named, this.#source, part);
      this.#parts.set(file, part);
      return file;
    });
    this.#last = adding.catch(() => undefined);
    return adding;
  }

  partOf(file: File): SealedPart | undefined {
    return this.#parts.get(file);
  }

  /** From now on its files cannot be read any more. */
  async close(): Promise<void> {
    await this.#source.handle.close();
  }

  async #write(content: AsyncIterable<Buffer>): Promise<SealedPart> {
    const { handle, key } = this.#source;
    const number = this.#count++;
    const at = this.#size;
    const cipher = createCipheriv("aes-256-gcm", key, ivOf(number));
    for await (const piece of content) {
      await handle.writeFile(cipher.update(piece));
      this.#size += piece.length;
      reclaimRead(piece.length);
    }
    cipher.final();
    return { number, at, size: this.#size - at, tag: cipher.getAuthTag().toString("base64") };
  }
}
