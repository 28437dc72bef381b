/** Limits that apply before the navigation code has loaded. The rest is in `limits.ts` and loads with that code. */
export interface EarlyLimits {
  /** Specified. For code and styles from the visitor's action on; for page data from the last byte on. */
  routeLoadMs: number;
  /**
   * After a full load starts, only the browser sees its response. A download or a 204 never leaves the page, so it
   * becomes usable again after this time.
   */
  handOverWatchMs: number;
  /** How long the health path may take before the server counts as unreachable. */
  probeMs: number;
  /** A pending bar that appears sooner flickers on fast pages. */
  pendingSignMs: number;
  /** Delays between attempts to reach the server again. */
  retryMs: readonly number[];
}

export const earlyLimits: EarlyLimits = {
  routeLoadMs: 3_800,
  handOverWatchMs: 5_000,
  probeMs: 2_000,
  pendingSignMs: 150,
  retryMs: [1_000, 2_000, 5_000, 10_000],
};
