import { type KeeperDeps, ReleaseKeeper } from "./release-keeper.ts";
import { type FromKeeper, isFromKeeper, type ReleaseLine, type ToKeeper } from "./release-messages.ts";

/** In a worker: the first process decides for all. */
export function lineToParent(): ReleaseLine {
  let receive = (_message: FromKeeper): void => undefined;
  const onMessage = (message: unknown): void => {
    if (isFromKeeper(message)) receive(message);
  };
  process.on("message", onMessage);
  return {
    send: (message) => {
      if (process.connected) process.send?.(message);
    },
    listen: (next) => {
      receive = next;
    },
    close: async () => void process.off("message", onMessage),
  };
}

/** In a process that serves alone. */
export function lineToSelf(deps: Omit<KeeperDeps, "send">): ReleaseLine {
  let receive = (_message: FromKeeper): void => undefined;
  const keeper = new ReleaseKeeper({ ...deps, send: (message) => receive(message) });
  return {
    send: (message: ToKeeper) => keeper.receive(message),
    listen: (next) => {
      receive = next;
    },
    close: () => keeper.close(),
  };
}
