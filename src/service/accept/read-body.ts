import type { IncomingMessage } from "node:http";
import { type HeldBytes, PieceJoiner } from "#bounds";
import type { AcceptLimits } from "./limits.ts";
import type { BodySink, ReceivedBody } from "./received-body.ts";
import { type Decoders, noRoomToUnpack, readEncoding, unpackBody } from "./unpack-body.ts";

const complete: ReceivedBody = { kind: "complete" };

/** Called once, with the complete body or the reason why it is incomplete. */
type Done = (reading: ReceivedBody) => void;

/** An incoming request and the memory it holds. */
export interface Arriving {
  readonly request: IncomingMessage;
  readonly held: HeldBytes;
}

export interface BodyDeps {
  readonly limits: AcceptLimits;
  readonly decoders: Decoders;
}

/**
 * Reads and decompresses a body, and stops at the first byte beyond a limit. Uses no promises, because it runs for
 * every request.
 */
export function receiveBody(arriving: Arriving, deps: BodyDeps, sink: BodySink, done: Done): void {
  const { request, held } = arriving;
  const { limits, decoders } = deps;
  const declared = Number(request.headers["content-length"] ?? 0);
  if (declared > limits.compressedBytes) {
    return done({
      kind: "too-large",
      why: `A body may have ${limits.compressedBytes} bytes, this one has ${declared}.`,
    });
  }
  const named = request.headers["content-encoding"] ?? "";
  const encoding = readEncoding(named);
  if (encoding === undefined) {
    const why = `The encoding "${named.slice(0, 50)}" is not known. One of gzip, deflate, br, zstd or none at all is.`;
    return done({ kind: "unknown-encoding", why });
  }
  if (encoding === "identity") return receive(arriving, deps, sink, done);
  const packed = new PackedBody();
  receive(arriving, deps, packed, (reading) => {
    if (reading.kind !== "complete") return done(reading);
    const isAbandoned = (): boolean => request.socket.destroyed;
    unpackBody({ encoding, chunks: packed.chunks }, { limits, held, decoders, isAbandoned }, sink, done);
  });
}

class PackedBody implements BodySink {
  readonly chunks: Buffer[] = [];

  push(chunk: Buffer): "more" {
    this.chunks.push(chunk);
    return "more";
  }
}

/**
 * Receives the raw bytes of a body. With a content length, it is complete at its last byte, which mostly arrives in the
 * first chunk: then no listeners for the end or the abort of the request are needed.
 */
function receive({ request, held }: Arriving, { limits, decoders }: BodyDeps, sink: BodySink, done: Done): void {
  const declared = Number(request.headers["content-length"] ?? 0);
  let joiner: PieceJoiner<Buffer, "more" | "enough"> | undefined;
  let bytes = 0;
  let isDone = false;
  const finish = (reading: ReceivedBody): void => {
    if (isDone) return;
    isDone = true;
    done(reading);
  };
  const stop = (reading: ReceivedBody): void => {
    request.off("data", take);
    finish(reading);
  };
  const end = (): void => finish(joiner?.flush() === "enough" ? { kind: "stopped" } : complete);
  const listenToTheEnd = (): void => {
    request.on("end", end);
    // Also emitted after the end, when `finish` does nothing.
    request.on("close", () => finish({ kind: "abandoned" }));
  };
  const join = (chunk: Buffer): "more" | "enough" | undefined => {
    joiner ??= new PieceJoiner<Buffer, "more" | "enough">(Buffer.allocUnsafe, (piece) => sink.push(piece));
    return joiner.push(chunk);
  };
  const take = (chunk: Buffer): void => {
    const isFirst = bytes === 0;
    bytes += chunk.length;
    if (bytes > limits.compressedBytes)
      stop({ kind: "too-large", why: `A body may have ${limits.compressedBytes} bytes.` });
    else if (!held.take(chunk.length)) {
      decoders.refusals.add("body-memory");
      stop(noRoomToUnpack);
    } else if (isFirst && bytes === declared) finish(sink.push(chunk) === "enough" ? { kind: "stopped" } : complete);
    else if (join(chunk) === "enough") stop({ kind: "stopped" });
    else if (bytes === declared) end();
    else if (isFirst && declared > 0) listenToTheEnd();
  };
  // A server may have ended the stream of a request without a body, which then emits nothing.
  if (request.readableEnded) return end();
  request.on("data", take);
  if (declared === 0) listenToTheEnd();
}

/** Collects a whole body, for formats that are not parsed as a stream. */
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
