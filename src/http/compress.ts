import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import zlib from "node:zlib";
import { chooseEncoding } from "./choose-encoding.ts";

export type ResponseEncoding = "zstd" | "br" | "gzip";

/** Cheapest for the server first. */
const encodings: readonly ResponseEncoding[] = ["zstd", "br", "gzip"];

/** Below this a compressed response needs as many packets as a plain one. */
export const worthCompressingBytes = 1_400;
/** Above this, compressing on the main thread would delay other requests. */
const compressAsideBytes = 100_000;

export const brotli: zlib.BrotliOptions = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } };
const compressAside = {
  zstd: promisify(zlib.zstdCompress),
  br: promisify((text: string | Buffer, done: zlib.CompressCallback) => zlib.brotliCompress(text, brotli, done)),
  gzip: promisify(zlib.gzip),
} as const;
const compressNow = {
  zstd: (text: string | Buffer) => zlib.zstdCompressSync(text),
  br: (text: string | Buffer) => zlib.brotliCompressSync(text, brotli),
  gzip: (text: string | Buffer) => zlib.gzipSync(text),
} as const;

export function acceptedEncoding(incoming: IncomingMessage): ResponseEncoding | undefined {
  return chooseEncoding(incoming.headers["accept-encoding"], encodings);
}

export function compress(body: string | Buffer, encoding: ResponseEncoding): Buffer | Promise<Buffer> {
  return body.length <= compressAsideBytes ? compressNow[encoding](body) : compressAside[encoding](body);
}
