import type { IncomingMessage } from "node:http";
import type { Charge } from "./read-body.ts";

export class BodyTooLarge extends Error {
  override readonly name = "BodyTooLarge";
}

export class NoRoomForBody extends Error {
  override readonly name = "NoRoomForBody";
}

/** Yields a limited body chunk by chunk. Keeps the connection open if it is not read to its end. */
export async function* streamBody(
  incoming: IncomingMessage,
  maxBytes: number,
  charge: Charge,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  try {
    for await (const chunk of incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw new BodyTooLarge(`The body has more than ${maxBytes} bytes.`);
      if (!charge(chunk.length)) throw new NoRoomForBody("Too much is being sent at the same time.");
      yield chunk;
    }
  } catch (error) {
    if (error instanceof Error && incoming.destroyed && !incoming.complete) cutBodies.add(error);
    throw error;
  }
}

const cutBodies = new WeakSet<object>();

/** Whether `streamBody` threw this because the client closed the connection. */
export function isCutBody(error: unknown): boolean {
  return typeof error === "object" && error !== null && cutBodies.has(error);
}
