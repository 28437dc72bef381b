import type { IncomingMessage } from "node:http";
import type { RequestFacts } from "#signals";

/** A request as reports see it. */
export class IncomingFacts implements RequestFacts {
  readonly #incoming: IncomingMessage;
  readonly method: string;
  readonly target: string;

  constructor(incoming: IncomingMessage) {
    this.#incoming = incoming;
    this.method = incoming.method ?? "GET";
    this.target = incoming.url ?? "/";
  }

  header(name: string): string | undefined {
    return String(this.#incoming.headers[name] ?? "") || undefined;
  }
}
