import type { IncomingMessage } from "node:http";
import { ClientCounts, isOwnNetwork, Refusals, sourceOf } from "#bounds";
import type { ServerLimits } from "../../limits.ts";

/** Why a stream ends that could go on: the process stops, or newer code takes its place. */
export type EndReason = "stopping" | "changed";

/** One connection that stays open: server-sent events or a socket. */
export interface OpenStream {
  /** Ends it in order, so that its client reconnects. */
  end(why: EndReason): void;
  /** Ends it at once. */
  cut(): void;
}

/** All connections of a process that stay open. Bounds their number, and ends them when the process stops. */
export class OpenStreams {
  readonly #atOnce: number;
  readonly #byClient: ClientCounts;
  readonly #clientOf: (incoming: IncomingMessage) => string;
  readonly #refusals: Refusals;
  readonly #open = new Set<OpenStream>();
  /** Bytes of messages that clients of sockets have not taken. */
  unsent = 0;
  #isStopping = false;
  #whenIdle: PromiseWithResolvers<void> | undefined;

  constructor(
    { streamsAtOnce, streamsPerClient }: Pick<ServerLimits, "streamsAtOnce" | "streamsPerClient">,
    clientOf: (incoming: IncomingMessage) => string,
    refusals: Refusals = new Refusals(),
  ) {
    this.#atOnce = streamsAtOnce;
    this.#byClient = new ClientCounts(streamsPerClient);
    this.#clientOf = clientOf;
    this.#refusals = refusals;
  }

  get count(): number {
    return this.#open.size;
  }

  /** Adds a stream. Returns the function that removes it; undefined if there are too many, or the process stops. */
  add(incoming: IncomingMessage, stream: OpenStream): (() => void) | undefined {
    if (this.#isStopping) return undefined;
    const address = this.#clientOf(incoming);
    const source = sourceOf(address);
    // Behind a proxy that is not configured as trusted, all visitors share its address.
    const isCounted = !isOwnNetwork(address);
    if (this.#open.size >= this.#atOnce || (isCounted && !this.#byClient.enter(source))) {
      this.#refusals.add("streams");
      return undefined;
    }
    this.#open.add(stream);
    return () => {
      if (!this.#open.delete(stream)) return;
      if (isCounted) this.#byClient.leave(source);
      if (this.#open.size === 0) this.#whenIdle?.resolve();
    };
  }

  /** Counts a socket that is closed because it uses too much. */
  refuse(): void {
    this.#refusals.add("sockets");
  }

  /** Ends all of them in order. A process that stops opens no other ones. */
  endAll(why: EndReason): void {
    this.#isStopping ||= why === "stopping";
    for (const stream of [...this.#open]) stream.end(why);
  }

  /** Resolves when none is open. */
  idle(): Promise<void> {
    if (this.#open.size === 0) return Promise.resolve();
    this.#whenIdle ??= Promise.withResolvers();
    return this.#whenIdle.promise;
  }

  /** Ends all of them at once, because the process cannot wait longer. */
  abandon(): void {
    for (const stream of [...this.#open]) stream.cut();
  }
}
