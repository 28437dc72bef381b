import { MessageChannel, receiveMessageOnPort, Worker } from "node:worker_threads";
import type { ReportingLimits } from "../limits.ts";
import type { LookoutData } from "./lookout-worker.ts";

/** Another thread that watches this one, and sees what it does while it answers nobody. */
export interface Lookout {
  /** This thread is alive. */
  beat(): void;
  /** What this thread did when it did not beat; nothing when it did. */
  takeStack(): string | undefined;
  close(): void;
}

export function openLookout(limits: Pick<ReportingLimits, "stallMs" | "stallLookMs">): Lookout {
  const { port1: here, port2: there } = new MessageChannel();
  const beats = new Int32Array(new SharedArrayBuffer(4));
  const workerData: LookoutData = {
    beats,
    port: there,
    lookMs: limits.stallLookMs,
    // Early enough to see what is going on, late enough not to disturb what is only busy.
    silentMs: limits.stallMs / 2,
  };
  // From source, Node runs the TypeScript file itself.
  const file = import.meta.url.endsWith(".ts") ? "./lookout-worker.ts" : "./lookout-worker.js";
  const worker = new Worker(new URL(file, import.meta.url), {
    name: "holdfast-lookout",
    workerData,
    transferList: [there],
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 32 },
  });
  worker.unref();
  here.unref();
  let isThere = true;
  // Without it stalls are told without their stack; nothing else depends on it.
  worker.once("error", () => {
    isThere = false;
  });
  return {
    beat: () => {
      Atomics.add(beats, 0, 1);
    },
    takeStack: () => {
      // At once, not by an event: this thread has only just come back, and what waits for it is still to be handled.
      const taken: { message: unknown } | undefined = isThere ? receiveMessageOnPort(here) : undefined;
      return typeof taken?.message === "string" ? taken.message : undefined;
    },
    close: () => {
      isThere = false;
      here.close();
      void worker.terminate();
    },
  };
}
