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
  const deadline = Promise.withResolvers<void>();
  const timer = setTimeout(deadline.resolve, longestWaitMs);
  await Promise.race([settled(), deadline.promise]);
  clearTimeout(timer);
  return look();
}
