/** Locks last as long as a transaction, so that they go with a lost connection and pass a pooler. */
export const locks = {
  /** Key 0: a step of the migration. Key 1: making a part. Key 2: ending a part, shared by all batches. */
  schema: 77_001,
  /** Folds and changes of a project. */
  project: 77_002,
  /** Event ids near the end of a part. */
  eventId: 77_003,
  /** Builds of an application. */
  browserFiles: 77_004,
  /** Transactions on small tables that take turns. */
  rows: 77_005,
} as const;
