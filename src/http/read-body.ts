import type { IncomingMessage } from "node:http";
import { PieceJoiner } from "#bounds";

export type BodyText = { kind: "body"; text: string } | { kind: "refused"; status: 400 | 413 | 503; why: string };

/** Charges bytes to a budget that all clients share. `false` refuses them. The caller releases them. */
export type Charge = (bytes: number) => boolean;

/** Reads a body as text, up to a limit. */
export async function readBody(incoming: IncomingMessage, maxBytes: number, charge?: Charge): Promise<BodyText> {
  const body = await readBytes(incoming, maxBytes, charge);
  switch (body.kind) {
    case "complete":
      return { kind: "body", text: body.bytes.toString("utf8") };
    case "too-large":
      return { kind: "refused", status: 413, why: `at most ${maxBytes} bytes are taken` };
    case "cut":
      return { kind: "refused", status: 400, why: "the body was cut" };
    case "no-room":
      return { kind: "refused", status: 503, why: noRoom };
  }
}

export const noRoom = "too much is being sent at the same time; try again in a few seconds";

export type BodyBytes =
  | { kind: "complete"; bytes: Buffer }
  | { kind: "too-large" }
  | { kind: "no-room" }
  | { kind: "cut" };

/** Reads a body up to a limit. The connection stays open, so that a refused client can read the reason. */
export async function readBytes(incoming: IncomingMessage, maxBytes: number, charge?: Charge): Promise<BodyBytes> {
  const chunks: Buffer[] = [];
  const joiner = new PieceJoiner<Buffer, void>(Buffer.allocUnsafe, (piece) => void chunks.push(piece));
  const end = await takeBytes(incoming, maxBytes, (chunk) =>
    charge?.(chunk.length) === false ? "no-room" : void joiner.push(chunk),
  );
  if (end !== "complete") return { kind: end };
  joiner.flush();
  return { kind: "complete", bytes: Buffer.concat(chunks) };
}

type BodyEnd = "complete" | "too-large" | "no-room" | "cut";

/**
 * Passes on a body chunk by chunk. Counts the bytes that arrive, since `Content-Length` is only a claim. Stops when the
 * body is too large or the budget is used up. `take` may return a promise to slow the client down.
 */
export function takeBytes(
  incoming: IncomingMessage,
  maxBytes: number,
  take: (chunk: Buffer) => undefined | "no-room" | Promise<void>,
): Promise<BodyEnd> {
  // Nothing more arrives, not even the events below: `endBodiless` ends requests before they are read.
  if (incoming.readableEnded) return Promise.resolve("complete");
  const { promise, resolve } = Promise.withResolvers<BodyEnd>();
  let bytes = 0;
  const onData = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > maxBytes) return stop("too-large");
    const ready = take(chunk);
    if (!ready) return;
    if (ready === "no-room") return stop("no-room");
    incoming.pause();
    ready.then(() => incoming.resume(), tooLarge);
  };
  const stop = (why: "too-large" | "no-room"): void => {
    incoming.off("data", onData).pause();
    resolve(why);
  };
  const tooLarge = (): void => stop("too-large");
  incoming.once("end", () => resolve("complete"));
  incoming.once("close", () => resolve(incoming.complete ? "complete" : "cut"));
  incoming.once("error", () => resolve("cut"));
  if (Number(incoming.headers["content-length"] ?? 0) > maxBytes) tooLarge();
  else incoming.on("data", onData);
  return promise;
}
