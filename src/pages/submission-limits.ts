/** Limits that apply while a form is being sent. */
export interface SubmissionLimits {
  /** After this long without a byte the server is asked for the outcome. The same as `routeLoadMs`. */
  silenceMs: number;
  /** Without a response to that question in this time the server counts as unreachable. The same as `probeMs`. */
  queryMs: number;
  /** Specified. How long an action may take before its response counts as lost. The upload time is added. */
  workMs: number;
  /** Pause between two questions while the action is running. */
  pollMs: number;
  /** Pause between two questions while the server is unreachable. */
  retryMs: number;
  /** Browsers open six connections per host, and links and files need some of them. */
  atOnce: number;
  /** The slowest connection on which an upload is expected to succeed. */
  uploadBytesPerSecond: number;
  /**
   * Pending bodies up to this total are sent with `keepalive`, so that they survive the document: browsers allow 64
   * KiB.
   */
  keepaliveBytes: number;
}

export const submissionLimits: SubmissionLimits = {
  silenceMs: 3_800,
  queryMs: 2_000,
  workMs: 60_000,
  pollMs: 1_000,
  retryMs: 5_000,
  atOnce: 4,
  uploadBytesPerSecond: 16_384,
  keepaliveBytes: 49_152,
};
