/** Why a store could not do what it was asked to. */
export const storeProblems = [
  /** No connection, or one that broke. */
  "unreachable",
  "shutting-down",
  /** Every server that answers only reads: a failover is under way. */
  "read-only",
  /** Password, certificate, rights, or a database that is not there. */
  "refused",
  "too-many-connections",
  "out-of-space",
  "out-of-memory",
  "too-slow",
  /** Two transactions were in each other's way. */
  "collision",
  /** Another process is about to bring the tables up to date. */
  "schema",
] as const;

export type StoreProblem = (typeof storeProblems)[number];

/** The state of a store for operators, with the number of problems of each kind since the process started. */
export type StoreHealth = { readonly problems: Readonly<Record<StoreProblem, number>> } & (
  | { readonly kind: "well" }
  | {
      readonly kind: "away";
      /** Milliseconds since 1970. */
      readonly since: number;
      readonly why: string;
      readonly kindOfProblem: StoreProblem;
    }
);

export const noProblems: Readonly<Record<StoreProblem, number>> = {
  unreachable: 0,
  "shutting-down": 0,
  "read-only": 0,
  refused: 0,
  "too-many-connections": 0,
  "out-of-space": 0,
  "out-of-memory": 0,
  "too-slow": 0,
  collision: 0,
  schema: 0,
};
