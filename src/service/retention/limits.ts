/** How long and how much is kept. */
export interface RetentionLimits {
  /** Events, spans and logs. Whole weeks go, so that up to six days more are kept. */
  keepDays: number;
  /** All weeks together; the oldest goes first. Half of a small server's disk. */
  keepBytes: number;
  /** Counters by the hour; those by the day stay for ever. Two weeks to compare with, and a day to be asked in. */
  keepHoursForDays: number;
  /**
   * With less room than this on the disk, the oldest weeks go before their time: the last step before nothing can be
   * kept.
   */
  lowBytes: number;
  /** Room held back by a file that is given up when the disk is full, so that cleaning up has room to work in. */
  ballastBytes: number;
}

export const retentionLimits: RetentionLimits = {
  keepDays: 90,
  keepBytes: 20 * 1024 ** 3,
  keepHoursForDays: 15,
  lowBytes: 128 * 1024 ** 2,
  ballastBytes: 16 * 1024 ** 2,
};
