import path from "node:path";
import { createErrorRecorder } from "#reporting";
import { type ServerSignals, silentServerSignals } from "#signals";

/** Who listens to the pages: reporting. */
export function createSignals(dataFolder: string): ServerSignals {
  const failed = (why: unknown): void => console.error("An error report could not be kept:", why);
  const folder = path.join(dataFolder, "outbox");
  return { ...silentServerSignals, errorCaught: createErrorRecorder({ folder, now: Date.now, failed }) };
}
