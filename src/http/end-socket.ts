import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

/** Ends a socket without a response object, with a status line and nothing else. */
export function endSocket(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy());
}

/** Refuses every other protocol. Node no longer handles this socket, so its errors are handled here. */
export function refuseUpgrade(_incoming: IncomingMessage, socket: Duplex): void {
  socket.on("error", () => socket.destroy());
  endSocket(socket, "400 Bad Request");
}
