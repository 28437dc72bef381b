/** The numbers that count while a form is sent. */
export interface SubmissionLimits {
  /** After so long without a byte the server is asked what became of a submission. As long as a route may be silent. */
  silenceMs: number;
  /** A question that is not answered in this time finds nobody. As long as a probe. */
  askMs: number;
  /** Specified. How long an action may take before its answer counts as lost. The time for the upload comes on top. */
  workMs: number;
  /** Between two questions while the server says that the action is running. */
  askAgainMs: number;
  /** Between two questions while the server cannot be reached. */
  retryMs: number;
  /** Browsers have six connections to a host, and links and files need some of them. */
  atOnce: number;
  /** The slowest line on which a body may still arrive. */
  uploadBytesPerSecond: number;
  /**
   * Bodies that are under way and no larger than this together are sent even if the document goes: browsers take 64
   * KiB.
   */
  keepaliveBytes: number;
}

export const submissionLimits: SubmissionLimits = {
  silenceMs: 3_800,
  askMs: 2_000,
  workMs: 60_000,
  askAgainMs: 1_000,
  retryMs: 5_000,
  atOnce: 4,
  uploadBytesPerSecond: 16_384,
  keepaliveBytes: 49_152,
};
