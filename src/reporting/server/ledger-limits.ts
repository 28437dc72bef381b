/** Limits of the ledger. They are apart from the others, which browsers load too. */
export interface LedgerLimits {
  /** Interval in which it delivers error pages, and what killed processes have left. */
  everyMs: number;
  /** Interval in which it delivers counts. They are for an hour, and each delivery is written to two disks. */
  countsMs: number;
  /** Error pages that wait in one process. Further ones are not compared with their events. */
  pages: number;
  /**
   * Submissions that run at once and that the ledger of one process can name, as many as one statement has. Further
   * ones are counted when they end.
   */
  open: number;
  /** While error reports wait or actions run, the ledger says so in this interval. */
  waitingMs: number;
}

export const ledgerLimits: LedgerLimits = {
  everyMs: 2_000,
  countsMs: 10_000,
  pages: 10_000,
  open: 200,
  waitingMs: 60_000,
};
