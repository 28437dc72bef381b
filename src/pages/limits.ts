import { type EarlyLimits, earlyLimits } from "./early-limits.ts";

/** Numbers that the product's specification fixes are marked "Specified"; the others are defaults with a reason. */
export interface BrowserLimits extends EarlyLimits {
  /** Specified. A younger prefetched page is shown without asking the server. */
  prefetchFreshMs: number;
  /** Specified. An older prefetched page is discarded. */
  prefetchExpiresMs: number;
  /**
   * Specified. More would compete with the page the visitor is looking at. A navigation has its own slot beside them.
   */
  prefetchesAtOnce: number;
  /** A server may send heartbeats for long, but a visitor does not wait longer than this for one page. */
  navigationCapMs: number;
  /** How long the pointer must rest on a link to show intent; below it the pointer is only passing. */
  intentPointerMs: number;
  intentFocusMs: number;
  /** A click follows its press within this time; a later click ignores the response to the press. */
  pressMs: number;
  /**
   * Prefetches per tab and minute, and how many may run in one burst: stops prefetch loops (one report: 329 million
   * requests a day).
   */
  prefetchesPerMinute: number;
  prefetchBurst: number;
  /** One prefetch per address in this time, over all triggers. */
  prefetchSameUrlMs: number;
  cacheEntries: number;
  cacheBytes: number;
  /** Automatic full loads: one per address and reason in the first window, `fullLoadsPerTab` in the second. */
  fullLoadSameMs: number;
  fullLoadsPerTab: number;
  fullLoadTabMs: number;
  /** Pause between two attempts to fetch the current page again. */
  refreshRetryMs: number;
  /** The same limit as in browsers. */
  redirectsAtMost: number;
  /** How long prefetching stops after a 429 or 503 without `Retry-After`. */
  prefetchBackOffMs: number;
}

export const browserLimits: BrowserLimits = {
  ...earlyLimits,
  prefetchFreshMs: 30_000,
  prefetchExpiresMs: 300_000,
  prefetchesAtOnce: 5,
  navigationCapMs: 30_000,
  intentPointerMs: 65,
  intentFocusMs: 150,
  pressMs: 1_000,
  prefetchesPerMinute: 30,
  prefetchBurst: 20,
  prefetchSameUrlMs: 30_000,
  cacheEntries: 200,
  cacheBytes: 10_000_000,
  fullLoadSameMs: 30_000,
  fullLoadsPerTab: 3,
  fullLoadTabMs: 60_000,
  refreshRetryMs: 5_000,
  redirectsAtMost: 20,
  prefetchBackOffMs: 60_000,
};

export interface ServerLimits {
  /** `load` and guards, unless the route sets its `timeout`. Visitors do not wait longer. */
  loadMs: number;
  /** Specified. Time for an action, from its validated input to its end. A lost connection does not shorten it. */
  actionMs: number;
  /** Work after a response, each: as long as an action, because work moves from one to the other. */
  afterMs: number;
  /**
   * Work after responses that runs at the same time. Connections do not bound it, because it begins when they are free
   * again. As many as posts.
   */
  afterAtOnce: number;
  /**
   * Connections that stay open: server-sent events and sockets. Half of all connections, so that pages keep the other
   * half; one client has half of its connections for them.
   */
  streamsAtOnce: number;
  streamsPerClient: number;
  /** One event or message. Clients that do not read each hold one: 5,000 hold 312 MiB. */
  messageBytes: number;
  /** Interval of heartbeats in a stream of events. Proxies commonly close a connection after 60 silent seconds. */
  eventHeartbeatMs: number;
  /**
   * A browser reconnects to a stream of events after about this time: a process that restarts listens again by then.
   */
  eventRetryMs: number;
  /** The same for a stream that could not be opened, because there are too many, and for one that failed. */
  eventRefusedMs: number;
  /**
   * Frames of one socket, and twice as many at once: more than a pointer that is followed on a screen, and little work
   * for a server.
   */
  socketMessagesPerSecond: number;
  /** Messages that wait for the handler of a socket; then the network holds its client back. */
  socketMessagesWaiting: number;
  /** Messages that a client of a socket has not taken: four of the largest. Then it is disconnected. */
  socketUnsentBytes: number;
  /** The same for all sockets: as much as the bodies of posts. */
  socketsUnsentBytes: number;
  /** Interval of pings. Half of the silence after which proxies commonly close a connection. */
  socketPingMs: number;
  /** How long a client may take to confirm that its socket is closed: a round trip on a slow line. */
  socketCloseMs: number;
  /** How long a repeated submission waits for the running one: a double click, or a proxy that repeats a request. */
  submissionWaitMs: number;
  /**
   * How long after sending a browser may send a submission again by itself. The memory of submissions has 24 hours;
   * the rest is for clocks that differ. 0: never.
   */
  resendHours: number;
  /**
   * Pages with a digest that a browser remembers, to lead its visitor back once they are repaired: a visitor who met
   * more has left. Each is one question. 0: none.
   */
  brokenPages: number;
  /** How long it remembers them: after a week a visitor has found another way, or has forgotten it. */
  brokenPageDays: number;
  /** Promises inside the data; as long as the browser waits for one page. */
  lateMs: number;
  /** Until React has rendered the shell; after it the error page is sent. */
  shellMs: number;
  /**
   * Interval of heartbeats in a page-data response. About a quarter of the browser's 3,800 ms leaves room for a slow
   * connection.
   */
  heartbeatMs: number;
  /**
   * Delay of the first byte, so that quick responses carry their true status; below the 150 ms that a visitor notices.
   */
  preambleMs: number;
  /** Body of an action without files, and of JSON. */
  bodyBytes: number;
  /**
   * Concurrent posts, in total and per client. They include running actions, which continue when their visitor leaves,
   * so limits on connections do not bound them.
   */
  postsAtOnce: number;
  postsPerClient: number;
  /** Bodies of all concurrent posts, in memory: 64 of the largest. */
  postedBytes: number;
  /** Files of all concurrent uploads, on disk: 32 of the largest. */
  uploadsOnDiskBytes: number;
  /** Fields of one form. A table of a hundred rows with ten columns fits; PHP and Django have the same limit. */
  formFields: number;
  /** Values of a search that a page's schema reads. More than the tags and fields of any filter, and little work. */
  searchValues: number;
  /** All files of one upload together. */
  uploadBytes: number;
  uploadFiles: number;
  jsonDepth: number;
  jsonKeys: number;
  /**
   * Result of an action that a cookie carries to a page without scripts. Sealing makes it a third longer, and browsers
   * limit a cookie to 4,096 bytes.
   */
  resultBytes: number;
  /** Limits of what a `load` may return. */
  dataDepth: number;
  dataBytes: number;
  /** Responses above this size count as large. Smaller ones fit into what a socket buffers anyway. */
  largeBytes: number;
  /**
   * Memory for large responses that wait for their clients, and for large pages that are being rendered, of which one
   * is always allowed. With twice as much, 500 slow clients of a page of 5 MiB make a process grow by 100 MiB instead
   * of 30.
   */
  unsentBytes: number;
  /**
   * Streamed responses that are compressed at the same time: an encoder holds up to 0.8 MiB until its response ends.
   * Further ones are sent uncompressed.
   */
  encoders: number;
  /** Beyond `unsentBytes`, responses wait on disk: 500 slow clients of a page of 5 MiB need 2.5 GiB. */
  unsentOnDiskBytes: number;
  /** Pages with `cache`, in the memory of a process, with all encodings: 2,000 pages of 30 kB. */
  cachedBytes: number;
  /** Pages for which the memory has no room wait on disk: 17,000 pages of 30 kB. 0 stores none there. */
  cachedOnDiskBytes: number;
  /** Their number, in memory and on disk. It bounds what pages with a long search can add to the bytes. */
  cachedPages: number;
  /** How old the last good page may be that is sent while new ones fail. After a day it misleads more than it helps. */
  cachedFailingMs: number;
}

export const serverLimits: ServerLimits = {
  loadMs: 10_000,
  actionMs: 60_000,
  afterMs: 60_000,
  afterAtOnce: 1_000,
  streamsAtOnce: 5_000,
  streamsPerClient: 500,
  messageBytes: 65_536,
  eventHeartbeatMs: 15_000,
  eventRetryMs: 2_000,
  eventRefusedMs: 20_000,
  socketMessagesPerSecond: 100,
  socketMessagesWaiting: 16,
  socketUnsentBytes: 262_144,
  socketsUnsentBytes: 67_108_864,
  socketPingMs: 30_000,
  socketCloseMs: 2_000,
  submissionWaitMs: 30_000,
  resendHours: 20,
  brokenPages: 5,
  brokenPageDays: 7,
  lateMs: 30_000,
  shellMs: 15_000,
  heartbeatMs: 1_000,
  preambleMs: 100,
  bodyBytes: 1_048_576,
  postsAtOnce: 1_000,
  postsPerClient: 100,
  postedBytes: 67_108_864,
  uploadsOnDiskBytes: 1_073_741_824,
  formFields: 1_000,
  searchValues: 200,
  uploadBytes: 33_554_432,
  uploadFiles: 20,
  jsonDepth: 64,
  jsonKeys: 10_000,
  resultBytes: 2_048,
  dataDepth: 64,
  dataBytes: 8_388_608,
  largeBytes: 65_536,
  unsentBytes: 8_388_608,
  encoders: 100,
  unsentOnDiskBytes: 4_294_967_296,
  cachedBytes: 67_108_864,
  cachedOnDiskBytes: 536_870_912,
  cachedPages: 10_000,
  cachedFailingMs: 86_400_000,
};
