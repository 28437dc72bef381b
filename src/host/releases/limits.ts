/** Limits of the healing of routes. */
export interface HealingLimits {
  /** A healed route stays on the build before for this long, then for twice as long each time. */
  firstWaitMs: number;
  /** A night: the longest time after which the new build is tried again. */
  longestWaitMs: number;
  /** One of so many visitors of a healed route tries the new build in the background: the work of one in five twice. */
  triedOneOf: number;
  /** A page that takes longer has failed. Its load may take 10 s, and its late values 30 s. */
  trialMs: number;
  /** Counts travel to the process that decides this often; those of a failure at once. */
  countsMs: number;
  /** How often the counts are written to disk: a crash loses those of this time. */
  writeMs: number;
  /** How often commands of an operator are looked for. */
  lookMs: number;
  /**
   * Bytes of one build's copy. A server bundle has some MB, and pictures that the build has named are the largest part
   * of the browser's files.
   */
  buildBytes: number;
  /** Failures of one client that count, so that one program cannot take a route back. */
  failuresPerClient: number;
  /** Clients of one route that are remembered for it. */
  clients: number;
  /** Requests that the counts of a release remember: what was a long time ago counts less. */
  rememberedRequests: number;
}

export const healingLimits: HealingLimits = {
  firstWaitMs: 60_000,
  longestWaitMs: 8 * 3_600_000,
  triedOneOf: 5,
  trialMs: 40_000,
  countsMs: 1_000,
  writeMs: 5_000,
  lookMs: 1_000,
  buildBytes: 268_435_456,
  failuresPerClient: 2,
  clients: 1_000,
  rememberedRequests: 20_000,
};
