import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

export interface BodyPaceOptions {
  /** Every body may take so long, however small. */
  graceMs: number;
  /** And beyond that, as long as it needs at this pace. */
  bytesPerSecond: number;
  everyMs: number;
  now: () => number;
  /** Ends the connection of a sender that is too slow. */
  end: (socket: Socket, response: ServerResponse) => void;
}

interface Arriving {
  incoming: IncomingMessage;
  response: ServerResponse;
  socket: Socket;
  startedAt: number;
  bytesBefore: number;
}

/**
 * Watches bodies while they arrive. A large upload over a slow line takes minutes, and each of its bytes is progress; a
 * sender that gives a few bytes now and then only keeps a socket. So what counts is the pace, not the time.
 */
export class BodyPace {
  readonly #arriving = new Set<Arriving>();
  readonly #options: BodyPaceOptions;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: BodyPaceOptions) {
    this.#options = options;
  }

  watch(incoming: IncomingMessage, response: ServerResponse): void {
    const { "content-length": length = "0", "transfer-encoding": chunked } = incoming.headers;
    if (length === "0" && chunked === undefined) return;
    const { socket } = incoming;
    const one = { incoming, response, socket, startedAt: this.#options.now(), bytesBefore: socket.bytesRead };
    this.#arriving.add(one);
    this.#timer ??= setInterval(() => this.look(), this.#options.everyMs).unref();
    response.once("close", () => this.#gone(one));
  }

  /** Done every `everyMs` while any body is arriving. */
  look(): void {
    for (const one of this.#arriving) {
      if (one.incoming.complete) this.#gone(one);
      else if (this.#isTooSlow(one)) {
        this.#gone(one);
        this.#options.end(one.socket, one.response);
      }
    }
  }

  #isTooSlow({ socket, startedAt, bytesBefore }: Arriving): boolean {
    const { graceMs, bytesPerSecond, now } = this.#options;
    const seconds = (now() - startedAt - graceMs) / 1_000;
    return seconds > (socket.bytesRead - bytesBefore) / bytesPerSecond;
  }

  #gone(one: Arriving): void {
    this.#arriving.delete(one);
    if (this.#arriving.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
