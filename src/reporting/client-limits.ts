import { type ValueLimits, valueLimits } from "./value-limits.ts";

/** Limits of reporting that a browser has too. Those of a server alone are in `limits.ts`: no page loads them. */
export interface ClientLimits extends ValueLimits {
  /** A service that has not responded by then counts as down. */
  deliveryMs: number;
  /** Waits between attempts; the last one repeats, so everything arrives within a minute after the service is back. */
  retryMs: readonly number[];
  /** Breadcrumbs of an event, of the visitor or of the request. Specified for the visitor. */
  steps: number;
  /** Spans of one request or navigation; further ones are only counted. */
  spans: number;
  /** Frames of one stack. */
  frames: number;
  /** Errors in a chain of causes. */
  causes: number;
  /** Logs are sent after this time, or when this many are buffered. */
  logMs: number;
  logsAtOnce: number;
}

export const clientLimits: ClientLimits = {
  deliveryMs: 10_000,
  retryMs: [250, 1_000, 2_000, 5_000, 10_000, 30_000],
  steps: 20,
  spans: 500,
  frames: 50,
  causes: 5,
  logMs: 5_000,
  logsAtOnce: 100,
  ...valueLimits,
};
