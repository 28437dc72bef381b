export interface FilingLimits {
  /**
   * One batch: large enough that the fixed cost of a transaction vanishes, small enough that questions in between are
   * answered soon.
   */
  batchBytes: number;
  batchRecords: number;
  /**
   * How long after a transaction the next may begin, by how many records it had at least; ascending. Filed by a
   * hundred, an event costs half as much again as filed by a thousand; and at a thousand a second no person reads
   * along.
   */
  pauses: readonly { records: number; ms: number }[];
  /**
   * Transactions of fewer records than that. So many follow each other at once, so that what comes to a service at rest
   * can be seen below 50 ms; from then on there is one in this time, because a record costs 1.6 ms in a transaction of
   * its own, and 20 traces come in a second from every application with visitors. A person who opens an event by a
   * digest they have just read is slower than that.
   */
  small: { atOnce: number; everyMs: number };
  /** At the latest then the store is made to survive a loss of power, so that the journal can be released. */
  makeDurableMs: number;
  makeDurableBytes: number;
  /** How often mutes that end by the clock are ended, and what is too old or too much is dropped. */
  upkeepMs: number;
  /** After the store could not be written, for example because the disk is full. */
  retryMs: number;
}

export const filingLimits: FilingLimits = {
  batchBytes: 8_388_608,
  batchRecords: 2_000,
  pauses: [
    { records: 20, ms: 500 },
    { records: 500, ms: 1_000 },
  ],
  small: { atOnce: 20, everyMs: 100 },
  makeDurableMs: 5_000,
  makeDurableBytes: 33_554_432,
  upkeepMs: 60_000,
  retryMs: 1_000,
};
