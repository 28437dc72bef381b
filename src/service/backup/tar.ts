import { closeSync, fsyncSync, openSync, readSync, statSync, writeSync } from "node:fs";

/**
 * A backup is a plain tar file, so that any tool can read it. Supports only regular files, names of at most 100
 * characters, and sizes of any length.
 */
const blockBytes = 512;
const chunkBytes = 1_048_576;

export class TarWriter {
  readonly #handle: number;

  constructor(file: string) {
    this.#handle = openSync(file, "wx", 0o600);
  }

  /** Adds a file. `seen` receives every chunk of it. */
  addFile(name: string, path: string, seen: (piece: Uint8Array) => void): void {
    const from = openSync(path, "r");
    try {
      const { size } = statSync(path);
      this.#write(headOf(name, size));
      const chunk = Buffer.allocUnsafe(chunkBytes);
      let left = size;
      while (left > 0) {
        const bytes = readSync(from, chunk, 0, Math.min(chunkBytes, left), null);
        if (bytes === 0) throw new Error(`${path} became shorter while it was copied.`);
        const piece = chunk.subarray(0, bytes);
        seen(piece);
        this.#write(piece);
        left -= bytes;
      }
      this.#write(Buffer.alloc(paddingOf(size)));
    } finally {
      closeSync(from);
    }
  }

  addText(name: string, text: string): void {
    const bytes = Buffer.from(text);
    this.#write(headOf(name, bytes.length));
    this.#write(bytes);
    this.#write(Buffer.alloc(paddingOf(bytes.length)));
  }

  /** Ends the archive. It survives a power loss when this returns. */
  finish(): void {
    this.#write(Buffer.alloc(2 * blockBytes));
    fsyncSync(this.#handle);
  }

  close(): void {
    closeSync(this.#handle);
  }

  #write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#handle, bytes, at);
  }
}

export interface TarEntry {
  readonly name: string;
  readonly size: number;
  /** Call at most once, before the next entry is requested. */
  pieces(): Generator<Buffer>;
}

/** Yields the entries of a tar file in order. Ends at the first invalid header. */
export function* readTar(file: string): Generator<TarEntry> {
  const handle = openSync(file, "r");
  try {
    const head = Buffer.alloc(blockBytes);
    for (let at = 0; readSync(handle, head, 0, blockBytes, at) === blockBytes; ) {
      const found = readHead(head);
      if (found === undefined) return;
      const from = at + blockBytes;
      yield { ...found, pieces: () => piecesOf(handle, from, found.size) };
      at = from + found.size + paddingOf(found.size);
    }
  } finally {
    closeSync(handle);
  }
}

function* piecesOf(handle: number, from: number, size: number): Generator<Buffer> {
  for (let done = 0; done < size; ) {
    const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, size - done));
    const bytes = readSync(handle, chunk, 0, chunk.length, from + done);
    if (bytes === 0) return;
    yield chunk.subarray(0, bytes);
    done += bytes;
  }
}

// Offsets in the header of an entry, as in POSIX.
const sizeAt = 124;
const sumAt = 148;
const largestOctal = 0o77777777777;

function headOf(name: string, size: number): Buffer {
  const head = Buffer.alloc(blockBytes);
  head.write(name, 0, 100, "utf8");
  head.write("0000600\0", 100, "latin1");
  head.write("0000000\0", 108, "latin1");
  head.write("0000000\0", 116, "latin1");
  if (size <= largestOctal) head.write(size.toString(8).padStart(11, "0"), sizeAt, "latin1");
  else {
    // A size beyond 8 GiB is written in binary, marked by the highest bit, which all current tars understand.
    head.writeBigUInt64BE(BigInt(size), sizeAt + 4);
    head[sizeAt] = 0x80;
  }
  head.write("00000000000\0", 136, "latin1");
  head.write("0", 156, "latin1");
  head.write("ustar\u000000", 257, "latin1");
  head.write(`${sumOf(head).toString(8).padStart(6, "0")}\0 `, sumAt, "latin1");
  return head;
}

function readHead(head: Buffer): { name: string; size: number } | undefined {
  const name = head.toString("utf8", 0, head.indexOf(0));
  const sum = Number.parseInt(head.toString("latin1", sumAt, sumAt + 6), 8);
  if (name === "" || sum !== sumOf(head)) return undefined;
  const isBinary = ((head[sizeAt] ?? 0) & 0x80) !== 0;
  const size = isBinary
    ? Number(head.readBigUInt64BE(sizeAt + 4))
    : Number.parseInt(head.toString("latin1", sizeAt, sizeAt + 11), 8);
  return Number.isSafeInteger(size) ? { name, size } : undefined;
}

/** Sum of all header bytes, with the checksum field counted as blanks. */
function sumOf(head: Buffer): number {
  let sum = 0;
  for (const [at, byte] of head.entries()) sum += at >= sumAt && at < sumAt + 8 ? 32 : byte;
  return sum;
}

function paddingOf(size: number): number {
  return (blockBytes - (size % blockBytes)) % blockBytes;
}
