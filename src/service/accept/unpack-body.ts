import type { Transform } from "node:stream";
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";
import type { HeldBytes, Refusals, Turns } from "#bounds";
import type { AcceptLimits } from "./limits.ts";
import type { BodySink, ReceivedBody } from "./received-body.ts";

/** Shared by all requests that are decompressed. */
export interface Decoders {
  readonly turns: Turns;
  readonly refusals: Refusals;
}

export interface UnpackDeps {
  readonly limits: AcceptLimits;
  readonly held: HeldBytes;
  readonly decoders: Decoders;
  /** Whether the client disconnected while its body waited. */
  readonly isAbandoned: () => boolean;
}

export type Encoding = "gzip" | "deflate" | "br" | "zstd";

/** A body as received. */
export interface Packed {
  readonly encoding: Encoding;
  readonly chunks: readonly Buffer[];
}

/** Accepts exactly one encoding: a chain of them can build a bomb, and no client sends one. */
export function readEncoding(header: string): Encoding | "identity" | undefined {
  const name = header.trim().toLowerCase();
  switch (name) {
    case "":
    case "identity":
      return "identity";
    case "x-gzip":
      return "gzip";
    case "gzip":
    case "deflate":
    case "br":
    case "zstd":
      return name;
    default:
      return undefined;
  }
}

/**
 * Decompresses a body that has arrived completely. A decoder holds its window and a thread while it exists, so it is
 * opened in its turn, after the last byte: a slow client never holds one.
 */
export function unpackBody(
  packed: Packed,
  deps: UnpackDeps,
  sink: BodySink,
  done: (reading: ReceivedBody) => void,
): void {
  const { limits, held, decoders } = deps;
  const bytes = windowBytes(packed, limits.windowBits);
  if (bytes > 2 ** limits.windowBits) return done(largeWindow(limits.windowBits));
  const entered = decoders.turns.enter((leave) => {
    const end = (reading: ReceivedBody): void => {
      leave();
      done(reading);
    };
    if (deps.isAbandoned()) return end({ kind: "abandoned" });
    if (!held.take(bytes)) {
      decoders.refusals.add("body-memory");
      return end(noRoomToUnpack);
    }
    decode(packed, deps, sink, end);
  });
  if (entered !== undefined) return;
  decoders.refusals.add("decoders");
  done({ kind: "unavailable", why: "Too many packed bodies wait to be unpacked.", retryAfterSeconds: 5 });
}

export const noRoomToUnpack: ReceivedBody = {
  kind: "unavailable",
  why: "Too much is being received at the same time.",
  retryAfterSeconds: 5,
};

function decode(
  { encoding, chunks }: Packed,
  { limits, held, decoders }: UnpackDeps,
  sink: BodySink,
  done: (reading: ReceivedBody) => void,
): void {
  const decoder = openDecoder(encoding, limits.windowBits);
  const { inflatedBytes, inflatedTimes, protocol } = limits;
  const packedBytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  const bombBytes = Math.max(protocol.eventBytes, packedBytes * inflatedTimes);
  let unpacked = 0;
  let isDone = false;
  const finish = (reading: ReceivedBody): void => {
    decoder.destroy();
    if (isDone) return;
    isDone = true;
    done(reading);
  };
  decoder.on("data", (chunk: Buffer) => {
    unpacked += chunk.length;
    if (unpacked > inflatedBytes)
      finish({ kind: "too-large", why: `An unpacked body may have ${inflatedBytes} bytes.` });
    else if (unpacked > bombBytes)
      finish({
        kind: "too-large",
        why: `A body may unpack to ${inflatedTimes} times its size; this one unpacks to more.`,
      });
    else if (!held.take(chunk.length)) {
      decoders.refusals.add("body-memory");
      finish(noRoomToUnpack);
    } else if (sink.push(chunk) === "enough") finish({ kind: "stopped" });
  });
  decoder.once("end", () => finish({ kind: "complete" }));
  // Also catches later errors of a decoder that was already abandoned. Unhandled, they would end the process.
  decoder.on("error", (error: NodeJS.ErrnoException) =>
    finish(
      error.code === "ZSTD_error_frameParameter_windowTooLarge"
        ? largeWindow(limits.windowBits)
        : { kind: "malformed", why: `The body cannot be unpacked: ${error.message}` },
    ),
  );
  for (const chunk of chunks) decoder.write(chunk);
  decoder.end();
}

function openDecoder(encoding: Encoding, windowBits: number): Transform {
  switch (encoding) {
    case "gzip":
      return createGunzip();
    case "deflate":
      return createInflate();
    case "br":
      return createBrotliDecompress();
    case "zstd":
      return createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: windowBits } });
  }
}

/**
 * Memory of a decoder: brotli declares it in its first byte, zstd is bounded by a setting of the decoder, the others
 * use 32 KiB.
 */
function windowBytes({ encoding, chunks }: Packed, zstdBits: number): number {
  if (encoding === "br") return 2 ** brotliWindowBits(chunks[0]?.[0] ?? 0);
  return encoding === "zstd" ? 2 ** zstdBits : 32_768;
}

/**
 * Reads the window size, RFC 7932, 9.1. An extension uses the pattern that the RFC reserves for a "large window" of up
 * to 1 GiB.
 */
export function brotliWindowBits(first: number): number {
  if ((first & 0b1) === 0) return 16;
  const three = (first >> 1) & 0b111;
  if (three !== 0) return 17 + three;
  const next = (first >> 4) & 0b111;
  if (next === 0) return 17;
  return next === 1 ? 30 : 8 + next;
}

function largeWindow(bits: number): ReceivedBody {
  return { kind: "too-large", why: `A packed body may have a window of ${2 ** bits} bytes; this one needs more.` };
}
