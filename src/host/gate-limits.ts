import { hostLimitsOf, limitsThatHold } from "./limit-settings.ts";
import type { LimitSettings } from "./settings.ts";

/** Limits of the gate, which replays the requests of known issues before a build takes traffic. */
export interface GateLimits {
  /** Open issues, and as many that were resolved lately. */
  issues: number;
  /** Time limit of one request, with its body. */
  requestMs: number;
  /** Time limit of all requests together. */
  totalMs: number;
  atOnce: number;
}

/** For reading the issues and the end of the process, beside the start of the build and the requests. */
const moreMs = 30_000;

/** Time limit of the process that runs the gate for a start. */
export function gateProcessMs(set: LimitSettings | undefined): number {
  return hostLimitsOf(set).startMs + gateLimitsOf(set).totalMs + moreMs;
}

/** The limits of the gate, with what the configuration sets. */
export function gateLimitsOf(set: LimitSettings | undefined): GateLimits {
  const { gateIssues, gateRequestSeconds, gateSeconds, gateAtOnce } = limitsThatHold(set);
  return {
    issues: gateIssues,
    requestMs: gateRequestSeconds * 1_000,
    totalMs: gateSeconds * 1_000,
    atOnce: gateAtOnce,
  };
}
