import type { ChannelReceiver, ChannelRelay } from "#pages";

/** No channel of an application begins like this one. */
const ownChannel = "\u0000releases";

export interface SplitRelay {
  /** For the pages of the served build, and for those of the build before. */
  current: ChannelRelay;
  before: ChannelRelay;
  /** Messages between machines about releases. */
  send(text: string): void;
  listen(receive: (text: string) => void): void;
}

/**
 * One relay for two builds in the same process: each has its own channels, so a message of one must reach the other,
 * too. Without a relay, messages stay in this process.
 */
export function splitRelay(relay: ChannelRelay | undefined): SplitRelay {
  const receivers = new Map<"current" | "before", ChannelReceiver>();
  let receiveOwn = (_text: string): void => undefined;
  let isListening = false;
  const listen = (): void => {
    if (isListening) return;
    isListening = true;
    relay?.listen({
      message: (channel, text) => {
        if (channel === ownChannel) receiveOwn(text);
        else for (const receiver of receivers.values()) receiver.message(channel, text);
      },
      gap: () => {
        for (const receiver of receivers.values()) receiver.gap();
      },
    });
  };
  const half = (own: "current" | "before", other: "current" | "before"): ChannelRelay => ({
    send: (channel, text) => {
      receivers.get(other)?.message(channel, text);
      return relay ? relay.send(channel, text) : Promise.resolve(true);
    },
    listen: (receiver) => {
      receivers.set(own, receiver);
      listen();
    },
  });
  return {
    current: half("current", "before"),
    before: half("before", "current"),
    send: (text) => void relay?.send(ownChannel, text),
    listen: (receive) => {
      receiveOwn = receive;
      listen();
    },
  };
}
