import type { IncomingMessage } from "node:http";
import { announcesBody } from "./end-bodiless.ts";
import { awaitsContinue } from "./expect-continue.ts";

/** Limits of reading a refused body. More would cost as much as accepting it. */
const drainMs = 5_000;
const drainBytes = 8_388_608;
/** After the response. A browser that gets to its end shows the reason; beyond, it only sees a cut connection. */
const afterResponse: DiscardLimits = { discardedBytes: 16_777_216, discardIdleMs: 1_000, discardMs: drainMs };

/** Whether a client may still be sending. A request without a body is complete, even before Node reports it. */
export function isUnread(incoming: IncomingMessage): boolean {
  return announcesBody(incoming) && !incoming.complete && !incoming.destroyed;
}

/**
 * Reads and discards the rest of a body, within limits. A client that is still sending does not read a response; if the
 * connection closes, it only sees that.
 */
export async function drainBody(incoming: IncomingMessage): Promise<void> {
  if (!isUnread(incoming) || awaitsContinue(incoming)) return;
  // Of a body that is announced as larger, not a byte is read: its client would not get to the end either.
  if (Number(incoming.headers["content-length"] ?? 0) > drainBytes) return;
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

/** Discards a body of which `drainBody` has read nothing, so that its client gets to the response, then disconnects. */
export function discardAnnounced(incoming: IncomingMessage): boolean {
  if (incoming.headers["content-length"] === undefined) return false;
  incoming.once("end", () => incoming.socket.end());
  discardRest(incoming, afterResponse);
  return true;
}

export interface DiscardLimits {
  readonly discardedBytes: number;
  readonly discardIdleMs: number;
  readonly discardMs: number;
}

/**
 * Discards the rest of a refused body after the response. Closing at once would reset the connection, often before the
 * client has read the response. A client that exceeds the limits is disconnected.
 */
export function discardRest(request: IncomingMessage, limits: DiscardLimits): void {
  if (request.complete || request.destroyed) return;
  let bytes = 0;
  const cut = (): void => void request.destroy();
  const whole = setTimeout(cut, limits.discardMs).unref();
  const idle = setTimeout(cut, limits.discardIdleMs).unref();
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > limits.discardedBytes) cut();
    else idle.refresh();
  });
  request.once("close", () => {
    clearTimeout(whole);
    clearTimeout(idle);
  });
  request.resume();
}
