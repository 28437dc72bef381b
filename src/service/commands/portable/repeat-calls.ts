import { setTimeout as wait } from "node:timers/promises";
import { HoldfastError } from "#errors";

/** Pauses before further attempts: two minutes in all, in which a service is restarted. */
const pausesMs = [500, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 60_000] as const;

/** Refusals that pass by themselves. */
const passing: ReadonlySet<string> = new Set([
  "service-away",
  "service-import-refused",
  "service-export-cut",
  "api-too-many-requests",
  "api-unavailable",
  "api-no-answer",
]);

/** A connection that is cut is no HoldfastError. */
export function isPassing(error: unknown): boolean {
  return !(error instanceof HoldfastError) || passing.has(error.code);
}

export interface Repeating {
  readonly onRepeat?: (error: unknown) => void;
  /** Replaced by tests. */
  readonly pause?: (ms: number) => Promise<unknown>;
}

/** Calls until it succeeds, fails for good, or has failed too often in a row. */
export async function repeatCalls<Result>(
  call: () => Promise<Result>,
  { onRepeat = () => undefined, pause = wait }: Repeating = {},
): Promise<Result> {
  for (let failures = 0; ; failures += 1)
    try {
      return await call();
    } catch (error) {
      const ms = pausesMs[failures];
      if (ms === undefined || !isPassing(error)) throw error;
      onRepeat(error);
      await pause(ms);
    }
}
