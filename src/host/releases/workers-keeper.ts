import type { Worker } from "node:cluster";
import { warn } from "../process/warn.ts";
import { ReleaseKeeper } from "./release-keeper.ts";
import type { FromKeeper, ToKeeper } from "./release-messages.ts";

/** Decides for all workers which build answers a route. Opened with the first message about it. */
export function createWorkersKeeper(
  dataFolder: string,
  now: () => number,
): { receive(worker: Worker, message: ToKeeper): void; close(): Promise<void> } {
  const served = new Map<Worker, string>();
  const send = (message: FromKeeper, to: "all" | "one"): void => {
    const workers = [...served].filter(([worker, key]) => key === message.key && worker.isConnected());
    for (const [worker] of to === "all" ? workers : workers.slice(-1)) worker.send(message);
  };
  let keeper: ReleaseKeeper | undefined;
  return {
    receive: (worker, message) => {
      if (message.kind === "release-served") {
        served.set(worker, message.release.key);
        worker.once("exit", () => served.delete(worker));
      }
      keeper ??= new ReleaseKeeper({ dataFolder, now, warn, send });
      keeper.receive(message);
    },
    close: async () => keeper?.close(),
  };
}
