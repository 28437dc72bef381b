import { isAllowedOrigin } from "../intake/allowed-origins.ts";
import type { ProjectKey } from "../intake/project-keys.ts";

/** Which pages may read a response: all, those of one origin, or none. */
export type Readers = { kind: "all" } | { kind: "one"; origin: string } | { kind: "none" };

export const allReaders: Readers = { kind: "all" };

/** A key without origins allows all pages. A request without an origin is not sent by a page. */
export function readersOf(key: ProjectKey | undefined, origin: string | undefined): Readers {
  const { origins = [] } = key ?? {};
  if (origins.length === 0 || origin === undefined) return allReaders;
  return isAllowedOrigin(origins, origin) ? { kind: "one", origin } : { kind: "none" };
}

/** A client in a browser sees its rate limits only if their headers are exposed. */
const exposed = { "Access-Control-Expose-Headers": "x-sentry-error, x-sentry-rate-limits, retry-after" } as const;

const forAll = { "Access-Control-Allow-Origin": "*", ...exposed } as const;

/** The same URL has another response for another origin, so caches must know. */
export function corsHeaders(readers: Readers): Readonly<Record<string, string>> {
  switch (readers.kind) {
    case "all":
      return forAll;
    case "one":
      return { "Access-Control-Allow-Origin": readers.origin, Vary: "Origin", ...exposed };
    case "none":
      return { Vary: "Origin" };
  }
}
