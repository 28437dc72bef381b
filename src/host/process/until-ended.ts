import { hostLimits } from "../limits.ts";
import type { RunningServer } from "../serve.ts";
import type { ParentSignals } from "./parent-signals.ts";
import { stackText } from "./warn.ts";
import type { ParentMessage } from "./worker-messages.ts";

/** A timer or an open connection of the application must not keep a stopped process alive. */
const lingerMs = 20;

export interface EndingOptions {
  /** Prints one sentence. */
  warn: (sentence: string) => void;
  /**
   * How long the server keeps serving after SIGTERM; 0 by default. SIGINT never drains: a person waits at a terminal.
   */
  drainMs?: number;
  parent?: ParentSignals;
}

/**
 * Keeps a server running until this process has to end, and returns the exit code. The first signal lets requests in
 * progress finish, the second ends the process at once. An uncaught exception leaves the process in an unknown state:
 * it is recorded, requests in progress may finish, and the process ends with 1, so that its supervisor starts a new
 * one. An unhandled rejection is only recorded.
 */
export async function untilEnded(server: RunningServer, { warn, drainMs = 0, parent }: EndingOptions): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<ParentMessage | "broken">();
  const recorded: Promise<void>[] = [];
  // A terminal and systemd signal every process of a group, and the parent of workers forwards its own signal too. The
  // two sources are counted apart.
  const signalCounts = { bySignal: 0, byParent: 0 };
  const onSignal = (signal: NodeJS.Signals): void => {
    if (++signalCounts.bySignal > 1) process.exit(1);
    resolve(signal === "SIGINT" ? signal : "SIGTERM");
  };
  const onParent = (message: ParentMessage): void => {
    if (++signalCounts.byParent > 1) process.exit(1);
    resolve(message);
  };
  const onException = (error: unknown): void => {
    recorded.push(server.record(error, "uncaught"));
    warn(`Uncaught exception ends this process: ${stackText(error)}`);
    resolve("broken");
  };
  const onRejection = (error: unknown): void => {
    recorded.push(server.record(error, "rejection"));
    warn(`Unhandled rejection was recorded: ${stackText(error)}`);
  };
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
  parent?.onSignal(onParent);
  process.on("uncaughtException", onException).on("unhandledRejection", onRejection);
  // The reader of the log may close it; pages work without it.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);

  const why = await promise;
  // Keeps the process alive for timers that are unreferenced, such as those of reports being sent.
  const keepAliveTimer = setInterval(() => undefined, 1_000);
  const drains = why === "SIGTERM" ? drainMs : 0;
  const how = await server.stop({
    drainMs: drains,
    lastRequestMs: drains > 0 || why === "replaced" ? hostLimits.lastRequestMs : 0,
    isReplaced: why === "replaced",
    withinMs: why === "broken" ? hostLimits.brokenMs : hostLimits.shutdownMs,
  });
  await Promise.all(recorded);
  clearInterval(keepAliveTimer);
  const code = why !== "broken" && how === "finished" ? 0 : 1;
  endSoon(code);
  return code;
}

/** Waits for a start. One that fails ends the process with 1. */
export async function untilStarted<Started>(start: Promise<Started>): Promise<Started> {
  // As above: a start that fails sends its report before it rejects.
  const keepAliveTimer = setInterval(() => undefined, 1_000);
  try {
    return await start;
  } catch (error) {
    endSoon(1);
    throw error;
  } finally {
    clearInterval(keepAliveTimer);
  }
}

/** Ends the process, although the application may have opened something that would keep it alive. */
function endSoon(code: number): void {
  setTimeout(() => process.exit(code), lingerMs).unref();
}
