import { portableLimits, portableLimitsOf } from "../portable/limits.ts";
import { readCount } from "../read-count.ts";

export interface ApiLimits {
  /** Requests of one token or session in a minute, and as many at once. */
  readonly perMinute: number;
  /** Bytes of a request's body. */
  readonly bodyBytes: number;
  /** The same of a request of an import. */
  readonly importBytes: number;
}

export const apiLimits: ApiLimits = {
  // Ten per second: a script that reads all issues is not slowed down, and a loop without a pause takes a tenth of one
  // processor at the 10 ms that an expensive query takes.
  perMinute: 600,
  // The largest request is a sample of text for the scrubber, 20,000 characters of four bytes, escaped.
  bodyBytes: 262_144,
  importBytes: portableLimits.chunkBytes,
};

/** Applies the operator's settings. */
export function apiLimitsOf(env: NodeJS.ProcessEnv): ApiLimits {
  return {
    perMinute: readCount(env, "HOLDFAST_API_PER_MINUTE") ?? apiLimits.perMinute,
    bodyBytes: readCount(env, "HOLDFAST_API_BODY_BYTES") ?? apiLimits.bodyBytes,
    importBytes: portableLimitsOf(env).chunkBytes,
  };
}
