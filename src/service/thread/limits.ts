export interface FilingLimits {
  /**
   * One batch: large enough that the fixed cost of a transaction vanishes, small enough that questions in between are answered soon.
   */
  batchBytes: number;
  batchRecords: number;
  /** Between two transactions. A lone event is filed at once and can be seen below 50 ms. */
  commitEveryMs: number;
  /** The same when the last batch had `busyRecords` and more: filed by a hundred, an event costs half as much again as filed by a thousand. */
  commitEveryMsWhenBusy: number;
  busyRecords: number;
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
  commitEveryMs: 40,
  commitEveryMsWhenBusy: 500,
  busyRecords: 20,
  makeDurableMs: 5_000,
  makeDurableBytes: 33_554_432,
  upkeepMs: 60_000,
  retryMs: 1_000,
};
