import type { IncomingMessage } from "node:http";

/** Whether a request says that a body follows its head. */
export function announcesBody({ headers }: IncomingMessage): boolean {
  const { "content-length": length = "0", "transfer-encoding": chunked } = headers;
  return length !== "0" || chunked !== undefined;
}

/**
 * Ends the stream of a GET or HEAD request without a body, because a tenth of a request's cost is the reading of
 * nothing. Such a stream has ended before anything listens to it: it emits neither `end` nor `close`, so a reader asks
 * `readableEnded` first. Node's own `optimizeEmptyRequests` does this for other methods too.
 */
export function endBodiless(incoming: IncomingMessage): void {
  const { method } = incoming;
  if ((method !== "GET" && method !== "HEAD") || announcesBody(incoming)) return;
  const own: Partial<OptimizedRequest> = incoming as object;
  // A version of Node without them reads nothing, as usual.
  if (!own._dumpAndCloseReadable || !own._read) return;
  own._dumpAndCloseReadable();
  own._read(0);
}

/** What Node calls with `optimizeEmptyRequests`. */
interface OptimizedRequest {
  _dumpAndCloseReadable(): void;
  _read(size: number): void;
}
