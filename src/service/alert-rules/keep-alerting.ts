import type { AlertLoop } from "./alert-loop.ts";

export interface AlertPace {
  /** A message is sent within a minute of filing. The rest of it is for a slow channel. */
  readonly everyMs: number;
  /** Longer than a turn with a slow channel, so that the same process goes on. */
  readonly leaseMs: number;
}

export const alertPace: AlertPace = { everyMs: 5_000, leaseMs: 45_000 };

/** Runs turns until it is closed. Closing waits for the message that is being sent. */
export function keepAlerting(loop: Pick<AlertLoop, "turn" | "end">, pace: AlertPace): { close(): Promise<void> } {
  let running: Promise<void> = Promise.resolve();
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  const next = (): void => {
    if (isClosed) return;
    timer = setTimeout(() => {
      running = loop.turn().finally(next);
    }, pace.everyMs).unref();
  };
  next();
  return {
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      loop.end();
      await running;
    },
  };
}
