import type { IncomingMessage, ServerResponse } from "node:http";
import type { Transform } from "node:stream";
import zlib from "node:zlib";
import {
  acceptedEncoding,
  brotli,
  compress,
  type ResponseEncoding,
  storedEncoding,
  worthCompressingBytes,
} from "./compress.ts";
import { discardAnnounced, isUnread } from "./discard-body.ts";
import type { EncodedBody } from "./encoded-body.ts";
import { addVary, noStore } from "./headers.ts";

/** One request and its response. */
export interface Exchange {
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  /** Queue of large bodies for slow clients. Without it they wait in the memory of the process. */
  readonly large?: LargeBodies;
}

/** A complete response. `send` may add to `headers`. */
export interface Answer {
  readonly status: number;
  readonly headers: string[];
  readonly body: string;
}

/** Output of a streamed response. Each `flush` sends the text written so far, compressed or not. */
export interface Sink {
  write(text: string | Uint8Array): void;
  flush(): void;
  end(): void;
}

export interface LargeBodies {
  isLargeAnswer(bytes: number): boolean;
  /** Whether a body of this size can wait for its client. */
  hasRoomFor(bytes: number): boolean;
  send(response: ServerResponse, body: string | Buffer, bytes: number): Promise<void>;
  /** Sends a refusal in place of a body that has no room. */
  refuse(exchange: Exchange): void;
  /** Whether a streamed response may use an encoder, which it keeps until it closes. */
  takeEncoder(response: ServerResponse): boolean;
  stream(response: ServerResponse): Pick<Sink, "write" | "end">;
}

/** Sends a response, compressed if it is large enough. */
export function send(exchange: Exchange, { status, headers, body }: Answer): Promise<void> | void {
  if (exchange.response.destroyed) return;
  const isWorth = body.length >= worthCompressingBytes;
  const encoding = isWorth ? acceptedEncoding(exchange.incoming) : undefined;
  if (isWorth) addVary(headers, "Accept-Encoding");
  if (!encoding) return sendBody(exchange, { status, headers, body });
  headers.push("Content-Encoding", encoding);
  return sendCompressed(exchange, { status, headers }, compress(body, encoding));
}

/** Sends a body that other responses have too. It is not compressed again. */
export function sendEncoded(
  exchange: Exchange,
  { status, headers, body }: Omit<Answer, "body"> & { readonly body: EncodedBody },
): Promise<void> | void {
  if (body.isWorthCompressing) addVary(headers, "Accept-Encoding");
  return sendVaried(exchange, { status, headers, body });
}

/** The same, where the headers already say by what it varies. */
export function sendVaried(
  exchange: Exchange,
  { status, headers, body }: Omit<Answer, "body"> & { readonly body: EncodedBody },
): Promise<void> | void {
  if (exchange.response.destroyed) return;
  const encoding = encodingFor(body, exchange.incoming);
  if (!encoding) return sendBody(exchange, { status, headers, body: body.plain });
  headers.push("Content-Encoding", encoding);
  return sendCompressed(exchange, { status, headers }, body.in(encoding));
}

/** The encoding in which a client gets a kept body. */
export function encodingFor(body: EncodedBody, incoming: IncomingMessage): ResponseEncoding | undefined {
  return body.isWorthCompressing ? storedEncoding(incoming) : undefined;
}

function sendCompressed(
  exchange: Exchange,
  head: Omit<Answer, "body">,
  body: Buffer | Promise<Buffer>,
): Promise<void> | void {
  if (!(body instanceof Promise)) return sendBody(exchange, { ...head, body });
  return body.then((compressed) => sendBody(exchange, { ...head, body: compressed }));
}

interface EncodedAnswer extends Omit<Answer, "body"> {
  readonly body: string | Buffer;
}

function sendBody(exchange: Exchange, { status, headers, body }: EncodedAnswer): Promise<void> | void {
  const { incoming, response, large } = exchange;
  const bytes = typeof body === "string" ? Buffer.byteLength(body) : body.length;
  headers.push("Content-Length", String(bytes));
  if (isUnread(incoming)) return sendAndClose(exchange, { status, headers, body });
  if (large?.isLargeAnswer(bytes) && incoming.method !== "HEAD") {
    if (!large.hasRoomFor(bytes)) return large.refuse(exchange);
    response.writeHead(status, headers);
    return large.send(response, body, bytes);
  }
  response.writeHead(status, headers);
  if (incoming.method === "HEAD") response.end();
  // If each character is one byte, both encodings give the same bytes, and Latin-1 needs no second scan.
  else response.end(body, bytes === body.length ? "latin1" : "utf8");
}

/** Long enough for a client to notice a response while it is still sending. */
const lingerMs = 1_000;

/**
 * Responds to a client that is still sending. Closing at once would discard the response. What it sends meanwhile is
 * discarded: most clients read a response only when they have sent everything.
 */
function sendAndClose({ incoming, response }: Exchange, { status, headers, body }: EncodedAnswer): void {
  response.writeHead(status, [...headers, "Connection", "close"]);
  response.write(body);
  if (!discardAnnounced(incoming)) setTimeout(() => response.destroy(), lingerMs);
}

export interface Redirect {
  to: string;
  status: number;
  headers: readonly string[];
  /** `Cache-Control`; none may keep it by default. */
  cache?: readonly string[];
}

export function sendRedirect(response: ServerResponse, { to, status, headers: more, cache = noStore }: Redirect): void {
  const headers = [...more, "Location", toAscii(to), ...cache, "Content-Length", "0"];
  response.writeHead(status, headers).end();
}

/** A location header holds ASCII only. Encoded characters stay unchanged. */
function toAscii(address: string): string {
  return address.replace(/[^!-~]+/g, encodeURIComponent);
}

/** Sends a short text for programs and operators. */
export function sendText({ incoming, response }: Exchange, status: number, text: string, type = "text/plain"): void {
  response.writeHead(status, {
    "Content-Type": `${type}; charset=utf-8`,
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Content-Length": Buffer.byteLength(text),
  });
  response.end(incoming.method === "HEAD" ? undefined : text);
}

/** The response of `/healthz` and `/readyz`. `trouble`: what an operator should know, ready or not. */
export function sendHealth(exchange: Exchange, isWell: boolean, trouble?: string): void {
  const state = isWell ? "ok" : "not ready";
  sendText(exchange, isWell ? 200 : 503, trouble === undefined ? `${state}\n` : `${state}\n${trouble}\n`);
}

export function sendJson(
  response: ServerResponse,
  status: number,
  value: object,
  headers: Readonly<Record<string, string | number>> = {},
): void {
  const text = JSON.stringify(value);
  response.writeHead(status, {
    "Content-Type": "application/json",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Content-Length": Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}

/** Begins a response of unknown length. */
export function beginStream(
  { incoming, response, large }: Exchange & { readonly large: LargeBodies },
  { status, headers }: Pick<Answer, "status" | "headers">,
): Sink {
  const accepted = acceptedEncoding(incoming);
  const encoding = accepted && (incoming.method === "HEAD" || large.takeEncoder(response)) ? accepted : undefined;
  if (encoding) headers.push("Content-Encoding", encoding);
  addVary(headers, "Accept-Encoding");
  headers.push("X-Accel-Buffering", "no");
  response.writeHead(status, headers);
  if (incoming.method === "HEAD") return { write: () => undefined, flush: () => undefined, end: () => response.end() };
  const stream = large.stream(response);
  if (!encoding) return { write: (text) => stream.write(text), flush: () => undefined, end: () => stream.end() };
  const compressor = openCompressor(encoding);
  compressor.on("data", (chunk: Buffer) => stream.write(chunk)).on("end", () => stream.end());
  response.once("close", () => compressor.destroy());
  return { write: (text) => compressor.write(text), flush: () => compressor.flush(), end: () => compressor.end() };
}

function openCompressor(encoding: ResponseEncoding): Transform & { flush(): void } {
  if (encoding === "zstd") return zlib.createZstdCompress();
  return encoding === "br" ? zlib.createBrotliCompress(brotli) : zlib.createGzip();
}
