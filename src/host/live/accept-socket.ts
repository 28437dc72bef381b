import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { AcceptSocket, FrameLimits, WebSocketLike } from "#pages";

/** The part of the package `ws` that is used here. */
interface WebSocketServerLike {
  handleUpgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer, opened: (socket: WebSocketLike) => void): void;
  on(event: "headers", listener: (headers: string[]) => void): unknown;
}

/**
 * Frames of one message, and pieces in which it arrives. A browser sends one frame; the network delivers a message of
 * 64 KiB in about fifty pieces. More of either is an attempt to use up memory.
 */
const framesOfMessage = 128;
const piecesOfMessage = 1_024;

/** Loads the package with the first socket: applications without one never do. */
export function createAcceptSocket(): AcceptSocket {
  let server: Promise<WebSocketServerLike> | undefined;
  let added: readonly string[] = [];
  const open = async (limits: FrameLimits): Promise<WebSocketServerLike> => {
    const opened = await openServer(limits);
    opened.on("headers", (headers) => {
      for (let at = 0; at < added.length; at += 2) headers.push(`${added[at]}: ${added[at + 1]}`);
    });
    return opened;
  };
  return async ({ incoming, socket, head }, headers, limits) => {
    server ??= open(limits);
    const opened = await server;
    return new Promise((resolve) => {
      socket.once("close", () => resolve(undefined));
      // Synchronous, so that the headers are those of this request.
      added = headers;
      opened.handleUpgrade(incoming, socket, head, resolve);
    });
  };
}

async function openServer({ messageBytes, socketCloseMs }: FrameLimits): Promise<WebSocketServerLike> {
  // A name that the compiler does not resolve: the package has no types of its own.
  const name: string = "ws";
  const { WebSocketServer } = (await import(name)) as { WebSocketServer: new (options: object) => WebSocketServerLike };
  return new WebSocketServer({
    noServer: true,
    clientTracking: false,
    // A compressor for each connection would need more memory than everything else of it.
    perMessageDeflate: false,
    maxPayload: messageBytes,
    maxFragments: framesOfMessage,
    maxBufferedChunks: piecesOfMessage,
    closeTimeout: socketCloseMs,
    // Unread replies to a flood of pings would fill the memory, so the connection decides.
    autoPong: false,
    // One message for each turn of the event loop: a flood leaves turns to others.
    allowSynchronousEvents: false,
    handleProtocols: () => false,
  });
}
