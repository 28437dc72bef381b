export interface JournalLimits {
  /** Segments are deleted as a whole; a start looks through the last one, which takes 50 ms at this size. */
  segmentBytes: number;
  /**
   * How long one segment takes records. What was accepted is kept as it came, with all secrets that a client has sent,
   * until it is filed; then it has to go, also where so little comes that a segment would be full after months. A
   * minute is long enough that making and deleting files costs nothing.
   */
  segmentMs: number;
  /** What may lie unfiled. Back-pressure begins at half of it. */
  backlogBytes: number;
  /** A buffer up to this size is kept for the next group; larger ones came of a burst and are given back. */
  spareBufferBytes: number;
  /** What may wait in memory for a slow disk. */
  waitingBytes: number;
  /** After a failed write, how long everything is refused at once before the disk is tried again. */
  retryAfterFailureMs: number;
}

export const journalLimits: JournalLimits = {
  segmentBytes: 67_108_864,
  segmentMs: 60_000,
  backlogBytes: 2_147_483_648,
  spareBufferBytes: 4_194_304,
  waitingBytes: 33_554_432,
  retryAfterFailureMs: 1_000,
};
