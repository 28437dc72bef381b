import { AsyncLocalStorage } from "node:async_hooks";
import * as pageErrors from "../../errors.ts";
import { type ServerLimits, serverLimits } from "../../limits.ts";
import { readTagged, writeTagged } from "../../tagged-json.ts";

/** Carries messages to the other processes of an application. */
export interface ChannelRelay {
  /** Resolves with false if the others could not be reached. Never rejects. */
  send(channel: string, text: string): Promise<boolean>;
  /** Called before the first subscription. */
  listen(receiver: ChannelReceiver): void;
}

export interface ChannelReceiver {
  message(channel: string, text: string): void;
  /** Messages may have been missed. */
  gap(): void;
}

/** One subscription, as the hub calls it. */
export interface Subscriber {
  message(message: unknown): void;
  gap(): void;
}

export interface HubParts {
  relay: ChannelRelay | undefined;
  limits: ServerLimits;
  /** Called with what a subscriber throws. */
  failed: (thrown: unknown) => void;
}

/** All channels of this process. The messages of others come by the relay. */
export class ChannelHub {
  readonly #subscribers = new Map<string, Set<Subscriber>>();
  #relay: ChannelRelay | undefined;
  #limits: ServerLimits = serverLimits;
  #failed = (_thrown: unknown): void => undefined;
  #isListening = false;

  /** The same relay may be given again: in development each version of the application does it. */
  connect({ relay, limits, failed }: HubParts): void {
    this.#limits = limits;
    this.#failed = failed;
    if (relay === this.#relay) return;
    this.#relay = relay;
    this.#isListening = false;
    if (this.#subscribers.size > 0) this.#listen();
  }

  async publish(channel: string, message: unknown): Promise<"published" | "only-here"> {
    const text = writeTagged(message, this.#limits);
    const bytes = Buffer.byteLength(text);
    const { messageBytes } = this.#limits;
    if (bytes > messageBytes) throw pageErrors.messageTooLarge("A message of a channel", bytes, messageBytes);
    const sent = this.#relay?.send(channel, text);
    this.#deliver(channel, text);
    return (await sent) === false ? "only-here" : "published";
  }

  subscribe(channel: string, subscriber: Subscriber): () => void {
    const asHere = AsyncLocalStorage.snapshot();
    // What a subscriber throws belongs to the request that subscribed, not to the one that published.
    const guarded = (run: () => void): void => {
      asHere(() => {
        try {
          run();
        } catch (thrown) {
          this.#failed(thrown);
        }
      });
    };
    const own: Subscriber = {
      message: (message) => guarded(() => subscriber.message(message)),
      gap: () => guarded(() => subscriber.gap()),
    };
    const all = this.#subscribers.get(channel) ?? new Set();
    this.#subscribers.set(channel, all.add(own));
    this.#listen();
    return () => {
      all.delete(own);
      if (all.size === 0 && this.#subscribers.get(channel) === all) this.#subscribers.delete(channel);
    };
  }

  #listen(): void {
    if (this.#isListening) return;
    this.#isListening = true;
    this.#relay?.listen({
      message: (channel, text) => this.#deliver(channel, text),
      gap: () => {
        for (const all of this.#subscribers.values()) for (const subscriber of [...all]) subscriber.gap();
      },
    });
  }

  /** Each subscriber gets the message as it travels, so that it is the same in all processes. */
  #deliver(channel: string, text: string): void {
    const all = this.#subscribers.get(channel);
    if (!all) return;
    for (const subscriber of [...all]) subscriber.message(readTagged(text));
  }
}

/** One for each copy of this code: an application has one. */
export const channelHub: ChannelHub = new ChannelHub();
