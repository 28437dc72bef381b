import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { Cookies } from "./cookies.ts";

/**
 * One request as pages see it. Everything that costs something is made when it is first asked for: most pages never look at the URL object,
 * the cookies or the abort signal.
 */
export class PageRequest {
  readonly incoming: IncomingMessage;
  readonly method: string;
  /** Canonical path of the page, without `/_data` or `/_action/…`. */
  readonly path: string;
  /** Begins with `?` or is empty. */
  readonly search: string;
  /** `https://host`, by configuration, trusted proxy or the connection itself; never by an unchecked header. */
  readonly origin: string;
  readonly #response: ServerResponse;
  #url: URL | undefined;
  #cookies: Cookies | undefined;
  #headers: Headers | undefined;
  #abort: AbortController | undefined;

  constructor(incoming: IncomingMessage, response: ServerResponse, path: string, search: string, origin: string) {
    this.incoming = incoming;
    this.#response = response;
    this.method = incoming.method ?? "GET";
    this.path = path;
    this.search = search;
    this.origin = origin;
  }

  get url(): URL {
    this.#url ??= new URL(this.path + this.search, this.origin);
    return this.#url;
  }

  get cookies(): Cookies {
    this.#cookies ??= new Cookies(this.incoming.headers.cookie ?? "");
    return this.#cookies;
  }

  /** The cookies that were set, without making the object when nobody did. */
  cookiesToSend(): readonly string[] {
    return this.#cookies?.toSend() ?? [];
  }

  sessionTag(): string {
    return this.incoming.headers.cookie?.includes("__") ? this.cookies.sessionTag() : "";
  }

  get headers(): Headers {
    if (!this.#headers) {
      this.#headers = new Headers();
      for (const [name, value] of Object.entries(this.incoming.headers)) {
        for (const one of Array.isArray(value) ? value : [value ?? ""]) this.#headers.append(name, one);
      }
    }
    return this.#headers;
  }

  /** Aborted when the visitor has gone or time is up. */
  get signal(): AbortSignal {
    if (!this.#abort) {
      const abort = new AbortController();
      this.#abort = abort;
      if (this.#response.destroyed) abort.abort();
      else this.#response.once("close", () => this.#response.writableFinished || abort.abort());
    }
    return this.#abort.signal;
  }

  /** Ends whatever listens to `signal`; nobody does if it was never asked for. */
  abort(reason: unknown): void {
    this.#abort?.abort(reason);
  }

  /** The request as the web platform has it, for API routes. */
  toWebRequest(): Request {
    const hasBody = this.method !== "GET" && this.method !== "HEAD";
    return new Request(this.url, {
      method: this.method,
      headers: this.headers,
      signal: this.signal,
      ...(hasBody
        ? { body: Readable.toWeb(this.incoming) as ReadableStream<Uint8Array>, duplex: "half" as const }
        : {}),
    });
  }
}
