import type { IncomingMessage } from "node:http";

export type Body = { kind: "body"; text: string } | { kind: "refused"; status: 400 | 413; why: string };

/** Reads a body up to a bound. Counts what arrives, since `Content-Length` is only a claim. */
export async function readBody(incoming: IncomingMessage, maxBytes: number): Promise<Body> {
  const chunks: Buffer[] = [];
  const end = await takeBytes(incoming, maxBytes, (chunk) => void chunks.push(chunk));
  if (end === "too-large") return { kind: "refused", status: 413, why: `at most ${maxBytes} bytes are taken` };
  if (end === "cut") return { kind: "refused", status: 400, why: "the body was cut" };
  return { kind: "body", text: Buffer.concat(chunks).toString("utf8") };
}

/**
 * Hands on a body piece by piece. Once it is too large the rest is read and thrown away, not refused by closing: a browser that is still
 * sending would otherwise never see the answer. The time limit of requests bounds how long that can last. `take` may return a promise to slow down.
 */
export function takeBytes(
  incoming: IncomingMessage,
  maxBytes: number,
  take: (chunk: Buffer) => undefined | Promise<void>,
): Promise<"complete" | "too-large" | "cut"> {
  const { promise, resolve } = Promise.withResolvers<"complete" | "too-large" | "cut">();
  let bytes = 0;
  const onData = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      tooLarge();
      return;
    }
    const ready = take(chunk);
    if (!ready) return;
    incoming.pause();
    ready.then(() => incoming.resume(), tooLarge);
  };
  const tooLarge = (): void => {
    incoming.off("data", onData);
    incoming.resume();
    resolve("too-large");
  };
  incoming.once("end", () => resolve("complete"));
  incoming.once("close", () => resolve(incoming.complete ? "complete" : "cut"));
  incoming.once("error", () => resolve("cut"));
  if (Number(incoming.headers["content-length"] ?? 0) > maxBytes) tooLarge();
  else incoming.on("data", onData);
  return promise;
}
