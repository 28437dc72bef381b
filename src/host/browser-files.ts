import { createReadStream, type ReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import path from "node:path";
import {
  type ByteRange,
  chooseEncoding,
  constantHeaders,
  type Exchange,
  matchesEntityTag,
  readByteRange,
  withChanges,
} from "#http";
import type { LeaveFile } from "#pages";
import { hostErrors } from "./errors.ts";
import { type FileCache, keptFileBytesEach } from "./file-cache.ts";
import { createFileHeaders, type FileSettings, type HeadersFor, resourcePolicy } from "./header-rules.ts";

/**
 * Files of a build that browsers may fetch, by address. Only listed addresses are served: a request's path is never
 * turned into a path on disk.
 */
export interface BrowserFiles {
  build: string;
  /** Address of the CDN that the build names in its files. */
  assets?: string | undefined;
  /** Whether a file has this address. */
  has(url: string): boolean;
  /** Sends the file of this address, with the headers as `leave` changes them. Returns false if there is none. */
  serve(incoming: IncomingMessage, response: ServerResponse, leave?: LeaveFile): boolean;
}

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

interface ServedFile {
  file: BrowserFile;
  /** Its headers, written at its first request. */
  own: string[] | undefined;
}

/** `cache`: files that stay in memory. Without it, each request reads its file. */
export async function openBrowserFiles(
  dist: string,
  settings: FileSettings = {},
  cache?: FileCache,
): Promise<BrowserFiles> {
  const manifest = await readBrowserManifest(dist);
  // Builds of older versions do not say it.
  const { build, assets = settings.assets } = manifest;
  const headersFor = createFileHeaders({ ...settings, assets });
  // The newest build comes last, so that it wins where two builds have a file of the same name.
  const files = new Map(
    [...manifest.earlier, ...manifest.own].map((file): [string, ServedFile] => [file.path, { file, own: undefined }]),
  );
  return {
    build,
    assets,
    has: (url) => files.has(filePathOf(url)),
    serve: (incoming, response, leave) => {
      const found = files.get(filePathOf(incoming.url ?? ""));
      if (!found) return false;
      const { file } = found;
      found.own ??= fileHeaders(file, headersFor);
      const own = [...found.own];
      const exchange = { incoming, response };
      const sendWith = (headers: string[] | "answered"): void => {
        if (headers !== "answered") sendFile({ dist, build, file, headers, cache }, exchange);
      };
      const left = leave ? leave(exchange, own) : own;
      if (left instanceof Promise) void left.then(sendWith);
      else sendWith(left);
      return true;
    },
  };
}

export function filePathOf(url: string): string {
  const question = url.indexOf("?");
  return question < 0 ? url : url.slice(0, question);
}

/** Relative to the build folder. */
export function diskPathOf(file: BrowserFile, encoding: string | undefined): string {
  return file.file + (encoding ? (endings[encoding] ?? "") : "");
}

export interface FileOfBuild {
  dist: string;
  /** Names the version of a file that has no hash. */
  build: string;
  file: BrowserFile;
  headers: string[];
  cache?: FileCache | undefined;
}

/** Sends a file, a part of it, or 304. */
export function sendFile({ dist, build, file, headers, cache }: FileOfBuild, exchange: Exchange): void {
  const { incoming, response } = exchange;
  if (incoming.method !== "GET" && incoming.method !== "HEAD") {
    response.writeHead(405, { Allow: "GET, HEAD", "Content-Length": "0" }).end();
    return;
  }
  const range = rangeOf(incoming, build, file);
  // A range is of the file itself, not of one of its encodings.
  const encoding =
    range.kind === "whole" ? chooseEncoding(incoming.headers["accept-encoding"], file.encodings) : undefined;
  if (file.bytes !== undefined) headers.push("Accept-Ranges", "bytes");
  if (!file.immutable) {
    headers.push("ETag", tagOf(build, file, encoding));
    if (isUnchanged(incoming, build, file)) {
      response.writeHead(304, headers).end();
      return;
    }
  }
  if (range.kind === "outside") {
    response.writeHead(416, [...headers, "Content-Range", `bytes */${file.bytes}`, "Content-Length", "0"]).end();
    return;
  }
  // Both parts are clean, and `path.join` would make sure of it for each request.
  const source = dist + path.sep + diskPathOf(file, encoding);
  const isSmall = file.bytes !== undefined && file.bytes <= keptFileBytesEach;
  if (cache && isSmall && range.kind === "whole" && incoming.method === "GET") {
    if (encoding) headers.push("Content-Encoding", encoding);
    return sendCached(cache, source, { headers, response });
  }
  const length = encoding ? undefined : range.kind === "part" ? range.end - range.start + 1 : file.bytes;
  if (encoding) headers.push("Content-Encoding", encoding);
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

/** Sends a file from memory, and reads it before if need be. A build does not change the files that it lists. */
function sendCached(
  cache: FileCache,
  source: string,
  { headers, response }: { headers: string[]; response: ServerResponse },
): void {
  const sendBytes = (bytes: Uint8Array | undefined): void => {
    if (!bytes || response.destroyed) return void response.destroy();
    headers.push("Content-Length", String(bytes.length));
    response.writeHead(200, headers).end(bytes);
  };
  const known = cache.peek(source);
  if (known) return sendBytes(known);
  const reading = cache.get(source, () => readFile(source));
  reading.then(sendBytes, () => response.destroy());
}

function isUnchanged({ headers }: IncomingMessage, build: string, file: BrowserFile): boolean {
  const sent = headers["if-none-match"];
  if (sent === undefined) return false;
  return matchesEntityTag(
    sent,
    [undefined, ...file.encodings].map((one) => tagOf(build, file, one)),
  );
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

/** Each encoding has its own tag, because a part of one cannot continue another. */
function tagOf(build: string, { hash }: BrowserFile, encoding?: string): string {
  return `"${hash ?? build}${encoding === undefined ? "" : `-${encoding}`}"`;
}

/** With `If-Range`, only while the file is still the one that the client has a part of. */
function rangeOf({ method, headers }: IncomingMessage, build: string, file: BrowserFile): ByteRange {
  const sent = headers["if-range"];
  const isSame = sent === undefined || (!file.immutable && sent === tagOf(build, file));
  if (method !== "GET" || file.bytes === undefined || !isSame) return { kind: "whole" };
  return readByteRange(headers.range, file.bytes);
}

/** A file whose name has its hash keeps its `Cache-Control`: it never changes. */
export function fileHeaders(
  { path: address, type, immutable }: Pick<BrowserFile, "path" | "type" | "immutable">,
  headersFor?: HeadersFor,
): string[] {
  const changes = new Map(headersFor?.(address));
  if (immutable) changes.delete("cache-control");
  const cache = immutable ? "public, max-age=31536000, immutable" : "public, max-age=0, must-revalidate";
  const defaults = [...constantHeaders, "Cache-Control", cache, ...resourcePolicy];
  return [...withChanges(defaults, changes), "Content-Type", type, "Vary", "Accept-Encoding"];
}

/** Reads which files this build has, and which of earlier builds are kept beside them. */
export async function readBrowserManifest(
  dist: string,
): Promise<{ build: string; assets: string | undefined; own: BrowserFile[]; earlier: BrowserFile[] }> {
  let text: string;
  try {
    text = await readFile(path.join(dist, "manifest.json"), "utf8");
  } catch {
    throw hostErrors.notBuilt(dist);
  }
  const manifest: unknown = JSON.parse(text);
  if (!isRecord(manifest) || typeof manifest.build !== "string")
    throw hostErrors.brokenBuild(dist, "manifest.json names no build");
  const earlier = Array.isArray(manifest.earlier)
    ? manifest.earlier.flatMap((one: unknown) => (isRecord(one) ? filesOf(one.files) : []))
    : [];
  const assets = typeof manifest.assets === "string" ? manifest.assets : undefined;
  return { build: manifest.build, assets, own: filesOf(manifest.files), earlier };
}

function filesOf(list: unknown): BrowserFile[] {
  return Array.isArray(list) ? list.filter(isBrowserFile) : [];
}

function isBrowserFile(one: unknown): one is BrowserFile {
  return (
    isRecord(one) &&
    typeof one.path === "string" &&
    typeof one.file === "string" &&
    typeof one.type === "string" &&
    Array.isArray(one.encodings) &&
    typeof one.immutable === "boolean"
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
