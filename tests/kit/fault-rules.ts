import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";

/** What a rule looks at. The path comes with its query. */
export interface Asked {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
}

/** Text: this very path, with or without a query. */
export type Pattern = string | RegExp | ((asked: Asked) => boolean);

export function fits(pattern: Pattern, asked: Asked): boolean {
  if (typeof pattern === "function") return pattern(asked);
  if (typeof pattern === "string") return asked.path === pattern || asked.path.split("?")[0] === pattern;
  return pattern.test(asked.path);
}

/** What happens to the requests that a rule takes. Everything can be combined: a late 503 that is cut, for example. */
export interface Fault {
  /** Before the application is asked. */
  delayMs?: number;
  /** Opens when it is released; the application is asked then. */
  gate?: Promise<void>;
  /** The request is taken and never answered. */
  hang?: true;
  /** The connection is torn before anything is answered. */
  drop?: true;
  /** Given instead of asking the application. */
  answer?: { status: number; headers: OutgoingHttpHeaders; body: string | Buffer };
  status?: number;
  /** Put over those of the application; `undefined` takes one away. */
  headers?: Record<string, string | undefined>;
  /** The body goes in pieces of so many bytes, with a pause before each. */
  drip?: { bytes: number; everyMs: number };
  /** After so many bytes of the body the connection is torn. */
  cutAfterBytes?: number;
  /** After so many bytes of the body nothing more comes, and the connection stays open. */
  stallAfterBytes?: number;
}

/** One rule of a fault proxy, written as a sentence: `proxy.when(/_data/).times(1).delay(500).status(503)`. */
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

  /** Only the next so many requests; later ones pass. */
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

  /** Keeps requests waiting until `release()`. */
  hold(): { release: () => void; taken: (count?: number) => Promise<void> } {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.fault.gate = promise;
    return { release: resolve, taken: (count = 1) => this.taken(count) };
  }

  /** When so many requests have met this rule. */
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

  /** Asked by the proxy: takes the request if the rule applies to it. */
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
