import type { IncomingMessage } from "node:http";
import type { Exchange } from "#http";
import type { RoutedRequest, RouteWatch } from "./route-watch.ts";

/** What answers an address for every visitor, as far as nothing but the address decides. */
export interface KnownAnswer {
  /** The pattern of its route. */
  readonly route: string;
  /** Sends it, unless something else of the request has a part in the answer. */
  send(exchange: Exchange): boolean;
}

/** A site has fewer pages that are asked for again and again. An address and a host may be any text. */
const knownAtMost = 1_000;
const knownLength = 500;

interface Known {
  host: string | undefined;
  origin: string;
  answer: KnownAnswer;
}

/**
 * The addresses whose pages the build or the cache has, as requests spell them. Such a request is answered before its
 * address is read: what that decides was decided for the first one.
 */
export class KnownAddresses {
  readonly #originOf: (incoming: IncomingMessage) => string;
  readonly #watch: RouteWatch | undefined;
  readonly #known = new Map<string, Known>();

  constructor(originOf: (incoming: IncomingMessage) => string, watch: RouteWatch | undefined) {
    this.#originOf = originOf;
    this.#watch = watch;
  }

  /** Answers a request, or returns false. */
  answer(exchange: Exchange): boolean {
    const { incoming } = exchange;
    const known = this.#known.get(incoming.url ?? "");
    if (known?.host !== incoming.headers.host || known?.origin !== this.#originOf(incoming)) return false;
    const { answer } = known;
    const watch = this.#watch;
    if (!watch) return answer.send(exchange);
    // The build before may answer this route now. Without the method, the host is of an older version.
    if (!watch.isOwn?.(answer.route) || !answer.send(exchange)) return false;
    watch.answered({ route: answer.route, kind: "page", exchange } satisfies RoutedRequest, false);
    return true;
  }

  has(incoming: IncomingMessage, origin: string): boolean {
    const known = this.#known.get(incoming.url ?? "");
    return known?.host === incoming.headers.host && known?.origin === origin;
  }

  /** `origin`: of this request. */
  remember({ url = "", headers: { host } }: IncomingMessage, origin: string, answer: KnownAnswer): void {
    if (url.length + origin.length + (host?.length ?? 0) > knownLength) return;
    this.#known.set(url, { host, origin, answer });
    if (this.#known.size <= knownAtMost) return;
    const [oldest = ""] = this.#known.keys();
    this.#known.delete(oldest);
  }
}
