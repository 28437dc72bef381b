import path from "node:path";
import { type KeptRunner, KeptSubmissions, type SubmissionMemory } from "#pages";
import { digestOf } from "#protocol";
import type { ServerSignals } from "#signals";
import { hostErrors } from "../errors.ts";
import { keptLimitsOf } from "../limit-settings.ts";
import type { HoldfastConfig } from "../settings.ts";
import { earlierKeysOf } from "../submissions/seal-key.ts";
import { KeptFolder } from "./kept-folder.ts";

export interface OpenKept {
  kept: KeptSubmissions;
  /** Looks after what is kept, now and every minute: what has expired, lost its process, or waits for `onRecovered`. */
  watch(runner: KeptRunner | undefined): void;
  close(): Promise<void>;
}

export interface KeptDeps {
  dataFolder: string;
  sealKey: Uint8Array;
  memory: Pick<SubmissionMemory, "hasDone" | "sync">;
  signals: Pick<ServerSignals, "errorCaught">;
  warn: (sentence: string) => void;
}

/** Twice the time after which a process counts as dead. */
const everyMs = 60_000;

/** Opens what actions with `keeps` keep in the data folder. Nothing is created before the first of them runs. */
export function openKept({ limits }: HoldfastConfig, deps: KeptDeps): OpenKept {
  const { dataFolder, sealKey, memory, signals, warn } = deps;
  const store = new KeptFolder(path.join(dataFolder, "kept"), keptLimitsOf(limits));
  const earlier = earlierKeysOf(dataFolder);
  const kept = new KeptSubmissions({ store, keys: [sealKey, ...earlier], memory, signals, digestOf });
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();
  const look = async (runner: KeptRunner | undefined): Promise<void> => {
    try {
      const expired = await store.expire();
      if (expired.length > 0) {
        const error = hostErrors.keptExpired(expired.map((row) => kept.nameOf(row)));
        warn(error.message);
        signals.errorCaught(error, { side: "server", during: "action", visitorSaw: "nothing" });
      }
      await kept.settleAll();
      await runner?.notify();
    } catch (error) {
      warn(`Kept submissions could not be looked after: ${error}`);
    }
  };
  return {
    kept,
    watch: (runner) => {
      looking = look(runner);
      timer = setInterval(() => {
        looking = looking.then(() => look(runner));
      }, everyMs).unref();
    },
    close: async () => {
      clearInterval(timer);
      await looking;
      await kept.flush();
      store.close();
    },
  };
}
