import { createReadStream } from "node:fs";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { messageOf } from "#errors";
import { isObject } from "#protocol";
import { readPortableLine } from "../../api/routes/portable-schemas.ts";
import { serviceErrors } from "../../errors.ts";
import type { ImportOutcome } from "../../portable/import-lines.ts";
import { type PortableLimits, portableLimits } from "../../portable/limits.ts";
import { type PortableLine, portableFormat } from "../../stores/portable/lines.ts";
import { ProgressFile } from "./progress-file.ts";

export interface ImportTarget {
  /** Names service and project. */
  readonly name: string;
  /** Sends the same lines again after a cut connection. */
  send(lines: readonly PortableLine[]): Promise<ImportOutcome>;
}

export interface ImportTotals extends ImportOutcome {
  /** Lines that could not be read, and were left out. */
  readonly wrong: number;
}

export const nothingImported: ImportTotals = { taken: 0, present: 0, unknown: 0, wrong: 0 };

export interface ImportFileOptions {
  /** Called for a wrong line, which is left out. Without it, the import stops there. */
  readonly onWrong?: ((line: number, why: string) => void) | undefined;
  readonly onLines?: (lines: number, totals: ImportTotals) => void;
  readonly limits?: PortableLimits;
}

interface ImportProgress {
  readonly lines: number;
  readonly into: string;
  readonly header: string;
  readonly totals: ImportTotals;
}

/** Imports a file. A run after one that was killed goes on where that was. */
export async function importFile(
  file: string,
  target: ImportTarget,
  options: ImportFileOptions = {},
): Promise<ImportTotals> {
  const lines = linesOf(file);
  const first = await lines.next();
  const header = first.done ? "" : first.value;
  requireHeader(header, file);
  const progress = new ProgressFile<ImportProgress>(`${file}.import-progress`);
  // Another export may have the same name. Its header has another time.
  const begun = progress.read(
    (one) => one.into === target.name && one.header === header && Number.isSafeInteger(one.lines),
  );
  const sending = new LineSender(target, begun?.totals ?? nothingImported, options, (done, totals) =>
    progress.write({ lines: done, into: target.name, header, totals }),
  );
  let number = 1;
  let isEnded = false;
  for await (const text of lines) {
    number += 1;
    if (isEnded) throw serviceErrors.importWrongLine(file, number, "It follows the last line of the export");
    isEnded = text.startsWith('{"kind":"end"');
    if (begun === undefined || number > begun.lines) await importLine(text, number, { file, sending, options });
  }
  await sending.flush();
  if (!isEnded) throw serviceErrors.importTruncated(file, number);
  progress.remove();
  return sending.totals;
}

async function importLine(
  text: string,
  number: number,
  { file, sending, options }: { file: string; sending: LineSender; options: ImportFileOptions },
): Promise<void> {
  const line = readLine(text);
  if (line.kind === "content") return sending.add(line.line, text.length, number);
  if (line.kind === "none") return;
  if (options.onWrong === undefined) {
    await sending.flush();
    throw serviceErrors.importWrongLine(file, number, line.why);
  }
  options.onWrong(number, line.why);
  sending.countWrong();
}

/** Gathers lines for one request. Memory holds one at a time. */
export class LineSender {
  readonly #target: ImportTarget;
  readonly #options: ImportFileOptions;
  readonly #limits: PortableLimits;
  readonly #save: (lines: number, totals: ImportTotals) => void;
  totals: ImportTotals;
  #lines: PortableLine[] = [];
  #bytes = 0;
  #last = 0;

  constructor(
    target: ImportTarget,
    totals: ImportTotals,
    options: ImportFileOptions,
    save: (lines: number, totals: ImportTotals) => void,
  ) {
    this.#target = target;
    this.totals = totals;
    this.#options = options;
    this.#limits = options.limits ?? portableLimits;
    this.#save = save;
  }

  async add(line: PortableLine, characters: number, number: number): Promise<void> {
    // In UTF-8, a character of JavaScript has at most three bytes.
    const bytes = characters * 3;
    const isFull = this.#lines.length >= this.#limits.linesAtOnce || this.#bytes + bytes > this.#limits.chunkBytes;
    if (isFull && this.#lines.length > 0) await this.flush();
    this.#lines.push(line);
    this.#bytes += bytes;
    this.#last = number;
  }

  countWrong(): void {
    this.totals = { ...this.totals, wrong: this.totals.wrong + 1 };
  }

  async flush(): Promise<void> {
    if (this.#lines.length === 0) return;
    const { taken, present, unknown } = await this.#target.send(this.#lines);
    this.totals = {
      ...this.totals,
      taken: this.totals.taken + taken,
      present: this.totals.present + present,
      unknown: this.totals.unknown + unknown,
    };
    this.#lines = [];
    this.#bytes = 0;
    this.#save(this.#last, this.totals);
    this.#options.onLines?.(this.#last, this.totals);
  }
}

type ReadLine =
  | { readonly kind: "content"; readonly line: PortableLine }
  | { readonly kind: "none" }
  | { readonly kind: "wrong"; readonly why: string };

const withoutContent: ReadonlySet<unknown> = new Set(["header", "cursor", "left-out", "end"]);

function readLine(text: string): ReadLine {
  if (text.trim() === "") return { kind: "none" };
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value) && withoutContent.has(value.kind)) return { kind: "none" };
    const read = readPortableLine(value);
    return read.kind === "wrong" ? read : { kind: "content", line: read.line };
  } catch (error) {
    return { kind: "wrong", why: messageOf(error) };
  }
}

function requireHeader(text: string, file: string): void {
  let header: unknown;
  try {
    header = JSON.parse(text);
  } catch {
    header = undefined;
  }
  if (!isObject(header) || header.kind !== "header") throw serviceErrors.importNoHeader(file);
  if (header.format !== portableFormat) throw serviceErrors.importOtherFormat(file, String(header.format));
}

/** A line may have the megabytes of an attachment. Half a line at the end is read too: it is wrong, and named. */
async function* linesOf(file: string): AsyncGenerator<string> {
  const source = createReadStream(file);
  const bytes = file.endsWith(".gz") ? pipeline(source, createGunzip(), () => undefined) : source;
  let rest = "";
  const decoder = new TextDecoder();
  try {
    for await (const piece of bytes) {
      const lines = (rest + decoder.decode(piece as Uint8Array, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
  } catch (error) {
    if (error instanceof Error && "code" in error && String(error.code).startsWith("Z_")) {
      // A compressed file that was cut: what could be read of it counts.
      return;
    }
    throw error;
  }
  if (rest !== "") yield rest;
}
