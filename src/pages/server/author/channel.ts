import * as pageErrors from "../../errors.ts";
import { channelHub } from "../live/channel-hub.ts";

export interface SubscribeOptions {
  /** Ends the subscription. */
  signal?: AbortSignal;
  /** Called when messages may have been missed, because the connection between the processes was lost. */
  onGap?: () => void;
}

/** A name under which messages reach every process of the application. */
export interface LiveChannel<Message> {
  readonly name: string;
  /** Sends to all subscribers, here and in other processes. `only-here`: the other processes could not be reached. */
  publish(message: Message): Promise<"published" | "only-here">;
  /** Calls the listener with every message from now on. Returns the function that ends it. */
  subscribe(listener: (message: Message) => void, options?: SubscribeOptions): () => void;
  /**
   * Every message from now on, for `for await`. Ends with `signal`. A loop that falls 100 messages behind, or may have
   * missed one, gets an error: events and sockets end by it, and their clients come back.
   */
  messages(options?: { signal?: AbortSignal }): AsyncIterable<Message>;
}

/** Messages that wait for a loop. A client that is further behind is better off with a new start. */
const waitingAtMost = 100;

/**
 * A channel that reaches every process: the workers of one machine, and all machines with one PostgreSQL store.
 *
 * @example export const orders = channel<Order>("orders");
 */
export function channel<Message>(name: string): LiveChannel<Message> {
  const subscribe: LiveChannel<Message>["subscribe"] = (listener, { signal, onGap } = {}) => {
    if (signal?.aborted) return () => undefined;
    const end = channelHub.subscribe(name, {
      message: (message) => listener(message as Message),
      gap: () => onGap?.(),
    });
    signal?.addEventListener("abort", end, { once: true });
    return () => {
      signal?.removeEventListener("abort", end);
      end();
    };
  };
  return {
    name,
    subscribe,
    publish: (message) => channelHub.publish(name, message),
    messages: ({ signal } = {}) => {
      // Subscribes now: what is published before the loop begins is not lost.
      const iterator = iterate<Message>(name, subscribe, signal);
      return { [Symbol.asyncIterator]: () => iterator };
    },
  };
}

function iterate<Message>(
  name: string,
  subscribe: LiveChannel<Message>["subscribe"],
  signal: AbortSignal | undefined,
): AsyncIterator<Message> {
  const waiting: Message[] = [];
  let missed = false;
  let isOver = signal?.aborted ?? false;
  let wake = (): void => undefined;
  const miss = (): void => {
    missed = true;
    wake();
  };
  const end = subscribe(
    (message) => {
      if (waiting.length >= waitingAtMost) return miss();
      waiting.push(message);
      wake();
    },
    { onGap: miss },
  );
  const finish = (): void => {
    isOver = true;
    end();
    signal?.removeEventListener("abort", finish);
    wake();
  };
  if (isOver) end();
  else signal?.addEventListener("abort", finish, { once: true });
  return {
    next: async () => {
      while (true) {
        if (isOver) return { done: true, value: undefined };
        if (missed) {
          finish();
          throw pageErrors.messagesMissed(name);
        }
        if (waiting.length > 0) return { done: false, value: waiting.shift() as Message };
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    return: async () => {
      finish();
      return { done: true, value: undefined };
    },
  };
}
