import { readTagged } from "../tagged-json.ts";

/** `waiting`: the connection is lost, and another attempt follows. `closed`: no attempt follows. */
export type SocketState = "connecting" | "open" | "waiting" | "closed";

/** Why a socket is closed: the code and reason of the server. 4401 and the like are a refusal with 401. */
export interface SocketEnd {
  readonly code: number;
  readonly reason: string;
}

export interface SocketLinkDeps {
  /** Address without its origin. */
  readonly address: string;
  onState(state: SocketState, end?: SocketEnd): void;
  onMessage(message: unknown): void;
}

const firstPauseMs = 2_000;
/** Longer pauses would look broken to a visitor whose network is back. */
const longestPauseMs = 30_000;
/** A connection that was open for so long has worked: the next pause is a first one. */
const steadyMs = 5_000;
/** Messages that wait while there is no connection; what is older than an outage of minutes is rarely still wanted. */
const waitingAtMost = 100;
/** Statuses that another attempt would get again. */
const final = new Set([400, 401, 403, 404, 405, 410]);

/** From half of it to all of it, so that the clients of a stopped server do not come back all at once. */
export function pauseBefore(attempt: number, random: number): number {
  return Math.min(longestPauseMs, firstPauseMs * 2 ** attempt) * (0.5 + random / 2);
}

/** One socket that reconnects until it is closed. */
export class SocketLink {
  readonly #deps: SocketLinkDeps;
  readonly #waiting: string[] = [];
  #socket: WebSocket | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #attempts = 0;
  #state: SocketState = "connecting";

  constructor(deps: SocketLinkDeps) {
    this.#deps = deps;
  }

  open(): void {
    addEventListener("online", this.#retry);
    addEventListener("pagehide", this.#pause);
    addEventListener("pageshow", this.#retry);
    this.#connect();
  }

  /** Ends it, without a word to its page. */
  end(): void {
    removeEventListener("online", this.#retry);
    removeEventListener("pagehide", this.#pause);
    removeEventListener("pageshow", this.#retry);
    this.#drop();
    this.#state = "closed";
  }

  close(): void {
    this.end();
    this.#deps.onState("closed", { code: 1_000, reason: "" });
  }

  send(message: unknown): "sent" | "waiting" | "dropped" {
    const text = JSON.stringify(message);
    if (this.#state === "open") {
      this.#socket?.send(text);
      return "sent";
    }
    if (this.#state === "closed" || this.#waiting.length >= waitingAtMost) return "dropped";
    this.#waiting.push(text);
    return "waiting";
  }

  #connect(): void {
    this.#become("connecting");
    const socket = new WebSocket(location.origin.replace("http", "ws") + this.#deps.address);
    this.#socket = socket;
    let openedAt = 0;
    socket.onopen = () => {
      openedAt = performance.now();
      this.#become("open");
      for (const text of this.#waiting.splice(0)) socket.send(text);
    };
    socket.onmessage = ({ data }) => this.#deps.onMessage(readTagged(String(data)));
    socket.onclose = ({ code, reason }) => {
      if (openedAt && performance.now() - openedAt > steadyMs) this.#attempts = 0;
      if (code === 1_000 || code >= 4_000) return this.#finish({ code, reason });
      this.#wait();
      if (!openedAt) void this.#askWhy();
    };
  }

  /** A browser does not say with which status a socket was refused. A plain request is refused with the same one. */
  async #askWhy(): Promise<void> {
    const socket = this.#socket;
    try {
      const { status } = await fetch(this.#deps.address, { method: "HEAD", redirect: "manual", cache: "no-store" });
      if (final.has(status) && socket === this.#socket) this.#finish({ code: 4_000 + status, reason: "" });
    } catch {
      // There is no connection: the next attempt finds out.
    }
  }

  #wait(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#connect(), pauseBefore(this.#attempts++, Math.random()));
    this.#become("waiting");
  }

  readonly #retry = (): void => {
    if (this.#state !== "waiting") return;
    clearTimeout(this.#timer);
    this.#connect();
  };

  /** A page with an open socket could not be kept for Back and Forward. */
  readonly #pause = (): void => {
    if (this.#state === "closed") return;
    this.#drop();
    this.#become("waiting");
  };

  #finish(end: SocketEnd): void {
    this.end();
    this.#deps.onState("closed", end);
  }

  #drop(): void {
    clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#socket = undefined;
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }

  #become(state: SocketState): void {
    this.#state = state;
    this.#deps.onState(state);
  }
}
