import { openAsBlob } from "node:fs";
import { mkdtemp, open, rm } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import path from "node:path";
import type { Readable, Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { Busboy } from "@fastify/busboy";
import { noRoom, takeBytes } from "#http";
import type { ServerLimits } from "../../limits.ts";
import type { Site } from "../site.ts";
import type { PostRoom } from "./posts.ts";
import { newUploadName } from "./upload-folder.ts";

export type Multipart =
  /** Each `File` reads from disk; `dispose` removes it. */
  | { kind: "form"; form: FormData; dispose: () => Promise<void> }
  | { kind: "refused"; status: 400 | 413 | 415 | 503; why: string };

/** Dependencies and options of reading one form. */
export interface FormDeps extends Pick<Site, "limits" | "uploadFolder"> {
  uploads: boolean;
  /** Given back by `dispose`, or by the reader if the form is refused. */
  room: PostRoom;
}

/** Reads a form with files. Files are written to disk as they arrive, so that they never fill memory. */
export async function readMultipart(incoming: IncomingMessage, deps: FormDeps): Promise<Multipart> {
  const { limits } = deps;
  const reading = new Reading(deps);
  const parser = reading.open(incoming.headers["content-type"] ?? "");
  if (!parser) return { kind: "refused", status: 400, why: "the form has no boundary" };
  const parsed = finished(parser).catch(() => reading.refuse(400, "the form could not be read"));
  const end = await takeBytes(incoming, limits.uploadBytes + limits.bodyBytes, (chunk) => {
    return parser.write(chunk) ? undefined : roomIn(parser);
  });
  if (end === "too-large") reading.refuse(413, `all files together may have ${limits.uploadBytes} bytes`);
  if (end === "cut") reading.refuse(400, "the form was cut");
  parser.end();
  await parsed;
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
  readonly #entries: Promise<[name: string, value: string | File] | undefined>[] = [];
  readonly #limits: ServerLimits;
  readonly #uploads: boolean;
  readonly #uploadFolder: string;
  readonly #room: PostRoom;
  #folder: Promise<string> | undefined;
  #refused: Extract<Multipart, { kind: "refused" }> | undefined;
  #fieldBytes = 0;
  #fileBytes = 0;

  constructor({ limits, uploads, uploadFolder, room }: FormDeps) {
    this.#limits = limits;
    this.#uploads = uploads;
    this.#uploadFolder = uploadFolder;
    this.#room = room;
  }

  refuse(status: 400 | 413 | 415 | 503, why: string): void {
    this.#refused ??= { kind: "refused", status, why };
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
    const dispose = async (): Promise<void> => {
      if (this.#folder) await rm(await this.#folder, { recursive: true, force: true });
      this.#room.release();
    };
    if (!this.#refused) return { kind: "form", form, dispose };
    await dispose();
    return this.#refused;
  }

  /** Writes one file to disk. Data after a refusal is read and discarded. */
  async #keep(name: string, stream: Readable, filename: string, type: string): Promise<[string, File] | undefined> {
    // Listens at once, because a form may break off before the file is created on disk.
    stream.once("error", () => this.refuse(400, "a file was cut"));
    // The name on disk is our own; the visitor's file name is never used as a path.
    const ownName = String(this.#entries.length);
    this.#folder ??= mkdtemp(path.join(this.#uploadFolder, newUploadName()));
    const file = path.join(await this.#folder, ownName);
    const size = await this.#write(stream, file);
    // Browsers send a file input without a file as an empty file without a name.
    if (size === 0 && !filename) return undefined;
    return [name, new File([await openAsBlob(file)], filename, { type })];
  }

  async #write(stream: Readable, file: string): Promise<number> {
    const handle = await open(file, "wx", 0o600);
    let size = 0;
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        size += chunk.length;
        this.#fileBytes += chunk.length;
        if (this.#fileBytes > this.#limits.uploadBytes)
          this.refuse(413, `all files together may have ${this.#limits.uploadBytes} bytes`);
        else if (!this.#refused && !this.#room.takeDisk(chunk.length)) this.refuse(503, noRoom);
        if (!this.#refused) await handle.write(chunk);
      }
    } catch {
      this.refuse(400, "a file could not be kept");
    } finally {
      await handle.close();
    }
    return size;
  }
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
