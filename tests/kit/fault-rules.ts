import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";

/** The fields of a request that a rule can match. The path includes the query. */
export interface Asked {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
}

/** Text: exactly this path, with or without a query. */
export type Pattern = string | RegExp | ((asked: Asked) => boolean);

export function fits(pattern: Pattern, asked: Asked): boolean {
  if (typeof pattern === "function") return pattern(asked);
  if (typeof pattern === "string") return asked.path === pattern || asked.path.split("?")[0] === pattern;
  return pattern.test(asked.path);
}

/** What happens to a matching request. All fields can be combined, for example a late 503 that is cut. */
export interface Fault {
  /** Before the request is forwarded. */
  delayMs?: number;
  /** Resolves when the gate is released; then the request is forwarded. */
  gate?: Promise<void>;
  /** Called when the application has responded. Its response is sent when the result resolves. */
  responded?: () => Promise<void>;
  /** The request never gets a response. */
  hang?: true;
  /** The connection is destroyed before any response. */
  drop?: true;
  /** Sent instead of forwarding the request. */
  answer?: { status: number; headers: OutgoingHttpHeaders; body: string | Buffer };
  status?: number;
  /** Override those of the application; `undefined` removes one. */
  headers?: Record<string, string | undefined>;
  /** The body is sent in pieces of this many bytes, with a pause before each. */
  drip?: { bytes: number; everyMs: number };
  /** After this many bytes of the body the connection is destroyed. */
  cutAfterBytes?: number;
  /** After this many bytes of the body nothing more is sent, and the connection stays open. */
  stallAfterBytes?: number;
}

/** One rule of a fault proxy, in a chain: `proxy.when(/_data/).times(1).delay(500).status(503)`. */
export class FaultRule {
  readonly fault: Fault = {};
  readonly #pattern: Pattern;
  readonly #remove: (rule: FaultRule) => void;
  #method: string | undefined;
  #left = Number.POSITIVE_INFINITY;
  #taken = 0;
  #waiting: { count: number; resolve: () => void }[] = [];

  constructor(pattern: Pattern, remove: (rule: FaultRule) => void) {
    this.#pattern = pattern;
    this.#remove = remove;
  }

  /** Only requests of this method; the others pass. */
  method(method: string): this {
    this.#method = method;
    return this;
  }

  /** Only the next `count` requests; later ones pass. */
  times(count: number): this {
    this.#left = count;
    return this;
  }

  delay(ms: number): this {
    this.fault.delayMs = ms;
    return this;
  }

  hang(): this {
    this.fault.hang = true;
    return this;
  }

  drop(): this {
    this.fault.drop = true;
    return this;
  }

  status(status: number): this {
    this.fault.status = status;
    return this;
  }

  headers(headers: Record<string, string | undefined>): this {
    this.fault.headers = { ...this.fault.headers, ...headers };
    return this;
  }

  answer(status: number, body: string | Buffer = "", headers: OutgoingHttpHeaders = {}): this {
    this.fault.answer = { status, body, headers };
    return this;
  }

  drip(bytes: number, everyMs: number): this {
    this.fault.drip = { bytes, everyMs };
    return this;
  }

  cutAfter(bytes: number): this {
    this.fault.cutAfterBytes = bytes;
    return this;
  }

  stallAfter(bytes: number): this {
    this.fault.stallAfterBytes = bytes;
    return this;
  }

  /** Holds requests until `release()`. */
  hold(): { release: () => void; taken: (count?: number) => Promise<void> } {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.fault.gate = promise;
    return { release: resolve, taken: (count = 1) => this.taken(count) };
  }

  /** Forwards requests, and holds the response of the application until `release()`. */
  holdResponse(): { release: () => void; responded: Promise<void> } {
    const responded = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    this.fault.responded = () => {
      responded.resolve();
      return released.promise;
    };
    return { release: released.resolve, responded: responded.promise };
  }

  /** Resolves when this many requests have matched the rule. */
  taken(count = 1): Promise<void> {
    if (this.#taken >= count) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ count, resolve }));
  }

  get count(): number {
    return this.#taken;
  }

  remove(): void {
    this.#remove(this);
  }

  /** Called by the proxy: returns true and counts the request if the rule applies to it. */
  take(asked: Asked): boolean {
    if (this.#left <= 0 || (this.#method && this.#method !== asked.method) || !fits(this.#pattern, asked)) return false;
    this.#left -= 1;
    this.#taken += 1;
    const reached = this.#waiting.filter(({ count }) => count <= this.#taken);
    this.#waiting = this.#waiting.filter(({ count }) => count > this.#taken);
    for (const { resolve } of reached) resolve();
    return true;
  }
}
