import type { IncomingMessage, ServerResponse } from "node:http";
import type { Transform } from "node:stream";
import { promisify } from "node:util";
import zlib from "node:zlib";
import { constantHeaders } from "../../constant-headers.ts";
import { isUnread } from "../body/read-body.ts";
import { chain, type MaybePromise } from "../maybe-promise.ts";
import type { LargeAnswers } from "./large-answers.ts";
import { lastResortPage } from "./static-pages.ts";

export type ResponseEncoding = "zstd" | "br" | "gzip";

/** Below this a compressed answer needs as many packets as a plain one. */
const worthCompressingBytes = 1_400;
/** Above this compressing would hold up other requests, so it is done beside them. */
const compressAsideBytes = 100_000;

const brotli = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } };
const aside = {
  zstd: promisify(zlib.zstdCompress),
  br: promisify((text: string, done: zlib.CompressCallback) => zlib.brotliCompress(text, brotli, done)),
  gzip: promisify(zlib.gzip),
} as const;
const atOnce = {
  zstd: (text: string) => zlib.zstdCompressSync(text),
  br: (text: string) => zlib.brotliCompressSync(text, brotli),
  gzip: (text: string) => zlib.gzipSync(text),
} as const;

/** What the browser takes, cheapest for us first. A weight of zero is a refusal. */
export function chooseEncoding(incoming: IncomingMessage): ResponseEncoding | undefined {
  const accepted = incoming.headers["accept-encoding"];
  if (typeof accepted !== "string" || accepted === "" || accepted === "identity") return undefined;
  const names = accepted.split(",").flatMap((one) => {
    const [name = "", weight = ""] = one.split(";");
    return /^\s*q=0(\.0*)?\s*$/.test(weight) ? [] : [name.trim().toLowerCase()];
  });
  return (["zstd", "br", "gzip"] as const).find((encoding) => names.includes(encoding));
}

/** Sends an answer whose text is known as a whole. */
export function sendWhole(
  response: ServerResponse,
  incoming: IncomingMessage,
  status: number,
  headers: string[],
  text: string,
  large?: LargeAnswers,
): MaybePromise<void> {
  if (response.destroyed) return;
  const isWorth = text.length >= worthCompressingBytes;
  const encoding = isWorth ? chooseEncoding(incoming) : undefined;
  if (isWorth) headers.push("Vary", "Accept-Encoding");
  if (!encoding) return sendBody(response, incoming, status, headers, text, large);
  headers.push("Content-Encoding", encoding);
  const body = text.length > compressAsideBytes ? aside[encoding](text) : atOnce[encoding](text);
  return chain(body, (compressed) => sendBody(response, incoming, status, headers, compressed, large));
}

function sendBody(
  response: ServerResponse,
  incoming: IncomingMessage,
  status: number,
  headers: string[],
  body: string | Buffer,
  large: LargeAnswers | undefined,
): MaybePromise<void> {
  const bytes = Buffer.byteLength(body);
  headers.push("Content-Length", String(bytes));
  if (isUnread(incoming)) return sendAndLeave(response, status, headers, body);
  if (large?.isLargeAnswer(bytes) && incoming.method !== "HEAD")
    return sendLarge(response, incoming, status, headers, body, bytes, large);
  response.writeHead(status, headers);
  if (incoming.method === "HEAD") response.end();
  // Where each character is one byte, either encoding gives the same bytes; this one need not look at them again.
  else response.end(body, bytes === body.length ? "latin1" : "utf8");
}

function sendLarge(
  response: ServerResponse,
  incoming: IncomingMessage,
  status: number,
  headers: string[],
  body: string | Buffer,
  bytes: number,
  large: LargeAnswers,
): MaybePromise<void> {
  if (!large.hasRoomFor(bytes)) return sendBusy(incoming, response);
  response.writeHead(status, headers);
  return large.send(response, body, bytes);
}

const busyPage = lastResortPage(
  "Busy",
  "There is too much to do at the moment. The page is tried again in a few seconds.",
  undefined,
);

/**
 * Refuses for now, at as little cost as an answer can have. A browser that asked for a page asks again by itself, each
 * after a time of its own, so that those who were refused together do not come together; what was posted is only posted
 * again by the visitor.
 */
export function sendBusy(incoming: IncomingMessage, response: ServerResponse, more: readonly string[] = []): void {
  const headers = [...constantHeaders, ...more, "Content-Type", "text/html; charset=utf-8"];
  headers.push("Cache-Control", "private, no-store", "Retry-After", "2", "Content-Length", String(busyPage.length));
  if (incoming.method === "GET") headers.push("Refresh", String(2 + Math.floor(Math.random() * 5)));
  response.writeHead(503, headers).end(incoming.method === "HEAD" ? undefined : busyPage);
}

/** Long enough for a client to notice an answer while it is still sending. */
const lingerMs = 1_000;

/**
 * Answers someone who goes on sending what is not taken. The connection ends a moment later: closing it at once would
 * take the answer with it.
 */
function sendAndLeave(response: ServerResponse, status: number, headers: string[], body: string | Buffer): void {
  response.writeHead(status, [...headers, "Connection", "close"]);
  response.write(body);
  setTimeout(() => response.destroy(), lingerMs);
}

export function sendRedirect(response: ServerResponse, to: string, status: number, more: readonly string[]): void {
  const headers = [...constantHeaders, ...more, "Location", toAscii(to), "Cache-Control", "private, no-store"];
  response.writeHead(status, [...headers, "Content-Length", "0"]).end();
}

/** A location header holds ASCII only. What is encoded already stays as it is. */
function toAscii(address: string): string {
  return address.replace(/[^!-~]+/g, encodeURIComponent);
}

/** Where a streamed answer is written. Each `flush` sends what there is, compressed or not. */
export interface Sink {
  write(text: string | Uint8Array): void;
  flush(): void;
  end(): void;
}

/** Begins an answer whose end is not known yet. */
export function beginStream(
  response: ServerResponse,
  incoming: IncomingMessage,
  status: number,
  headers: string[],
  large: LargeAnswers,
): Sink {
  const accepted = chooseEncoding(incoming);
  const encoding = accepted && (incoming.method === "HEAD" || large.takeEncoder(response)) ? accepted : undefined;
  if (encoding) headers.push("Content-Encoding", encoding);
  headers.push("Vary", "Accept-Encoding", "X-Accel-Buffering", "no");
  response.writeHead(status, headers);
  if (incoming.method === "HEAD") return { write: () => undefined, flush: () => undefined, end: () => response.end() };
  const stream = large.stream(response);
  if (!encoding) return { write: (text) => stream.write(text), flush: () => undefined, end: () => stream.end() };
  const compressor = openCompressor(encoding);
  compressor.on("data", (piece: Buffer) => stream.write(piece)).on("end", () => stream.end());
  response.once("close", () => compressor.destroy());
  return { write: (text) => compressor.write(text), flush: () => compressor.flush(), end: () => compressor.end() };
}

function openCompressor(encoding: ResponseEncoding): Transform & { flush(): void } {
  if (encoding === "zstd") return zlib.createZstdCompress();
  return encoding === "br" ? zlib.createBrotliCompress(brotli) : zlib.createGzip();
}
