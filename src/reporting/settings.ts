import type { ScrubRule } from "./scrub/scrub.ts";

/** What decides whether a request or a page is traced. */
export interface SampleFacts {
  /** `GET`, or `pageload` and `navigation` in the browser. */
  kind: string;
  /** The address without search. */
  path: string;
}

/** `report` in `holdfast.config.ts`. Everything has a default that fits most applications. */
export interface ReportSettings {
  /** The service that reports go to. Without it they go to the one that comes with the application. */
  dsn?: string;
  /** `production`, unless `NODE_ENV` says otherwise. */
  environment?: string;
  /** The version that runs: the git commit, else the id of the build. */
  release?: string;
  /**
   * Share of requests and pages that are traced, from 0 to 1, or a function that tells it. Errors are always reported.
   * Unless said otherwise 0.1, and no more than about 20 traces of the server in a second.
   */
  sampleRate?: number | ((facts: SampleFacts) => number);
  /**
   * Also send visitors' addresses, mail addresses and the usual request headers. Never cookies, authorization or
   * bodies.
   */
  sendDefaults?: boolean;
  /** Further names whose values never leave, beside the built-in ones. */
  scrub?: readonly ScrubRule[];
  /**
   * Other addresses to which requests of the application carry its trace: an origin, a text they begin with, or an
   * expression.
   */
  targets?: readonly (string | RegExp)[];
  /** Where browsers send their reports on the own host. */
  tunnelPath?: string;
}

export const defaultSampleRate = 0.1;

/** Says nothing that lists of blocked addresses look for. */
export const defaultTunnelPath = "/_holdfast/post";

/** An invalid rate counts as none. Never throws, even if the application's function does. */
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
    // Unlike `test`, it does not go on from where an expression with the flag g has stopped.
    if (typeof target !== "string") return url.search(target) >= 0;
    // `https://api.example` does not mean `https://api.example.evil.example`.
    const isOrigin = URL.canParse(target) && new URL(target).origin === target;
    return isOrigin ? URL.canParse(url) && new URL(url).origin === target : url.startsWith(target);
  });
}
