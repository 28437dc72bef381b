/** Limits of the server around the pages. */
export interface HostLimits {
  /** Node's own bound on headers; 16 KiB is what browsers and proxies stay below. */
  headerBytes: number;
  headerCount: number;
  /** Node's defaults (60 s and 300 s, looked at every 30 s) leave slow senders their sockets for 97 s. */
  headersMs: number;
  requestMs: number;
  /**
   * Beyond `requestMs` a body may take as long as it needs at this pace, the slowest of a line that is any use: 32 MiB
   * in 34 minutes.
   */
  bodyBytesPerSecond: number;
  keepAliveMs: number;
  checkSocketsMs: number;
  /** A reader that takes nothing for so long has gone. */
  stalledMs: number;
  /** More would end in running out of file descriptors (1,024 is a common bound). */
  connections: number;
  /**
   * Of one client: a browser opens six, an office of a hundred people behind one address stays below. Proxies have no
   * such bound.
   */
  connectionsPerClient: number;
  /**
   * From SIGTERM on the server says that it is not ready, and closes its port after this time: two checks of a proxy
   * that asks every second, and as long as Kubernetes needs to take an address out of its lists.
   */
  drainMs: number;
  /** No proxy needs longer, and after this time the process seems to hang. */
  drainMsAtMost: number;
  /** What is under way at shutdown may take this long; then it is cut. */
  shutdownMs: number;
  /** After an uncaught exception: long enough for a page, short because the state of the process is unknown. */
  brokenMs: number;
  /** Above this share of the memory it may use, a process refuses new work; the rest is for what it has begun. */
  memoryShare: number;
  /**
   * Between two looks at the memory: one costs some microseconds, and a body of 1 MiB takes about as long to arrive.
   */
  memoryCheckMs: number;
  /** Beyond the configured port, so many are tried before giving up. */
  portsTried: number;
}

export const hostLimits: HostLimits = {
  headerBytes: 16_384,
  headerCount: 100,
  headersMs: 10_000,
  requestMs: 30_000,
  bodyBytesPerSecond: 16_384,
  keepAliveMs: 5_000,
  checkSocketsMs: 2_000,
  stalledMs: 60_000,
  connections: 10_000,
  connectionsPerClient: 1_000,
  drainMs: 3_000,
  drainMsAtMost: 300_000,
  shutdownMs: 25_000,
  brokenMs: 5_000,
  memoryShare: 0.85,
  memoryCheckMs: 100,
  portsTried: 20,
};
