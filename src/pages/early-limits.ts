/** The numbers that count before navigation is loaded; those of `limits.ts` come with it. */
export interface EarlyLimits {
  /** Specified. Code and styles after the visitor's action; page data after so long without a byte. */
  routeLoadMs: number;
  /**
   * The answer to a hand-over is the browser's; a download or a 204 never leaves the page, so it becomes usable again.
   */
  handOverWatchMs: number;
  /** How long the own health path may take before the server counts as unreachable. */
  probeMs: number;
  /** A pending sign that appears sooner flickers on fast pages. */
  pendingSignMs: number;
  /** Waits between tries to reach the server again. */
  retryMs: readonly number[];
}

export const earlyLimits: EarlyLimits = {
  routeLoadMs: 3_800,
  handOverWatchMs: 5_000,
  probeMs: 2_000,
  pendingSignMs: 150,
  retryMs: [1_000, 2_000, 5_000, 10_000],
};
