export interface FilingLimits {
  /**
   * Size of a batch: large enough to make the fixed cost of a transaction negligible, small enough for prompt replies
   * to requests in between.
   */
  batchBytes: number;
  batchRecords: number;
  /**
   * Minimum delay after a transaction, by its minimum number of records, ascending. In batches of a hundred, an event
   * costs 1.5 times as much as in batches of a thousand. At a thousand per second, no person reads along.
   */
  pauses: readonly { records: number; ms: number }[];
  /**
   * Transactions with fewer records than the smallest pause. `atOnce` of them follow each other at once, so that an
   * event is visible within 50 ms on an idle service. After that, there is one every `everyMs`, because a transaction
   * costs about 2 ms however few its records, and every application with visitors sends 20 traces per second. A person
   * who types a digest is slower.
   */
  small: { atOnce: number; everyMs: number };
  /** Interval at which the store is made durable, so that the journal can be released. */
  makeDurableMs: number;
  makeDurableBytes: number;
  /** Interval at which mutes end by time, and data is deleted that is too old or exceeds a limit. */
  upkeepMs: number;
  /** Delay after the store could not be written, for example because the disk is full. Doubles up to the other. */
  retryMs: number;
  retryAtMostMs: number;
  /** How often the marks of erasures by other processes are read, in a store that several write. */
  erasuresMs: number;
  /** How old the list of members may be by which ownership rules assign issues. */
  membersMs: number;
}

export const filingLimits: FilingLimits = {
  batchBytes: 8_388_608,
  batchRecords: 2_000,
  pauses: [
    { records: 20, ms: 500 },
    { records: 500, ms: 1_000 },
  ],
  small: { atOnce: 20, everyMs: 250 },
  makeDurableMs: 5_000,
  makeDurableBytes: 33_554_432,
  upkeepMs: 60_000,
  retryMs: 1_000,
  retryAtMostMs: 1_000,
  erasuresMs: 5_000,
  membersMs: 1_000,
};

/**
 * For a store whose commit acknowledges. Clients wait for it, so one batch follows the other without a pause: what
 * arrives during a commit is the next. Most failures of a database are over at once, and an outage takes seconds; each
 * retry parses a batch again.
 */
export const acknowledgingLimits: FilingLimits = {
  ...filingLimits,
  pauses: [],
  small: { atOnce: 1, everyMs: 0 },
  retryMs: 100,
  retryAtMostMs: 2_000,
};
