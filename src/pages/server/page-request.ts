import type { IncomingMessage, ServerResponse } from "node:http";
import { ReadableStream as WebStream } from "node:stream/web";
import { isCutBody, streamBody } from "#http";
import type { Language } from "#routes";
import { type CookieOptions, Cookies, cookieLine } from "./author/cookies.ts";
import { ResponseHead } from "./author/response-head.ts";
import type { PostRoom } from "./body/posts.ts";
import type { SpokenLanguage } from "./languages/spoken-language.ts";
import type { VisitorCookies } from "./visitor/visitor-cookies.ts";

/** Target of a request, and the cookies that identify visitors. */
export interface RequestPlace {
  /** Of the configuration. */
  lang: string;
  /** Of the address, where the application has languages. */
  language?: SpokenLanguage | undefined;
  path: string;
  /** The path as visitors see it, where that differs. */
  address?: string;
  search: string;
  origin: string;
  visitors: VisitorCookies;
}

/**
 * One request as pages see it. Everything expensive is created on first use: most pages never read the URL object, the
 * cookies or the abort signal.
 */
export class PageRequest {
  readonly incoming: IncomingMessage;
  readonly method: string;
  /** Canonical path of the page, without `/_data` or `/_action/…`. */
  readonly path: string;
  /** The path as visitors see it: it may end with a slash. */
  readonly address: string;
  /** Begins with `?` or is empty. */
  readonly search: string;
  /** `https://host`, from configuration, a trusted proxy or the connection itself; never from an unchecked header. */
  readonly origin: string;
  readonly lang: Language;
  /** The language of the address, where the application has languages. */
  readonly language: SpokenLanguage | undefined;
  /** What the request hooks have returned so far. */
  locals: object = {};
  readonly #response: ServerResponse;
  #url: URL | undefined;
  #cookies: Cookies | undefined;
  #cookiesSealed = false;
  #head: ResponseHead | undefined;
  #headSealed = false;
  #ownCookies: Map<string, string> | undefined;
  #headers: Headers | undefined;
  #abort: AbortController | undefined;
  #disconnected: Promise<never> | undefined;

  readonly #visitors: VisitorCookies;

  /** The origin of whole addresses that a component writes into the document. */
  get originForAddresses(): string {
    return this.origin;
  }

  constructor(incoming: IncomingMessage, response: ServerResponse, place: RequestPlace) {
    const { path, address = path, search, origin, visitors, lang, language } = place;
    this.incoming = incoming;
    this.#response = response;
    this.method = incoming.method ?? "GET";
    this.path = path;
    this.address = address;
    this.search = search;
    this.origin = origin;
    // The application declares its languages, which the address or the configuration names.
    this.lang = (language?.lang ?? lang) as Language;
    this.language = language;
    this.#visitors = visitors;
  }

  get url(): URL {
    this.#url ??= new URL(this.address + this.search, this.origin);
    return this.#url;
  }

  get cookies(): Cookies {
    if (!this.#cookies) {
      this.#cookies = new Cookies(this.incoming.headers.cookie ?? "", this.#visitors);
      if (this.#cookiesSealed) this.#cookies.seal();
    }
    return this.#cookies;
  }

  /** No cookie can be set from now on: the head of the response may be sent at any moment. */
  sealCookies(): void {
    this.#cookiesSealed = true;
    this.#cookies?.seal();
  }

  /** For response hooks: the head is not sent yet. */
  reopenCookies(): void {
    this.#cookiesSealed = false;
    this.#cookies?.reopen();
  }

  get response(): ResponseHead {
    if (!this.#head) {
      this.#head = new ResponseHead();
      if (this.#headSealed) this.#head.seal();
    }
    return this.#head;
  }

  /** The status and headers that the application chose; undefined if it chose none. */
  get chosen(): ResponseHead | undefined {
    return this.#head;
  }

  /** Status and headers are final: the page is decided. */
  sealResponse(): void {
    this.#headSealed = true;
    this.#head?.seal();
  }

  /** The `Set-Cookie` lines. Does not create the cookie object if it was not used. */
  cookiesToSend(): readonly string[] {
    const lines = this.#cookies?.toSend() ?? noLines;
    return this.#ownCookies ? [...lines, ...this.#ownCookies.values()] : lines;
  }

  /** The lines that the application has set so far, by name. */
  cookieLines(): ReadonlyMap<string, string> {
    return this.#cookies?.lines() ?? noCookies;
  }

  /** Sets a cookie of the framework, which the application does not see. Possible until the head is sent. */
  setOwnCookie(name: string, value: string, options: CookieOptions): void {
    this.#ownCookies ??= new Map();
    this.#ownCookies.set(name, cookieLine(name, value, options));
  }

  sessionTag(): string {
    return this.#cookies || this.incoming.headers.cookie ? this.cookies.sessionTag() : "";
  }

  get headers(): Headers {
    this.#headers ??= watch(headersOf(this.incoming), () => this.#visitors.noteAll());
    return this.#headers;
  }

  /** Aborted when the visitor has left or time is up. */
  get signal(): AbortSignal {
    if (!this.#abort) {
      const abort = new AbortController();
      this.#abort = abort;
      if (this.#response.destroyed) abort.abort();
      else this.#response.once("close", () => this.#response.writableFinished || abort.abort());
    }
    return this.#abort.signal;
  }

  /** Whether code has asked for the cookies or the headers of this visitor. */
  get isRead(): boolean {
    return this.#cookies !== undefined || this.#headers !== undefined;
  }

  /** Whether this is a prefetch, by our code or by the browser. */
  get isPrefetch(): boolean {
    const { purpose = "", "sec-purpose": ofBrowser = "" } = this.incoming.headers;
    return `${purpose} ${ofBrowser}`.includes("prefetch");
  }

  /** The cookies as the browser sent them, without those set since. */
  get sentCookies(): Cookies {
    return new Cookies(this.incoming.headers.cookie ?? "");
  }

  get isDisconnected(): boolean {
    return this.#response.destroyed;
  }

  /** Rejects when the visitor has left, with a value that `isParting` recognizes. Never resolves. */
  get disconnected(): Promise<never> {
    if (!this.#disconnected) {
      const { promise, reject } = Promise.withResolvers<never>();
      this.#disconnected = promise;
      promise.catch(() => undefined);
      if (this.#response.destroyed) reject(clientDisconnected);
      else this.#response.once("close", () => this.#response.writableFinished || reject(clientDisconnected));
    }
    return this.#disconnected;
  }

  /** Awaits work during which nothing is sent, without the socket's idle timeout. */
  async undisturbed<Value>(work: Promise<Value>): Promise<Value> {
    const { socket } = this.incoming;
    const { timeout = 0 } = socket;
    socket.setTimeout(0);
    try {
      return await work;
    } finally {
      if (!socket.destroyed) socket.setTimeout(timeout);
    }
  }

  /** Whether this was thrown only because the visitor has left: then nothing has failed. */
  isParting(thrown: unknown): boolean {
    if (thrown === clientDisconnected || isCutBody(thrown)) return true;
    return this.#response.destroyed && !this.#response.writableFinished && isAbort(thrown);
  }

  /** Aborts `signal`, if it was ever read. */
  abort(reason: unknown): void {
    this.#abort?.abort(reason);
  }

  /** The length of the body as announced by `Content-Length`. */
  get announcedBytes(): number {
    return Number(this.incoming.headers["content-length"] ?? 0);
  }

  /** The web `Request` for API routes. Reading more than `maxBytes` of its body fails with `BodyTooLarge`. */
  toWebRequest(maxBytes: number, room: PostRoom | undefined): Request {
    const hasBody = this.method !== "GET" && this.method !== "HEAD";
    return new Request(this.url, {
      method: this.method,
      headers: headersOf(this.incoming),
      signal: this.signal,
      ...(hasBody
        ? {
            body: WebStream.from(
              streamBody(this.incoming, maxBytes, (bytes) => room?.takeMemory(bytes) !== false),
            ) as ReadableStream<Uint8Array>,
            duplex: "half" as const,
          }
        : {}),
    });
  }
}

const noLines: readonly string[] = [];
const noCookies: ReadonlyMap<string, string> = new Map();

function headersOf(incoming: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    for (const one of Array.isArray(value) ? value : [value ?? ""]) headers.append(name, one);
  }
  return headers;
}

/**
 * Detects a read of the `Cookie` header: session libraries read it as a whole instead of one cookie. Not a subclass,
 * because evaluating one at a start loads all of Node's web client.
 */
function watch(headers: Headers, cookiesRead: () => void): Headers {
  const { prototype } = Headers;
  const entries = (): ReturnType<Headers["entries"]> => {
    cookiesRead();
    return prototype.entries.call(headers);
  };
  return Object.assign(headers, {
    get(name: string): string | null {
      if (name.toLowerCase() === "cookie") cookiesRead();
      return prototype.get.call(headers, name);
    },
    entries,
    values(): ReturnType<Headers["values"]> {
      cookiesRead();
      return prototype.values.call(headers);
    },
    forEach(...args: Parameters<Headers["forEach"]>): void {
      cookiesRead();
      prototype.forEach.apply(headers, args);
    },
    [Symbol.iterator]: entries,
  });
}

const clientDisconnected = Symbol("the visitor has gone");

/**
 * By name, because every library has its own abort error. Reading the name may throw, like any access to a thrown
 * value.
 */
export function isAbort(thrown: unknown): boolean {
  try {
    return typeof thrown === "object" && thrown !== null && "name" in thrown && thrown.name === "AbortError";
  } catch {
    return false;
  }
}
