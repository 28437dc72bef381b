/** Limits of the HTTP server around the pages. */
export interface HostLimits {
  /** Node's own limit on headers; browsers and proxies stay below 16 KiB. */
  headerBytes: number;
  headerCount: number;
  /** Node's defaults (60 s and 300 s, checked every 30 s) let slow clients keep their sockets for 97 s. */
  headersMs: number;
  requestMs: number;
  /**
   * After `requestMs`, a body may take as long as it needs at this rate, that of the slowest useful line: 32 MiB in 34
   * minutes.
   */
  bodyBytesPerSecond: number;
  keepAliveMs: number;
  checkSocketsMs: number;
  /** A client that reads nothing for this long has gone. */
  stalledMs: number;
  /** More connections would exhaust file descriptors (1,024 is a common limit). */
  connections: number;
  /** A browser opens six, and an office of a hundred people behind one address stays below. Proxies are exempt. */
  connectionsPerClient: number;
  /**
   * After SIGTERM the server reports that it is not ready, and closes its port after this time: two checks of a proxy
   * that polls every second, and the time that Kubernetes needs to remove an address from its lists.
   */
  drainMs: number;
  /** No proxy needs longer, and after this time the process seems to hang. */
  drainMsAtMost: number;
  /** Requests in progress at shutdown may take this long; then they are cut. */
  shutdownMs: number;
  /** After an uncaught exception: long enough for a page, short because the state of the process is unknown. */
  brokenMs: number;
  /** Above this share of its memory limit, a process refuses new work and keeps the rest for work in progress. */
  memoryShare: number;
  /** Interval of the memory check: one costs some microseconds, and a body of 1 MiB takes about this long to arrive. */
  memoryCheckMs: number;
  /** Number of ports to try after the configured one. */
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
