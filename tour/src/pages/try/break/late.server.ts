import { setTimeout as wait } from "node:timers/promises";
import { load } from "holdfast/server";

export const data = load("/try/break/late", ({ signal }) => ({ history: findHistory(signal) }));

async function findHistory(signal: AbortSignal): Promise<string[]> {
  await wait(1_000, undefined, { signal });
  throw new Error("The history has been lost.");
}
