import { createReadStream, type ReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import path from "node:path";
import {
  type ByteRange,
  chooseEncoding,
  type Exchange,
  matchesEntityTag,
  readByteRange,
  StoredResponse,
  storedBytes,
  storedSenderOf,
} from "#http";
import { type FileCache, keptFileBytesEach } from "./file-cache.ts";

export interface BrowserFile {
  path: string;
  file: string;
  type: string;
  encodings: readonly string[];
  immutable: boolean;
  hash?: string;
  /** Without any encoding. */
  bytes?: number;
}

const endings: Readonly<Record<string, string>> = { br: ".br", gzip: ".gz", zstd: ".zst" };

/** Relative to the build folder. */
export function diskPathOf(file: BrowserFile, encoding: string | undefined): string {
  return file.file + (encoding ? (endings[encoding] ?? "") : "");
}

/** Files in memory, as they are sent. */
export type SentFiles = FileCache<SentFile>;

/** With a policy of a dozen hashes; most heads have half of it. */
const headBytes = 2_048;

/** One encoding of a file. */
export class SentFile {
  /** Of small files a text, with one character for each byte. */
  readonly body: Buffer | string;
  /** The list of headers of `response`, as the caller of `send` names it. */
  headers: readonly string[] | undefined;
  response: StoredResponse | undefined;

  constructor(content: Buffer) {
    this.body = content.length <= storedBytes ? content.toString("latin1") : content;
  }

  /** In memory. With a small file, the head of its response is kept. */
  get length(): number {
    return this.body.length + (typeof this.body === "string" ? headBytes : 0);
  }
}

export interface FolderOfFile {
  dist: string;
  /** Names the version of a file that has no hash. */
  build: string;
  cache: SentFiles | undefined;
}

/** One file of a build, as it is sent again and again. */
export class StoredFile {
  readonly file: BrowserFile;
  readonly #folder: FolderOfFile;
  /** Where each encoding is on disk, by its name. */
  readonly #sources = new Map<string | undefined, string>();

  constructor(file: BrowserFile, folder: FolderOfFile) {
    this.file = file;
    this.#folder = folder;
  }

  /** Sends the file, a part of it, or 304. `areConstant`: most requests get this very list of headers. */
  send(exchange: Exchange, headers: readonly string[], areConstant: boolean): void {
    if (!areConstant || !this.#sendStored(exchange, headers)) this.#sendByRequest(exchange, headers, areConstant);
  }

  /** To a request for the whole file, if it is in memory with these headers. */
  #sendStored(exchange: Exchange, headers: readonly string[]): boolean {
    const { cache } = this.#folder;
    const asked = exchange.incoming.headers;
    if (!cache || asked.range !== undefined || asked["if-none-match"] !== undefined) return false;
    const sent = cache.peek(this.#sourceOf(chooseEncoding(asked["accept-encoding"], this.file.encodings)));
    if (sent?.response === undefined || sent.headers !== headers) return false;
    const sender = storedSenderOf(exchange);
    sender?.sendStored(sent.response);
    return sender !== undefined;
  }

  #sendByRequest(exchange: Exchange, constant: readonly string[], areConstant: boolean): void {
    const { incoming, response } = exchange;
    const { file } = this;
    const { cache } = this.#folder;
    if (incoming.method !== "GET" && incoming.method !== "HEAD") {
      response.writeHead(405, { Allow: "GET, HEAD", "Content-Length": "0" }).end();
      return;
    }
    const headers = [...constant];
    const range = this.#rangeOf(incoming);
    // A range is of the file itself, not of one of its encodings.
    const encoding =
      range.kind === "whole" ? chooseEncoding(incoming.headers["accept-encoding"], file.encodings) : undefined;
    if (file.bytes !== undefined) headers.push("Accept-Ranges", "bytes");
    if (!file.immutable) {
      headers.push("ETag", this.#tagOf(encoding));
      if (this.#isUnchanged(incoming)) {
        response.writeHead(304, headers).end();
        return;
      }
    }
    if (range.kind === "outside") {
      response.writeHead(416, [...headers, "Content-Range", `bytes */${file.bytes}`, "Content-Length", "0"]).end();
      return;
    }
    const source = this.#sourceOf(encoding);
    if (encoding) headers.push("Content-Encoding", encoding);
    const isSmall = file.bytes !== undefined && file.bytes <= keptFileBytesEach;
    if (cache && isSmall && range.kind === "whole" && incoming.method === "GET")
      return sendCached({ cache, source, headers, response, constant: areConstant ? constant : undefined });
    const length = encoding ? undefined : range.kind === "part" ? range.end - range.start + 1 : file.bytes;
    if (length !== undefined) headers.push("Content-Length", String(length));
    if (range.kind === "part") headers.push("Content-Range", `bytes ${range.start}-${range.end}/${file.bytes}`);
    response.writeHead(range.kind === "part" ? 206 : 200, headers);
    if (incoming.method === "HEAD") {
      response.end();
      return;
    }
    const part = range.kind === "part" ? { start: range.start, end: range.end } : {};
    const stream = createReadStream(source, part);
    // The headers are sent; a file that vanished can only end the response early.
    stream.on("error", () => response.destroy());
    response.on("close", () => stream.destroy());
    pour(stream, response, length);
  }

  /** Both parts are clean, and `path.join` would make sure of it. */
  #sourceOf(encoding: string | undefined): string {
    let source = this.#sources.get(encoding);
    if (source === undefined) {
      source = this.#folder.dist + path.sep + diskPathOf(this.file, encoding);
      this.#sources.set(encoding, source);
    }
    return source;
  }

  #isUnchanged({ headers }: IncomingMessage): boolean {
    const sent = headers["if-none-match"];
    if (sent === undefined) return false;
    return matchesEntityTag(
      sent,
      [undefined, ...this.file.encodings].map((one) => this.#tagOf(one)),
    );
  }

  /** Each encoding has its own tag, because a part of one cannot continue another. */
  #tagOf(encoding?: string): string {
    return `"${this.file.hash ?? this.#folder.build}${encoding === undefined ? "" : `-${encoding}`}"`;
  }

  /** With `If-Range`, only while the file is still the one that the client has a part of. */
  #rangeOf({ method, headers }: IncomingMessage): ByteRange {
    const { bytes, immutable } = this.file;
    const sent = headers["if-range"];
    const isSame = sent === undefined || (!immutable && sent === this.#tagOf());
    if (method !== "GET" || bytes === undefined || !isSame) return { kind: "whole" };
    return readByteRange(headers.range, bytes);
  }
}

interface CachedAnswer {
  cache: SentFiles;
  source: string;
  headers: string[];
  response: ServerResponse;
  /** What the headers were made from, if most requests get the same. */
  constant: readonly string[] | undefined;
}

/** Sends a file from memory, and reads it before if need be. A build does not change the files that it lists. */
function sendCached({ cache, source, headers, response, constant }: CachedAnswer): void {
  const sendBody = (sent: SentFile | undefined): void => {
    if (!sent || response.destroyed) return void response.destroy();
    if (constant && typeof sent.body === "string" && !sent.headers) {
      sent.headers = constant;
      sent.response = StoredResponse.of(headers, sent.body);
    }
    response.writeHead(200, [...headers, "Content-Length", String(sent.body.length)]).end(sent.body, "latin1");
  };
  const known = cache.peek(source);
  if (known) return sendBody(known);
  const reading = cache.get(source, async () => new SentFile(await readFile(source)));
  reading.then(sendBody, () => response.destroy());
}

/** Ends the response with its last byte: a client that has all of them may leave at once. */
function pour(source: ReadStream, response: ServerResponse, length = Number.POSITIVE_INFINITY): void {
  let left = length;
  source.on("data", (piece) => {
    left -= piece.length;
    if (left <= 0) response.end(piece);
    else if (!response.write(piece)) {
      source.pause();
      response.once("drain", () => source.resume());
    }
  });
  source.on("end", () => response.end());
}
