import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

/** A request to change the protocol, and what arrived behind it. */
export interface Upgrade {
  readonly incoming: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** The part of a WebSocket that connections use, as the package `ws` has it. */
export interface WebSocketLike {
  /** Bytes that the client has not taken. */
  readonly bufferedAmount: number;
  send(text: string, sent: () => void): void;
  ping(): void;
  pong(data: Buffer): void;
  close(code: number, reason: string): void;
  /** Ends it without a word. */
  terminate(): void;
  /** Stops reading from the client, so that the network holds it back. */
  pause(): void;
  resume(): void;
  on(event: "message", listener: (data: Buffer, isBinary: boolean) => void): unknown;
  on(event: "ping" | "pong", listener: (data: Buffer) => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "close", listener: () => void): unknown;
}

/** Limits of what a client sends, which the protocol's reader checks itself. */
export interface FrameLimits {
  messageBytes: number;
  /** How long a client may take to confirm a close. */
  socketCloseMs: number;
}

/** Completes the handshake. Undefined if the client's part of it was wrong: it has been refused then. */
export type AcceptSocket = (
  upgrade: Upgrade,
  headers: readonly string[],
  limits: FrameLimits,
) => Promise<WebSocketLike | undefined>;
