import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { announcesBody, endSocket } from "#http";
import type { HostLimits } from "./limits.ts";

export interface BodyPaceOptions {
  /** Time that every body may take, however small. */
  graceMs: number;
  /** Minimum rate once the grace time has passed. */
  bytesPerSecond: number;
  everyMs: number;
  now: () => number;
  /** Ends the connection of a client that sends too slowly. */
  end: (socket: Socket, response: ServerResponse) => void;
}

interface Arriving {
  incoming: IncomingMessage;
  response: ServerResponse;
  socket: Socket;
  startedAt: number;
  bytesBefore: number;
}

export function openBodyPace(limits: HostLimits): BodyPace {
  return new BodyPace({
    graceMs: limits.requestMs,
    bytesPerSecond: limits.bodyBytesPerSecond,
    everyMs: limits.checkSocketsMs,
    now: () => performance.now(),
    end: (socket, response) => (response.headersSent ? socket.destroy() : endSocket(socket, "408 Request Timeout")),
  });
}

/**
 * Watches request bodies while they arrive. The limit is a rate, not a time: a large upload over a slow line takes
 * minutes and makes progress, while a few bytes now and then only hold a socket.
 */
export class BodyPace {
  readonly #arriving = new Set<Arriving>();
  readonly #options: BodyPaceOptions;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: BodyPaceOptions) {
    this.#options = options;
  }

  watch(incoming: IncomingMessage, response: ServerResponse): void {
    if (!announcesBody(incoming)) return;
    const { socket } = incoming;
    const one = { incoming, response, socket, startedAt: this.#options.now(), bytesBefore: socket.bytesRead };
    this.#arriving.add(one);
    this.#timer ??= setInterval(() => this.check(), this.#options.everyMs).unref();
    response.once("close", () => this.#remove(one));
  }

  /** Runs every `everyMs` while any body is arriving. */
  check(): void {
    for (const one of this.#arriving) {
      if (one.incoming.complete) this.#remove(one);
      else if (this.#isTooSlow(one)) {
        this.#remove(one);
        this.#options.end(one.socket, one.response);
      }
    }
  }

  #isTooSlow({ socket, startedAt, bytesBefore }: Arriving): boolean {
    const { graceMs, bytesPerSecond, now } = this.#options;
    const seconds = (now() - startedAt - graceMs) / 1_000;
    return seconds > (socket.bytesRead - bytesBefore) / bytesPerSecond;
  }

  #remove(one: Arriving): void {
    this.#arriving.delete(one);
    if (this.#arriving.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
