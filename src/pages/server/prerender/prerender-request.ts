import type { IncomingMessage, ServerResponse } from "node:http";
import * as pageErrors from "../../errors.ts";
import { PageRequest, type RequestPlace } from "../page-request.ts";
import { everyName, type OnRead, type ReadKind } from "../tracked-context.ts";

/** What differs between requests for the same page. */
const ofRequests: ReadonlySet<ReadKind> = new Set(["cookies", "headers", "locals", "clientAddress", "search"]);

/** What a page must not read while the build makes it: the first reading is kept, although code may catch it. */
export class RefusedReads {
  readonly #page: string;
  #first: Error | undefined;

  /** `page`: its address. */
  constructor(page: string) {
    this.#page = page;
  }

  get first(): Error | undefined {
    return this.#first;
  }

  /** For `trackContext`. */
  readonly onRead: OnRead = (kind, name) => {
    if (ofRequests.has(kind)) this.refuse(name === everyName ? kind : `${kind} (${name})`);
  };

  refuse(what: string): never {
    return this.#refuse(pageErrors.readsRequest(what, this.#page));
  }

  refuseOrigin(what: string): never {
    return this.#refuse(pageErrors.readsOrigin(what, this.#page));
  }

  #refuse(error: Error): never {
    this.#first ??= error;
    throw error;
  }
}

/** Stands for the request while the build makes a page. */
export class PrerenderRequest extends PageRequest {
  readonly #reads: RefusedReads;
  #address: URL | undefined;

  constructor(incoming: IncomingMessage, response: ServerResponse, place: RequestPlace & { reads: RefusedReads }) {
    super(incoming, response, place);
    this.#reads = place.reads;
  }

  /** Its path can be read; its origin if the configuration has one. */
  override get url(): URL {
    this.#address ??= this.#refusing(new URL(this.address, this.origin || "http://unknown.invalid"));
    return this.#address;
  }

  /** An address without it would reach visitors as half of one. */
  override get originForAddresses(): string {
    return this.origin === "" ? this.#reads.refuseOrigin("its whole address (OpenGraph)") : this.origin;
  }

  #refusing(url: URL): URL {
    const reads = this.#reads;
    const define = (names: readonly string[], get: (name: string) => unknown): void => {
      for (const name of names) Object.defineProperty(url, name, { get: () => get(name) });
    };
    define(["search", "searchParams"], (name) => reads.refuse(`url.${name}`));
    if (this.origin === "")
      define(["origin", "host", "hostname", "port", "protocol", "href", "toString", "toJSON"], (name) =>
        reads.refuseOrigin(`url.${name}`));
    return url;
  }
}
