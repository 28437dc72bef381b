import { existsSync, rmSync, statSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { hasCode } from "#errors";
import { BoundedLine, type ChannelMessage } from "./worker-relay.ts";

export interface PeerLimits {
  /** Until a connection that broke is opened again. */
  retryMs: number;
  /** How long a process that ends waits for others that read nothing. */
  farewellMs: number;
  /** A socket that refuses connections, and that its process has not touched for so long, is that of a crash. */
  goneMs: number;
}

export interface PeerLineDeps {
  /** The socket of the other process. */
  file: string;
  limits: PeerLimits;
  /** Called when the other process has ended. */
  gone: () => void;
}

/** The last line of a process that stops: whatever it has sent before has arrived. */
export const farewell = '"end"\n';

const gap: ChannelMessage = { kind: "channel-gap" };

interface Waiting {
  text: string;
  sent: (error: Error | null) => void;
}

/**
 * What this process sends to one other. If the connection breaks and the other still has its socket, it may have missed
 * messages, and the next connection begins with saying so: a process without free file descriptors closes what it
 * accepts, and neither side hears why.
 */
export class PeerLine {
  readonly #deps: PeerLineDeps;
  readonly #line: BoundedLine;
  #waiting: Waiting[] = [];
  #socket: Socket;
  #isConnected = false;
  #isEnding = false;

  constructor(deps: PeerLineDeps) {
    this.#deps = deps;
    this.#socket = this.#connect("");
    this.#line = new BoundedLine({
      send: (message, sent) => {
        const text = `${JSON.stringify(message)}\n`;
        if (this.#isConnected) this.#socket.write(text, (error) => sent(error ?? null));
        else this.#waiting.push({ text, sent });
      },
    });
  }

  send(message: ChannelMessage): Promise<boolean> {
    return this.#line.send(message);
  }

  end(): void {
    this.#isEnding = true;
    if (this.#isConnected) this.#socket.end(farewell);
    // Writes that wait for a stopped process would keep this one from ending.
    setTimeout(() => this.#socket.destroy(), this.#deps.limits.farewellMs).unref();
  }

  #connect(beginning: string): Socket {
    const socket = connect(this.#deps.file).unref();
    let failure: unknown;
    let wasConnected = false;
    socket.on("connect", () => {
      wasConnected = true;
      this.#isConnected = true;
      if (beginning !== "") socket.write(beginning);
      for (const { text, sent } of this.#waiting.splice(0)) socket.write(text, (error) => sent(error ?? null));
      if (this.#isEnding) socket.end(farewell);
    });
    socket.on("error", (error) => {
      failure = error;
    });
    socket.on("close", () => {
      this.#isConnected = false;
      if (this.#isEnding || this.#hasGone(failure)) return this.#end();
      const next = wasConnected ? `${JSON.stringify(gap)}\n` : beginning;
      setTimeout(() => {
        if (this.#isEnding) this.#end();
        else this.#socket = this.#connect(next);
      }, this.#deps.limits.retryMs).unref();
    });
    // The other side sends nothing. Its end is noticed by reading.
    return socket.resume();
  }

  /**
   * A socket that refuses is left for a while: its process may run on another kernel that shares the folder, where it
   * cannot be reached from here, but is not for this process to remove. It is touched as long as it is in use.
   */
  #hasGone(failure: unknown): boolean {
    const { file, limits } = this.#deps;
    if (!hasCode(failure, "ECONNREFUSED")) return !existsSync(file);
    if (wasLeft(file, limits.goneMs)) rmSync(file, { force: true });
    return true;
  }

  /** A process that has ended needs no message. */
  #end(): void {
    this.#deps.gone();
    for (const { sent } of this.#waiting.splice(0)) sent(null);
  }
}

/** Whether no process has touched the socket for so long. */
export function wasLeft(file: string, goneMs: number): boolean {
  const touched = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  return touched !== undefined && Date.now() - touched > goneMs;
}
