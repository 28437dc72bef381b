import { isWorker } from "./worker-mark.ts";
import {
  asksGate,
  type FailedMessage,
  type GateVerdict,
  hasStarted,
  isGateMessage,
  listensToSignals,
  type ParentMessage,
} from "./worker-messages.ts";

export interface ParentSignals {
  /** The decision of the gate, which the parent makes once for all workers. */
  gate(): Promise<GateVerdict>;
  onSignal(handle: (message: ParentMessage) => void): void;
  /**
   * From now on a signal waits for its handler: connections may be on their way to this process, and ending it would
   * leave their clients without a response.
   */
  beforeListening(): void;
  /** Tells the parent that this process answers. */
  started(): void;
  /** Has the parent print why this process cannot start. False without a parent. */
  cannotStart(why: string): boolean;
}

/** Must be opened before the server. Until it listens, a signal ends the process. */
export function openParentSignals(): ParentSignals {
  const waiting: ParentMessage[] = [];
  let handle = (_message: ParentMessage): void => process.exit(0);
  if (isWorker()) {
    process.on("message", (message) => {
      if (message === "SIGINT" || message === "SIGTERM" || message === "replaced") handle(message);
    });
    // Some supervisors signal the whole group. The parent decides what a SIGHUP means.
    process.on("SIGHUP", () => undefined);
    process.send?.(listensToSignals);
  }
  return {
    gate: () =>
      new Promise((resolve) => {
        process.on("message", (message) => {
          if (isGateMessage(message)) resolve(message.gate);
        });
        process.send?.(asksGate);
      }),
    onSignal: (next) => {
      handle = next;
      waiting.splice(0).forEach(next);
    },
    beforeListening: () => {
      handle = (message) => void waiting.push(message);
    },
    started: () => {
      // Another program may have started this process with a channel of its own.
      if (isWorker()) process.send?.(hasStarted);
    },
    cannotStart: (why) => {
      if (!isWorker() || !process.connected) return false;
      process.send?.({ cannotStart: why } satisfies FailedMessage);
      return true;
    },
  };
}
