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
  /**
   * Another server, to which a rewrite hands requests, begins to answer within this time. Proxies in front of this
   * server commonly wait 60 s, and would answer first.
   */
  forwardHeadMs: number;
  /** More connections would exhaust file descriptors (1,024 is a common limit). */
  connections: number;
  /** A browser opens six, and an office of a hundred people behind one address stays below. Proxies are exempt. */
  connectionsPerClient: number;
  /**
   * `onStart` of an application. systemd ends a start after 90 s without a word about the cause; this limit is below
   * it, so that the log names the hook.
   */
  startMs: number;
  /**
   * After SIGTERM the server reports that it is not ready, and closes its port after this time: two checks of a proxy
   * that polls every second, and the time that Kubernetes needs to remove an address from its lists.
   */
  drainMs: number;
  /**
   * A start opens the error service after its first response, or after this time without one: opening it takes about
   * as long, and a request that waits for the port comes first.
   */
  firstResponseMs: number;
  /** No proxy needs longer, and after this time the process seems to hang. */
  drainMsAtMost: number;
  /**
   * After the last new connection, so that a request on its way arrives: several round trips on a slow line, and more
   * than a busy client pauses between two requests.
   */
  lastRequestMs: number;
  /** Requests in progress at shutdown may take this long; then they are cut. */
  shutdownMs: number;
  /**
   * Share of `shutdownMs` that is left to `onStop` when requests take the rest, such as streams, which never end: 2.5 s
   * close a pool of connections.
   */
  stopHookShare: number;
  /**
   * In development, after a change: time for requests to the old code, and then for its `onStop`. A developer waits for
   * it.
   */
  changeMs: number;
  /** After an uncaught exception: long enough for a page, short because the state of the process is unknown. */
  brokenMs: number;
  /** Above this share of its memory limit, a process refuses new work and keeps the rest for work in progress. */
  memoryShare: number;
  /** Interval of the memory check: one costs some microseconds, and a body of 1 MiB takes about this long to arrive. */
  memoryCheckMs: number;
  /**
   * Memory of young objects, beyond which V8 does not double it again. From here on, more of it saves no processor
   * time.
   */
  youngBytes: number;
  /** Interval of looking at it. Under full load a doubling takes seconds. */
  youngCheckMs: number;
  /**
   * Digests that one client may look up. A person looks at one a few times, and the browser asks for three at most; an
   * office shares an address. Each is a search in the store. Guessing needs no limit: a digest has 60 bits.
   */
  answersPerMinute: number;
  /** Number of ports to try after the configured one. */
  portsTried: number;
  /**
   * Pages that the build makes at the same time. Loads wait for databases and files, while rendering takes one core:
   * more of them only take memory.
   */
  prerenderAtOnce: number;
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
  forwardHeadMs: 30_000,
  connections: 10_000,
  connectionsPerClient: 1_000,
  startMs: 60_000,
  drainMs: 3_000,
  firstResponseMs: 30,
  drainMsAtMost: 300_000,
  lastRequestMs: 1_000,
  shutdownMs: 25_000,
  stopHookShare: 0.1,
  changeMs: 2_000,
  brokenMs: 5_000,
  memoryShare: 0.85,
  memoryCheckMs: 100,
  youngBytes: 64 * 1_048_576,
  youngCheckMs: 1_000,
  answersPerMinute: 60,
  portsTried: 20,
  prerenderAtOnce: 8,
};
