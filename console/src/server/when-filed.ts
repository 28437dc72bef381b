import { consoleApi } from "holdfast/service";

/** Just after the start of an application, filing waits for the source maps. */
const longestWaitMs = 3_000;

/**
 * Waits for a recently reported event that is still in transit, so that a visitor's fresh digest is not reported as
 * unknown. Returns at once if nothing is in transit.
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
