import type { ScrubRule } from "./scrub/scrub.ts";

/** Facts that decide whether a request or a page is traced. */
export interface SampleFacts {
  /** `GET`, or `pageload` and `navigation` in the browser. */
  kind: string;
  /** Address without search. */
  path: string;
}

/** `report` in `holdfast.config.ts`. Every setting has a default that suits most applications. */
export interface ReportSettings {
  /** The service that receives reports. Defaults to the one embedded in the application. */
  dsn?: string;
  /** `production` by default, or `NODE_ENV`. */
  environment?: string;
  /** The running version: the git commit, else the id of the build. */
  release?: string;
  /**
   * Share of requests and pages that are traced, from 0 to 1, or a function that returns it. Errors are always
   * reported. Default 0.1, with at most about 20 server traces per second.
   */
  sampleRate?: number | ((facts: SampleFacts) => number);
  /**
   * Also send visitors' IP addresses, mail addresses and common request headers. Never cookies, authorization or
   * bodies.
   */
  sendDefaults?: boolean;
  /** Additional names whose values are never sent, beside the built-in ones. */
  scrub?: readonly ScrubRule[];
  /**
   * Other addresses to which the application's requests carry its trace: an origin, a prefix, or a regular expression.
   */
  targets?: readonly (string | RegExp)[];
  /** Path on the application's own host that receives browser reports. */
  tunnelPath?: string;
}

export const defaultSampleRate = 0.1;

/** Contains no word that block lists look for. */
export const defaultTunnelPath = "/_holdfast/post";

/** An invalid rate counts as 0. Never throws, even if the application's function does. */
export function sampleRateOf(settings: ReportSettings, facts: SampleFacts): number {
  const { sampleRate = defaultSampleRate } = settings;
  if (typeof sampleRate === "number") return sampleRate;
  try {
    const rate = sampleRate(facts);
    return rate >= 0 && rate <= 1 ? rate : 0;
  } catch {
    // The application's own function failed; a page matters more than its trace.
    return 0;
  }
}

/** Whether a request to this address may carry the trace. */
export function isTarget(url: string, targets: readonly (string | RegExp)[]): boolean {
  return targets.some((target) => {
    // Unlike `test`, `search` ignores the position of an expression with the flag g.
    if (typeof target !== "string") return url.search(target) >= 0;
    // `https://api.example` must not match `https://api.example.evil.example`.
    const isOrigin = URL.canParse(target) && new URL(target).origin === target;
    return isOrigin ? URL.canParse(url) && new URL(url).origin === target : url.startsWith(target);
  });
}
