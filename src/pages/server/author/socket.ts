import type { Schema } from "../../standard-schema.ts";
import type { RequestContext } from "./define.ts";

/** The argument of a socket's handler: the request that opened it, and both directions. */
export interface SocketContext<Receives = unknown, Sends = unknown, Id extends string = string>
  extends RequestContext<Id> {
  /** Aborted when the connection ends. Pass it on to everything you await. */
  readonly signal: AbortSignal;
  /** What the client sends, each checked by the schema. Ends when the connection ends. */
  readonly messages: AsyncIterable<Receives>;
  /**
   * Sends a message: plain JSON, dates and the like as in page data. Does nothing after the end. A client that does not
   * read is disconnected.
   */
  readonly send: (message: Sends) => void;
  /** Ends the connection. A code from 4000 to 4999 says that the client shall not reconnect. */
  readonly close: (code?: number, reason?: string) => void;
}

/** The `socket` export of an API route. */
export interface Socket<Receives = unknown, Sends = unknown> {
  readonly kind: "socket";
  readonly receives: Schema | undefined;
  readonly run: (context: never) => unknown;
  /** For types only: what the client sends, and what it gets. */
  readonly accepts?: Receives;
  readonly gives?: Sends;
}

export interface SocketOptions<Receives, Sends, Id extends string> {
  /** The route it belongs to, for typed `params`. */
  route?: Id;
  /** Checks every message of the client. One that does not fit closes the connection. */
  receives?: Schema<Receives>;
  /** The type of what `send` takes and `useSocket` gives. It is not run: the server's own messages are trusted. */
  sends?: Schema<Sends>;
}

/**
 * A WebSocket, as the `socket` export of an API route. Origin, request hook and guards decide before it opens. The
 * handler runs as long as the connection: when it returns, the connection is closed, and what it throws is reported.
 *
 * @example
 * export const socket = onSocket({ receives: z.object({ text: z.string() }) }, async ({ messages, send }) => {
 *   for await (const { text } of messages) send({ heard: text });
 * });
 */
export function onSocket<Receives = unknown, Sends = unknown, const Id extends string = string>(
  options: SocketOptions<Receives, Sends, Id>,
  run: (context: SocketContext<Receives, Sends, Id>) => unknown,
): Socket<Receives, Sends> {
  return { kind: "socket", receives: options.receives, run: run as Socket["run"] };
}
