import { closeSync, existsSync, fsyncSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { serviceErrors } from "../../errors.ts";
import { ProgressFile } from "./progress-file.ts";
import { type Repeating, repeatCalls } from "./repeat-calls.ts";

/** Opens the lines of an export, from a cursor on. */
export type OpenLines = (after: string | undefined) => Promise<AsyncIterable<string>>;

interface ExportProgress {
  /** Everything before it is complete. */
  readonly bytes: number;
  readonly after: string;
  readonly lines: number;
  /** What is exported. */
  readonly from: string;
}

/** Lines are compressed in pieces of this size, so that a file can be continued after any of them. */
const pieceBytes = 1_048_576;

export interface ExportFileOptions extends Repeating {
  /** What is exported, to know it again. */
  readonly from: string;
  readonly onLines?: (lines: number) => void;
}

/**
 * Writes an export into a file, compressed if its name ends with `.gz`. Goes on after a broken connection, and after a
 * process that was killed. Resolves with the number of lines.
 */
export async function writeExportFile(file: string, open: OpenLines, options: ExportFileOptions): Promise<number> {
  const progress = new ProgressFile<ExportProgress>(`${file}.progress`);
  const isOurs = (one: Readonly<Record<string, unknown>>): boolean =>
    one.from === options.from && Number.isSafeInteger(one.bytes) && typeof one.after === "string";
  const begun = progress.read(isOurs);
  if (existsSync(file) && begun === undefined) throw serviceErrors.exportFileThere(file);
  const writing = new ExportWriting(file, begun, options, (next) => progress.write(next));
  try {
    let isEnded = false;
    while (!isEnded)
      isEnded = await repeatCalls(async () => {
        const before = writing.lines;
        try {
          return await writing.add(await open(writing.after));
        } catch (error) {
          // Not in a row: something has come since the last failure.
          if (writing.lines > before) return false;
          throw error;
        }
      }, options);
    writing.finish();
  } finally {
    writing.close();
  }
  progress.remove();
  return writing.lines;
}

class ExportWriting {
  readonly #descriptor: number;
  readonly #isCompressed: boolean;
  readonly #options: ExportFileOptions;
  readonly #save: (progress: ExportProgress) => void;
  /** Of what is complete: a cursor is its last line. */
  #kept: Omit<ExportProgress, "after" | "from"> & { readonly after: string | undefined };
  #bytes: number;
  #pending: string[] = [];
  #pendingBytes = 0;

  constructor(
    file: string,
    begun: ExportProgress | undefined,
    options: ExportFileOptions,
    save: (progress: ExportProgress) => void,
  ) {
    this.#descriptor = openSync(file, begun === undefined ? "w" : "r+", 0o600);
    this.#isCompressed = file.endsWith(".gz");
    this.#options = options;
    this.#save = save;
    this.#kept = begun ?? { bytes: 0, lines: 0, after: undefined };
    this.#bytes = this.#kept.bytes;
  }

  get after(): string | undefined {
    return this.#kept.after;
  }

  get lines(): number {
    return this.#kept.lines;
  }

  /** Whether the last line has come. */
  async add(lines: AsyncIterable<string>): Promise<boolean> {
    this.#goBack();
    let count = this.#kept.lines;
    for await (const text of lines) {
      const line = text.trimEnd();
      if (line === "") continue;
      count += 1;
      this.#pending.push(`${line}\n`);
      this.#pendingBytes += line.length;
      const place = placeIn(line);
      if (place === "end" || place !== undefined || this.#pendingBytes > pieceBytes) this.#writePiece();
      if (place === "end") {
        this.#kept = { ...this.#kept, lines: count };
        return true;
      }
      if (place !== undefined) this.#keep(place.after, count);
    }
    throw serviceErrors.exportCut();
  }

  #keep(after: string, lines: number): void {
    fsyncSync(this.#descriptor);
    this.#kept = { bytes: this.#bytes, after, lines };
    this.#save({ bytes: this.#bytes, after, lines, from: this.#options.from });
    this.#options.onLines?.(lines);
  }

  /** What follows the last cursor comes again. */
  #goBack(): void {
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#bytes = this.#kept.bytes;
    ftruncateSync(this.#descriptor, this.#bytes);
  }

  #writePiece(): void {
    const text = Buffer.from(this.#pending.join(""));
    const piece = this.#isCompressed ? gzipSync(text) : text;
    writeSync(this.#descriptor, piece, 0, piece.length, this.#bytes);
    this.#bytes += piece.length;
    this.#pending = [];
    this.#pendingBytes = 0;
  }

  finish(): void {
    fsyncSync(this.#descriptor);
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}

/** A cursor, or the last line of all. Undefined for lines with content, which are not parsed. */
function placeIn(line: string): { readonly after: string } | "end" | undefined {
  if (line.startsWith('{"kind":"end"')) return "end";
  const cursor = /^\{"kind":"cursor","after":"([\w-]+)"\}$/.exec(line);
  return cursor?.[1] === undefined ? undefined : { after: cursor[1] };
}
