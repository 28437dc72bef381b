import { setTimeout as wait } from "node:timers/promises";

/** Filing follows within a tenth of a second; in the first moments of an application it waits for the source maps. */
const waitMs = 3_000;
const lookEveryMs = 100;

/**
 * What was reported a moment ago is still on its way. Whoever has just read its digest waits for it, instead of being
 * told that there is no such event.
 */
export async function whenFiled<T>(look: () => T | undefined): Promise<T | undefined> {
  for (let waited = 0; waited < waitMs; waited += lookEveryMs) {
    const found = look();
    if (found !== undefined) return found;
    await wait(lookEveryMs);
  }
  return look();
}
