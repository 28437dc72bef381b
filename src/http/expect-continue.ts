import type { IncomingMessage, ServerResponse } from "node:http";

const waiting = new WeakSet<IncomingMessage>();

/**
 * For a client that waits for `100 Continue` before it sends its body: it gets that when the server begins to read. A
 * client that is refused first gets the refusal, and sends nothing.
 */
export function continueWhenRead(incoming: IncomingMessage, response: ServerResponse): void {
  waiting.add(incoming);
  const { shouldKeepAlive } = response;
  // Whether a refused client sends its body all the same is not known, so nothing may follow on this connection.
  response.shouldKeepAlive = false;
  const onListener = (event: string | symbol): void => {
    if (event !== "data" && event !== "readable") return;
    incoming.off("newListener", onListener);
    waiting.delete(incoming);
    if (response.headersSent) return;
    response.shouldKeepAlive = shouldKeepAlive;
    response.writeContinue();
  };
  incoming.on("newListener", onListener);
}

/** Whether a client waits for `100 Continue`: it is sending nothing. */
export function awaitsContinue(incoming: IncomingMessage): boolean {
  return waiting.has(incoming);
}
