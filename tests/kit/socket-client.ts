import { type EventEmitter, once } from "node:events";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

/** The part of the client of the package `ws` that tests use. */
interface RawClient extends EventEmitter {
  readonly readyState: number;
  readonly _socket: Socket;
  send(data: string | Buffer, options?: { binary?: boolean }): void;
  ping(data?: Buffer): void;
  close(code?: number): void;
  terminate(): void;
}

export interface SocketClient {
  raw: RawClient;
  /** Everything that has arrived, as parsed JSON. */
  received: unknown[];
  /** Resolves with code and reason when the connection has ended. */
  closed: Promise<{ code: number; reason: string }>;
  send(message: unknown): void;
}

const { WebSocket } = await loadClient();

/** Opens a socket, or rejects with the status that refused it. */
export async function openSocket(
  url: string,
  options: { headers?: Record<string, string>; localAddress?: string; autoPong?: boolean } = {},
): Promise<SocketClient> {
  const raw = new WebSocket(url.replace(/^http/, "ws"), { perMessageDeflate: false, ...options });
  const received: unknown[] = [];
  raw.on("message", (data: Buffer) => received.push(JSON.parse(data.toString())));
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    raw.on("close", (code: number, reason: Buffer) => resolve({ code, reason: reason.toString() }));
  });
  const refused = new Promise<never>((_resolve, reject) => {
    raw.on("unexpected-response", (_request, response: IncomingMessage) => {
      response.resume();
      reject(new SocketRefused(response));
    });
    raw.on("error", reject);
  });
  refused.catch(() => undefined);
  await Promise.race([once(raw, "open"), refused]);
  return { raw, received, closed, send: (message) => raw.send(JSON.stringify(message)) };
}

/** The server answered the request for a socket with a plain response. */
export class SocketRefused extends Error {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];

  constructor({ statusCode, headers }: IncomingMessage) {
    super(`refused with ${statusCode}`);
    this.status = statusCode ?? 0;
    this.headers = headers;
  }
}

async function loadClient(): Promise<{ WebSocket: new (url: string, options: object) => RawClient }> {
  // The package has no types of its own.
  const name: string = "ws";
  return import(name);
}
