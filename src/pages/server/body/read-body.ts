import type { IncomingMessage } from "node:http";
import { PieceJoiner } from "#bounds";
import type { PostRoom } from "../posts.ts";

export type Body = { kind: "body"; text: string } | { kind: "refused"; status: 400 | 413 | 503; why: string };

/**
 * Reads a body up to a bound. Counts what arrives, since `Content-Length` is only a claim. Charges it to `room`, which
 * the caller gives back.
 */
export async function readBody(incoming: IncomingMessage, maxBytes: number, room?: PostRoom): Promise<Body> {
  const chunks: Buffer[] = [];
  const joiner = new PieceJoiner<Buffer, void>(Buffer.allocUnsafe, (piece) => void chunks.push(piece));
  const end = await takeBytes(incoming, maxBytes, (chunk) =>
    room?.takeMemory(chunk.length) === false ? "no-room" : void joiner.push(chunk),
  );
  if (end === "too-large") return { kind: "refused", status: 413, why: `at most ${maxBytes} bytes are taken` };
  if (end === "cut") return { kind: "refused", status: 400, why: "the body was cut" };
  if (end === "no-room") return { kind: "refused", status: 503, why: noRoom };
  joiner.flush();
  return { kind: "body", text: Buffer.concat(chunks).toString("utf8") };
}

export const noRoom = "too much is being sent at the same time; try again in a few seconds";

/** What is too much is still read for so long, and so far: more would be as much work for us as taking it. */
const drainMs = 5_000;
const drainBytes = 8_388_608;

/** Whether a client may still be sending. A request without a body is complete, even if Node has not said so yet. */
export function isUnread(incoming: IncomingMessage): boolean {
  const { "content-length": length = "0", "transfer-encoding": chunked } = incoming.headers;
  return (length !== "0" || chunked !== undefined) && !incoming.complete && !incoming.destroyed;
}

/**
 * Reads some of what is left of a body and throws it away: a client that is still sending sees no answer, and where the
 * connection is closed behind one, only that it was closed.
 */
export async function drainBody(incoming: IncomingMessage): Promise<void> {
  if (!isUnread(incoming)) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, drainMs);
  let bytes = 0;
  const onData = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > drainBytes) resolve();
  };
  incoming.once("end", resolve).once("close", resolve).on("data", onData).resume();
  await promise;
  clearTimeout(timer);
  incoming.off("data", onData).pause();
}

type TakenBytes = "complete" | "too-large" | "no-room" | "cut";

/**
 * Hands on a body piece by piece. Stops once it is too large, or there is no room for it. `take` may return a promise
 * to slow down.
 */
export function takeBytes(
  incoming: IncomingMessage,
  maxBytes: number,
  take: (chunk: Buffer) => undefined | "no-room" | Promise<void>,
): Promise<TakenBytes> {
  const { promise, resolve } = Promise.withResolvers<TakenBytes>();
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
