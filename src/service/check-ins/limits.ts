/**
 * None of them is a setting: they bound how late a problem is filed. How late a run may be is the margin of its task,
 * which comes with its check-ins.
 */
export interface CheckInLimits {
  /** Interval of the evaluation. A missing run is noticed within a minute of the end of its margin. */
  everyMs: number;
  /** So long, one process evaluates for all. Its successor begins after it. */
  leaseMs: number;
  /** Time for a check-in from the moment it is received until it is counted, by any process. */
  graceMs: number;
  /** After a longer pause of the evaluation, runs that were due in it are not called missing. */
  pauseMs: number;
}

export const checkInLimits: CheckInLimits = {
  everyMs: 10_000,
  leaseMs: 25_000,
  graceMs: 5_000,
  pauseMs: 60_000,
};
