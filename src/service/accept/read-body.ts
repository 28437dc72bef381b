import type { IncomingMessage } from "node:http";
import type { Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";
import type { HeldBytes } from "./body-budget.ts";
import type { AcceptLimits } from "./limits.ts";

/** Takes a body piece by piece; says `enough` when the rest need not come. */
export interface BodySink {
  push(chunk: Buffer): "more" | "enough";
}

export type BodyReading =
  | { kind: "complete" }
  /** The sink had enough. */
  | { kind: "stopped" }
  | { kind: "too-large"; why: string }
  | { kind: "unknown-encoding"; why: string }
  | { kind: "malformed"; why: string }
  | { kind: "unavailable"; why: string; retryAfterSeconds: number }
  | { kind: "abandoned" };

const noRoom: BodyReading = {
  kind: "unavailable",
  why: "Too much is being received at the same time.",
  retryAfterSeconds: 5,
};

const complete: BodyReading = { kind: "complete" };

/** Told once when a body has come, or why it will not. */
type Done = (reading: BodyReading) => void;

/** Reads a request's body, unpacked as it arrives, and stops at the first byte beyond a limit. Without promises: this is done for every request. */
export function readBody(
  request: IncomingMessage,
  limits: AcceptLimits,
  held: HeldBytes,
  sink: BodySink,
  done: Done,
): void {
  const declared = Number(request.headers["content-length"] ?? 0);
  if (declared > limits.compressedBytes) {
    return done({
      kind: "too-large",
      why: `A body may have ${limits.compressedBytes} bytes, this one has ${declared}.`,
    });
  }
  const encoding = (request.headers["content-encoding"] ?? "").trim().toLowerCase();
  const decoder = decoderOf(encoding);
  if (decoder === undefined) {
    const why = `The encoding "${encoding.slice(0, 50)}" is not known. One of gzip, deflate, br, zstd or none at all is.`;
    return done({ kind: "unknown-encoding", why });
  }
  if (decoder === "identity") readPlain(request, declared, limits, held, sink, done);
  else readPacked(request, limits, held, sink, decoder, done);
}

/** Exactly one encoding: a chain of them is a way to make bombs, and no client sends one. */
function decoderOf(encoding: string): Transform | "identity" | undefined {
  switch (encoding) {
    case "":
    case "identity":
      return "identity";
    case "gzip":
    case "x-gzip":
      return createGunzip();
    case "deflate":
      return createInflate();
    case "br":
      return createBrotliDecompress();
    case "zstd":
      return createZstdDecompress();
    default:
      return undefined;
  }
}

/**
 * What has a length is whole with its last byte, which for most bodies comes with the first piece: then neither the end of the request nor its breaking off
 * needs to be listened for.
 */
function readPlain(
  request: IncomingMessage,
  declared: number,
  limits: AcceptLimits,
  held: HeldBytes,
  sink: BodySink,
  done: Done,
): void {
  let bytes = 0;
  let isDone = false;
  const finish = (reading: BodyReading): void => {
    if (isDone) return;
    isDone = true;
    done(reading);
  };
  const stop = (reading: BodyReading): void => {
    request.off("data", take);
    finish(reading);
  };
  const listenToTheEnd = (): void => {
    request.on("end", () => finish(complete));
    // Comes after the end as well, and finds it done then.
    request.on("close", () => finish({ kind: "abandoned" }));
  };
  const take = (chunk: Buffer): void => {
    const isFirst = bytes === 0;
    bytes += chunk.length;
    if (bytes > limits.compressedBytes)
      stop({ kind: "too-large", why: `A body may have ${limits.compressedBytes} bytes.` });
    else if (!held.take(chunk.length)) stop(noRoom);
    else if (sink.push(chunk) === "enough") stop({ kind: "stopped" });
    else if (bytes === declared) finish(complete);
    else if (isFirst && declared > 0) listenToTheEnd();
  };
  request.on("data", take);
  if (declared === 0) listenToTheEnd();
}

function readPacked(
  request: IncomingMessage,
  limits: AcceptLimits,
  held: HeldBytes,
  sink: BodySink,
  decoder: Transform,
  done: Done,
): void {
  let packed = 0;
  let unpacked = 0;
  let isDone = false;
  const finish = (reading: BodyReading): void => {
    request.unpipe(decoder);
    request.off("data", count);
    decoder.destroy();
    if (isDone) return;
    isDone = true;
    done(reading);
  };
  const count = (chunk: Buffer): void => {
    packed += chunk.length;
    if (packed > limits.compressedBytes)
      finish({ kind: "too-large", why: `A packed body may have ${limits.compressedBytes} bytes.` });
  };
  request.on("data", count);
  decoder.on("data", (chunk: Buffer) => {
    unpacked += chunk.length;
    if (unpacked > limits.inflatedBytes)
      finish({ kind: "too-large", why: `An unpacked body may have ${limits.inflatedBytes} bytes.` });
    else if (!held.take(chunk.length)) finish(noRoom);
    else if (sink.push(chunk) === "enough") finish({ kind: "stopped" });
  });
  decoder.once("end", () => finish({ kind: "complete" }));
  // Also later errors of a decoder that is already given up end here instead of ending the process.
  decoder.on("error", (error) => finish({ kind: "malformed", why: `The body cannot be unpacked: ${error.message}` }));
  request.on("close", () => {
    if (!request.complete) finish({ kind: "abandoned" });
  });
  request.pipe(decoder);
}

/** Collects a whole body, for the formats that are not read piece by piece. */
export class WholeBody implements BodySink {
  readonly #maxBytes: number;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  isTooLarge = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  push(chunk: Buffer): "more" | "enough" {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#maxBytes) {
      this.isTooLarge = true;
      return "enough";
    }
    this.#chunks.push(chunk);
    return "more";
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}
