import { randomBytes } from "node:crypto";
import type { PageContextValue, TypedPage } from "../react/index.ts";
import type { View } from "../view.ts";
import type { Visit } from "./visit.ts";

interface Shown {
  view: View;
  route: string | null;
  /** Empty if the response may be cached for other visitors. */
  nonce: string;
}

/**
 * The page as its components see it while the server renders a document. A class, because an object literal with a
 * getter has a hidden class of its own in V8, which lives until a full collection, and the whole request with it.
 */
export class DocumentPage implements PageContextValue {
  readonly path: string;
  readonly search: string;
  readonly route: string | null;
  readonly params: PageContextValue["params"];
  readonly view: View;
  readonly back: string | undefined;
  readonly hasAnswers: boolean;
  readonly routes: PageContextValue["routes"];
  readonly retry: () => void = doNothing;
  readonly caught: () => undefined = doNothing;
  /** Whether a form of the page was rendered. */
  hasForms: boolean = false;
  readonly #nonce: string;
  readonly #visit: Visit;
  #key: string | undefined;

  constructor(visit: Visit, { view, route, nonce }: Shown) {
    const { request, site } = visit;
    this.path = request.address;
    this.search = request.search;
    this.route = route;
    this.params = view.params;
    this.view = view;
    this.back = view.kind === "page" ? undefined : backOf(visit);
    this.hasAnswers = site.hasAnswers ?? false;
    this.routes = site.application.patterns;
    this.#nonce = nonce;
    this.#visit = visit;
  }

  get origin(): string {
    return this.#visit.request.originForAddresses;
  }

  get nonce(): string | undefined {
    const { shared } = this.#visit;
    return shared ? shared.noteNonce() : this.#nonce || undefined;
  }

  settled(promise: PromiseLike<unknown>): ReturnType<NonNullable<PageContextValue["settled"]>> {
    return this.#visit.late.settled(promise);
  }

  /** One for all forms of the document: their actions and fields distinguish them. Most documents have no form. */
  get submissionKey(): string | undefined {
    this.hasForms = true;
    if (this.#nonce !== "") this.#key ??= randomBytes(16).toString("base64url");
    return this.#key;
  }

  withAddress(address: Pick<TypedPage<string>, "search" | "params">): TypedPage<string> {
    return Object.assign(new ReadLate(this), this, address);
  }
}

/** What a copy of the page reads in it only when it is asked: reading the nonce keeps a document out of the cache. */
class ReadLate {
  readonly #page: DocumentPage;

  constructor(page: DocumentPage) {
    this.#page = page;
  }

  get origin(): string {
    return this.#page.origin;
  }

  get nonce(): string | undefined {
    return this.#page.nonce;
  }

  get submissionKey(): string | undefined {
    return this.#page.submissionKey;
  }

  settled(promise: PromiseLike<unknown>): ReturnType<NonNullable<PageContextValue["settled"]>> {
    return this.#page.settled(promise);
  }
}

function backOf(visit: Visit): string | undefined {
  const { referer } = visit.request.incoming.headers;
  if (!referer || !URL.canParse(referer)) return undefined;
  const from = new URL(referer);
  return from.origin === visit.request.origin ? from.pathname + from.search : undefined;
}

/** The server does not retry, and its stream reports what a boundary has caught. */
function doNothing(): undefined {
  return undefined;
}
