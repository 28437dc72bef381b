export interface PostgresLimits {
  /** Connections for questions. Filing, preparing a batch, folding and upkeep have one more each. */
  readonly readConnections: number;
  /** Connections for accounts, projects and settings, whose statements take about a millisecond. */
  readonly sharedConnections: number;
  /** After a batch its sums are folded into the counters, but each project at most this often. */
  readonly foldEveryMs: number;
  /** So many batches are folded in one transaction. More would keep a change of an issue waiting. */
  readonly deltasAtOnce: number;
  /** Every process looks this often for batches that another one has filed and not folded. */
  readonly sweepMs: number;
  /** So often it looks from the first batch on, for one that became visible long after its id was assigned. */
  readonly fullSweepMs: number;
  /** Batches of this age are folded by whichever process finds them: the one that filed them needs `foldEveryMs`. */
  readonly leftMs: number;
  /**
   * A batch whose id was assigned is visible after this time. It takes milliseconds, and longer only where a commit
   * waits for a lost standby.
   */
  readonly visibleAfterMs: number;
  /** A connection attempt that takes longer has failed. Switched-off machines do not answer at all. */
  readonly connectMs: number;
  /** The next host is tried beside one that has not answered after this time. An answer takes some milliseconds. */
  readonly nextHostMs: number;
  /** A round over all hosts that found none is repeated after this time, then after twice of it, and so on. */
  readonly retryMs: number;
  /** The longest of these times. The console shall be back within seconds of a new primary. */
  readonly longestRetryMs: number;
  /**
   * The same two for a server that is out of space, memory or connections: it does not recover in milliseconds, and
   * each attempt costs it some of what it lacks.
   */
  readonly fullRetryMs: number;
  readonly longestFullRetryMs: number;
  /** A connection to a server that only reads is replaced after this time, if there is a primary by then. */
  readonly standbyMs: number;
  /** A question that takes longer is cancelled. */
  readonly questionMs: number;
  /**
   * A batch without an answer after this time has an unknown outcome. A batch takes milliseconds; a commit that waits
   * for a lost standby takes as long as `wal_sender_timeout`, which the guide sets to 5 s.
   */
  readonly filingMs: number;
  /** Names, groups and parts before a batch, and changes by people, which wait for at most one fold. */
  readonly preparingMs: number;
  /** A fold of 300 batches takes less than a second; it waits for no lock. */
  readonly foldingMs: number;
  /** Retention rewrites whole parts. */
  readonly upkeepMs: number;
  /** A transaction of a process that stopped in the middle of it is ended, and its locks with it. */
  readonly idleInTransactionMs: number;
}

export const postgresLimits: PostgresLimits = {
  readConnections: 4,
  sharedConnections: 2,
  foldEveryMs: 300,
  deltasAtOnce: 300,
  sweepMs: 1_000,
  fullSweepMs: 60_000,
  leftMs: 2_000,
  visibleAfterMs: 30_000,
  connectMs: 3_000,
  nextHostMs: 250,
  retryMs: 100,
  longestRetryMs: 2_000,
  fullRetryMs: 1_000,
  longestFullRetryMs: 30_000,
  standbyMs: 2_000,
  questionMs: 10_000,
  filingMs: 15_000,
  preparingMs: 30_000,
  foldingMs: 30_000,
  upkeepMs: 600_000,
  idleInTransactionMs: 30_000,
};
