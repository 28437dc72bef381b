import type { IncomingMessage } from "node:http";

/** Limits of reading a refused body. More would cost as much as accepting it. */
const drainMs = 5_000;
const drainBytes = 8_388_608;

/** Whether a client may still be sending. A request without a body is complete, even before Node reports it. */
export function isUnread(incoming: IncomingMessage): boolean {
  const { "content-length": length = "0", "transfer-encoding": chunked } = incoming.headers;
  return (length !== "0" || chunked !== undefined) && !incoming.complete && !incoming.destroyed;
}

/**
 * Reads and discards the rest of a body, within limits. A client that is still sending does not read a response; if the
 * connection closes, it only sees that.
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
