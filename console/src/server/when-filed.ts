import { setTimeout as wait } from "node:timers/promises";
import { consoleApi } from "holdfast/service";

/** In the first moments of an application filing waits for the source maps. */
const longestWaitMs = 3_000;

/**
 * What was reported a moment ago is still on its way. Who has just read its digest waits for it, instead of reading
 * that there is no such event. Where nothing is on its way there is nothing to wait for.
 */
export async function whenFiled<T>(
  look: () => Promise<T | undefined>,
  settled: () => Promise<void> = () => consoleApi().settled(),
): Promise<T | undefined> {
  const found = await look();
  if (found !== undefined) return found;
  const deadline = new AbortController();
  const { signal } = deadline;
  await Promise.race([settled(), wait(longestWaitMs, undefined, { signal }).catch(() => undefined)]);
  deadline.abort();
  return look();
}
