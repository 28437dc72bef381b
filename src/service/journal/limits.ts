export interface JournalLimits {
  /** Segments are deleted as a whole. A start scans the last one, which takes 50 ms at this size. */
  segmentBytes: number;
  /**
   * How long a segment accepts records. Accepted envelopes are stored as sent, with all secrets, until they are filed.
   * Then they must be deleted, even if so few arrive that a segment would fill for months. At a minute, the cost of
   * creating and deleting files is negligible.
   */
  segmentMs: number;
  /** Limit of unfiled bytes. Back-pressure begins at half of it. */
  backlogBytes: number;
  /** A buffer up to this size is reused for the next group. A larger one came from a burst and is freed. */
  spareBufferBytes: number;
  /** Bytes that may wait in memory for a slow disk. */
  waitingBytes: number;
  /** How long everything is refused after a failed write, before the disk is tried again. */
  retryAfterFailureMs: number;
  /**
   * How long a record waits for the store's commit before the journal is synced instead. Shorter, and a store that is
   * only busy would be bridged. Longer, and clients would notice its outage: many give up after some seconds.
   */
  bridgeAfterMs: number;
  /**
   * With a store that acknowledges, positions continue this far after the end that a start finds. A power cut may have
   * taken records whose commit is still on its way. More than one segment is never unsynced.
   */
  skippedAtStart: number;
}

export const journalLimits: JournalLimits = {
  segmentBytes: 67_108_864,
  segmentMs: 60_000,
  backlogBytes: 2_147_483_648,
  spareBufferBytes: 4_194_304,
  waitingBytes: 33_554_432,
  retryAfterFailureMs: 1_000,
  bridgeAfterMs: 400,
  skippedAtStart: 1_073_741_824,
};
