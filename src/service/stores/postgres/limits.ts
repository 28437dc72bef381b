export interface PostgresLimits {
  /** Connections for questions. Filing, preparing a batch and folding have one more each. */
  readonly readConnections: number;
  /** After a batch its sums are folded into the counters, but each project at most this often. */
  readonly foldEveryMs: number;
  /** So many batches are folded in one transaction. More would keep a change of an issue waiting. */
  readonly deltasAtOnce: number;
  /** A connection attempt that takes longer has failed. */
  readonly connectMs: number;
  /** A question that takes longer is given up. */
  readonly questionMs: number;
}

export const postgresLimits: PostgresLimits = {
  readConnections: 4,
  foldEveryMs: 300,
  deltasAtOnce: 300,
  connectMs: 5_000,
  questionMs: 10_000,
};
