import { createHash, type Hash } from "node:crypto";
import { openAsBlob } from "node:fs";
import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import path from "node:path";
import type { Readable, Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { ReadableStream as WebStream } from "node:stream/web";
import { Busboy } from "@fastify/busboy";
import { noRoom, takeBytes } from "#http";
import * as pageErrors from "../../errors.ts";
import type { ServerLimits } from "../../limits.ts";
import type { ArrivingFile } from "../author/uploads.ts";
import type { Site } from "../site.ts";
import type { PostRoom } from "./posts.ts";
import { reclaimRead } from "./reclaim.ts";
import { SealedFiles } from "./sealed-files.ts";
import { newUploadName } from "./upload-folder.ts";

export type Multipart =
  /** Each `File` reads from disk. `dispose` removes what no action has taken. */
  | { kind: "form"; form: FormData; files: PostedFiles; dispose: () => Promise<void> }
  | { kind: "refused"; status: 400 | 413 | 415 | 503; why: string }
  | { kind: "failed"; thrown: unknown };

/** What is known of the files of a form beside its fields. */
export interface PostedFiles {
  /** Of each file's content, in the order of the form. */
  hashes: readonly string[];
  /** Texts that stand for files which the application has stored itself. */
  stored: ReadonlySet<string>;
  /** Where the others are, if they are encrypted. */
  sealed: SealedFiles | undefined;
  /** The action has taken them: `dispose` no longer discards those that the application has stored. */
  keep: () => void;
}

/** Stores files in the application's own place. Never throws on `discard`. */
export interface FileStore {
  /** How long `write` may take for one piece of a file, and after the last one. Waiting for the visitor is free. */
  withinMs: number;
  write(file: ArrivingFile): Promise<string>;
  discard(stored: string): Promise<void>;
}

/** Dependencies and options of reading one form. */
export interface FormDeps extends Pick<Site, "limits" | "uploadFolder"> {
  /** `sealed`: on disk they are encrypted from the first byte. */
  uploads: boolean | "sealed" | FileStore;
  /** Given back by `dispose`, or by the reader if the form is refused. */
  room: PostRoom;
}

/**
 * Reads a form with files. Files are written to disk, or to the application's own store, as they arrive, so that they
 * never fill memory.
 */
export async function readMultipart(incoming: IncomingMessage, deps: FormDeps): Promise<Multipart> {
  const { limits } = deps;
  const reading = new Reading(deps);
  const parser = reading.open(incoming.headers["content-type"] ?? "");
  if (!parser) return { kind: "refused", status: 400, why: "the form has no boundary" };
  const parsed = finished(parser).catch(() => reading.refuse(400, "the form could not be read"));
  const end = await takeBytes(incoming, limits.uploadBytes + limits.bodyBytes, (chunk) => {
    if (reading.hasEnded) return "no-room";
    reclaimRead(chunk.length);
    return parser.write(chunk) ? undefined : roomIn(parser);
  });
  if (end === "too-large") reading.refuse(413, `all files together may have ${limits.uploadBytes} bytes`);
  if (end === "cut") reading.cut();
  if (reading.hasEnded) reading.stopFiles();
  else {
    parser.end();
    await parsed;
  }
  return reading.result();
}

/**
 * Resolves when the parser accepts more data or is closed. A large file waits hundreds of times, so each wait removes
 * its listeners.
 */
function roomIn(parser: Writable): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const go = (): void => {
    parser.off("drain", go).off("close", go);
    resolve();
  };
  parser.on("drain", go).on("close", go);
  return promise;
}

/** One form while it is being read. */
class Reading {
  /** In the order of the form, even if a later file is written first. */
  readonly #entries: Promise<FormEntry | undefined>[] = [];
  readonly #limits: ServerLimits;
  readonly #uploads: boolean;
  readonly #store: FileStore | undefined;
  readonly #uploadFolder: string;
  readonly #room: PostRoom;
  readonly #open = new Set<Readable>();
  readonly #hashes: string[] = [];
  readonly #stored = new Set<string>();
  readonly #isSealed: boolean;
  #folder: Promise<string> | undefined;
  #sealed: Promise<SealedFiles> | undefined;
  /** Why the form is not taken: the first reason. */
  #ended: Exclude<Multipart, { kind: "form" }> | undefined;
  #fieldBytes = 0;
  #fileBytes = 0;

  constructor({ limits, uploads, uploadFolder, room }: FormDeps) {
    this.#limits = limits;
    this.#uploads = uploads !== false;
    this.#store = typeof uploads === "object" ? uploads : undefined;
    this.#isSealed = uploads === "sealed";
    this.#uploadFolder = uploadFolder;
    this.#room = room;
  }

  /** The rest of the body need not be read. */
  get hasEnded(): boolean {
    return this.#ended !== undefined;
  }

  /** The visitor has left. What the application throws then is no error of its own. */
  cut(): void {
    this.#ended = { kind: "refused", status: 400, why: "the form was cut" };
  }

  /**
   * Ends the files that were being read. The parser itself is left alone: when it is ended in the middle of a part that
   * it skips, it throws where no code can catch it.
   */
  stopFiles(): void {
    for (const stream of this.#open) stream.destroy(new UploadEnded());
  }

  #fail(thrown: unknown): void {
    this.#ended ??= { kind: "failed", thrown };
  }

  refuse(status: 400 | 413 | 415 | 503, why: string): void {
    this.#ended ??= { kind: "refused", status, why };
  }

  open(contentType: string): ReturnType<typeof openParser> | undefined {
    const { bodyBytes, formFields, uploadFiles } = this.#limits;
    try {
      const parser = openParser(contentType, this.#limits, this.#uploads ? uploadFiles : 0);
      parser.on("field", (name, value, nameCut, valueCut) => {
        this.#fieldBytes += value.length;
        if (nameCut || valueCut || this.#fieldBytes > bodyBytes)
          this.refuse(413, `the fields of a form may have ${bodyBytes} bytes`);
        else if (!this.#room.takeMemory(value.length)) this.refuse(503, noRoom);
        else this.#entries.push(Promise.resolve([name, value]));
      });
      parser.on("file", (name, stream, filename, _encoding, type) => {
        this.#entries.push(this.#keep(name, stream, filename, type));
      });
      parser.on("filesLimit", () =>
        this.#uploads
          ? this.refuse(413, `at most ${uploadFiles} files are taken`)
          : this.refuse(415, "this action takes no files"),
      );
      parser.on("fieldsLimit", () => this.refuse(413, tooManyFields(formFields).why));
      parser.on("partsLimit", () => this.refuse(413, tooManyFields(formFields).why));
      return parser;
    } catch {
      return undefined;
    }
  }

  async result(): Promise<Multipart> {
    const form = new FormData();
    for (const entry of await Promise.all(this.#entries)) if (entry) form.append(...(entry as [string, File]));
    const sealed = await this.#sealed?.catch(() => undefined);
    let isKept = false;
    const dispose = async (): Promise<void> => {
      await sealed?.close();
      if (this.#folder) await rm(await this.#folder, { recursive: true, force: true });
      if (!isKept) await Promise.all([...this.#stored].map((one) => this.#store?.discard(one)));
      this.#room.release();
    };
    const keep = (): void => {
      isKept = true;
    };
    if (!this.#ended)
      return { kind: "form", form, files: { hashes: this.#hashes, stored: this.#stored, sealed, keep }, dispose };
    await dispose();
    return this.#ended;
  }

  /** Keeps one file. Data after a refusal is read and discarded. */
  #keep(name: string, stream: Readable, filename: string, type: string): Promise<FormEntry | undefined> {
    // Listens at once, because a form may break off before the file is created.
    stream.once("error", () => this.refuse(400, "a file was cut"));
    this.#open.add(stream);
    // Files may end in another order than they begin.
    const place = this.#hashes.push("") - 1;
    const hash = createHash("sha256");
    const watch = this.#store && new StoreWatch(this.#store.withinMs);
    const content = this.#counted(stream, hash, watch);
    const kept = watch
      ? this.#storeFile({ field: name, name: filename, type }, content, watch)
      : this.#keepOnDisk({ field: name, name: filename, type }, this.#ontoDisk(content));
    return kept.finally(async () => {
      this.#hashes[place] = hash.digest("base64");
      await content.return();
      // The parser waits for the rest of a file even if no code reads it.
      stream.resume();
      this.#open.delete(stream);
    });
  }

  /** The pieces of a file. Ends with an error once the form is refused. */
  async *#counted(stream: Readable, hash: Hash, watch: StoreWatch | undefined): AsyncGenerator<Buffer, void> {
    for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      this.#fileBytes += chunk.length;
      if (this.#fileBytes > this.#limits.uploadBytes)
        this.refuse(413, `all files together may have ${this.#limits.uploadBytes} bytes`);
      if (this.#ended) throw new UploadEnded();
      hash.update(chunk);
      watch?.begin();
      yield chunk;
      watch?.stop();
    }
    watch?.begin();
  }

  async #storeFile(
    file: Omit<ArrivingFile, "stream">,
    content: AsyncGenerator<Buffer, void>,
    watch: StoreWatch,
  ): Promise<FormEntry | undefined> {
    const store = this.#store as FileStore;
    try {
      const first = await content.next();
      if (first.done && !file.name) return undefined;
      const pieces = first.done ? [] : [first.value];
      const stream = WebStream.from(followedBy(pieces, content)) as ReadableStream<Uint8Array>;
      const writing = store.write({ ...file, stream });
      const stored = await Promise.race([writing, watch.late]).catch((thrown: unknown) => {
        // The form ends without this file, which must not stay if it is stored after all.
        writing.then(store.discard, () => undefined);
        throw thrown;
      });
      if (typeof stored !== "string") throw pageErrors.storedFileUnnamed(typeof stored);
      this.#stored.add(stored);
      return [file.field, stored];
    } catch (thrown) {
      this.#fail(thrown);
      return undefined;
    } finally {
      watch.stop();
    }
  }

  async #keepOnDisk(
    { field, name, type }: Omit<ArrivingFile, "stream">,
    content: AsyncGenerator<Buffer, void>,
  ): Promise<FormEntry | undefined> {
    // The names on disk are our own; the visitor's file name is never used as a path.
    const ownName = String(this.#entries.length);
    this.#folder ??= mkdtemp(path.join(this.#uploadFolder, newUploadName()));
    const folder = await this.#folder;
    if (this.#isSealed) this.#sealed ??= SealedFiles.create(path.join(folder, "sealed"));
    const place = this.#sealed ? await this.#sealed : await PlainFile.create(path.join(folder, ownName));
    try {
      const file = await place.add(content, { name, type });
      // Browsers send a file input without a file as an empty file without a name.
      return file.size === 0 && !name ? undefined : [field, file];
    } catch {
      this.refuse(400, "a file could not be kept");
      return undefined;
    }
  }

  /** Ends early if there is no space for it. */
  async *#ontoDisk(content: AsyncGenerator<Buffer, void>): AsyncGenerator<Buffer, void> {
    for await (const chunk of content) {
      if (!this.#room.takeDisk(chunk.length)) return this.refuse(503, noRoom);
      yield chunk;
    }
  }
}

/** A file on disk as it was sent. */
class PlainFile {
  readonly #path: string;
  readonly #handle: FileHandle;

  private constructor(at: string, handle: FileHandle) {
    this.#path = at;
    this.#handle = handle;
  }

  static async create(at: string): Promise<PlainFile> {
    return new PlainFile(at, await open(at, "wx", 0o600));
  }

  async add(content: AsyncIterable<Buffer>, { name, type }: Pick<ArrivingFile, "name" | "type">): Promise<File> {
    try {
      for await (const chunk of content) await this.#handle.write(chunk);
    } finally {
      await this.#handle.close();
    }
    return new File([await openAsBlob(this.#path)], name, { type });
  }
}

/** Bounds the time during which the application's own store is at work. */
class StoreWatch {
  readonly #late = Promise.withResolvers<never>();
  readonly #withinMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(withinMs: number) {
    this.#withinMs = withinMs;
    // No code waits for it before a file is being stored.
    this.#late.promise.catch(() => undefined);
  }

  /** Rejects when the time is up. */
  get late(): Promise<never> {
    return this.#late.promise;
  }

  begin(): void {
    this.#timer = setTimeout(() => this.#late.reject(pageErrors.storeTimedOut(this.#withinMs)), this.#withinMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

type FormEntry = [name: string, value: string | File];

/** Thrown into what reads a file whose form has been refused. The refusal says why. */
class UploadEnded extends Error {
  constructor() {
    super("The upload was refused.");
  }
}

async function* followedBy(pieces: readonly Buffer[], rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  yield* pieces;
  yield* rest;
}

function openParser(contentType: string, limits: ServerLimits, files: number) {
  return new Busboy({
    headers: { "content-type": contentType },
    limits: {
      fieldSize: limits.bodyBytes,
      fieldNameSize: 200,
      fields: limits.formFields,
      files,
      parts: limits.formFields + files,
      headerPairs: 50,
    },
  });
}

export function tooManyFields(atMost: number): { kind: "refused"; status: 413; why: string } {
  return { kind: "refused", status: 413, why: `a form may have ${atMost} fields` };
}
