import { type EarlyLimits, earlyLimits } from "./early-limits.ts";

/** Numbers in this file that the product's specification fixes are marked so; the others are defaults with a reason. */
export interface BrowserLimits extends EarlyLimits {
  /** Specified. A prefetched page younger than this is shown without asking the server. */
  prefetchFreshMs: number;
  /** Specified. A prefetched page this old is as if it had never been fetched. */
  prefetchExpiresMs: number;
  /**
   * Specified. More would compete with what the visitor is looking at now. A navigation has its own slot beside them.
   */
  prefetchesAtOnce: number;
  /** A server that keeps sending heartbeats is alive, but a visitor does not wait longer than this for one page. */
  navigationCapMs: number;
  /** Rest of the pointer that shows intent; below it the pointer is only passing. */
  intentPointerMs: number;
  intentFocusMs: number;
  /** A click follows its press within this time; what a press was answered with is its click's no longer. */
  pressMs: number;
  /**
   * Prefetches per tab and minute, and how many may come in one burst: stops prefetch loops (one report: 329 million
   * requests a day).
   */
  prefetchesPerMinute: number;
  prefetchBurst: number;
  /** One prefetch per address in this time, from all triggers together. */
  prefetchSameUrlMs: number;
  cacheEntries: number;
  cacheBytes: number;
  /** Automatic full loads: one per address and reason in the first window, so many per tab in the second. */
  fullLoadSameMs: number;
  fullLoadsPerTab: number;
  fullLoadTabMs: number;
  /** Between two tries to ask for the page that is shown again. */
  refreshRetryMs: number;
  /** As browsers do. */
  redirectsAtMost: number;
  /** Prefetching stops this long after a 429 or 503 that names no time. */
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
  /** `load` and guards; a visitor who waits longer has gone. */
  loadMs: number;
  /** Work of an action, from its checked input to its end. Specified. A lost connection does not shorten it. */
  actionMs: number;
  /**
   * A submission that arrives while it is running waits so long for what it comes to: a double click, a proxy that
   * repeats a request.
   */
  submissionWaitMs: number;
  /** Promises inside the data; as long as the browser waits for one page. */
  lateMs: number;
  /** Until React has the shell; then the error page is sent. */
  shellMs: number;
  /** Between two signs of life in a data answer. A quarter of the browser's 3,800 ms leaves room for a slow line. */
  heartbeatMs: number;
  /**
   * Waiting this long before the first byte lets quick answers carry their true status; below the 150 ms at which a
   * visitor notices.
   */
  preambleMs: number;
  /** Body of an action without files, and of JSON. */
  bodyBytes: number;
  /**
   * Posts under way, the actions that they began among them: those go on when their visitor leaves, so that connections
   * do not bound them. And those of one client.
   */
  postsAtOnce: number;
  postsPerClient: number;
  /** Bodies of all posts under way, in memory: 64 of the largest. */
  postedBytes: number;
  /** Files of all uploads under way, on disk: 32 of the largest. */
  uploadsOnDiskBytes: number;
  /** Fields of one form. A table of a hundred rows with ten columns stays below; PHP and Django have the same bound. */
  formFields: number;
  /** All files of one upload together. */
  uploadBytes: number;
  uploadFiles: number;
  jsonDepth: number;
  jsonKeys: number;
  /**
   * What an action returned, brought along by a cookie where there are no scripts. Sealed it is a third longer, and
   * browsers keep 4,096 of a cookie.
   */
  resultBytes: number;
  /** Bounds of what a `load` may return. */
  dataDepth: number;
  dataBytes: number;
  /** An answer above this is large. Below it, what waits for a slow reader is what a socket buffers anyway. */
  largeBytes: number;
  /**
   * Large answers that wait in memory for their readers, all together; and large pages that are being made, all
   * together, though one always may. With twice as much, 500 slow readers of a page of 5 MiB let a process grow by 100
   * MiB instead of 30.
   */
  unsentBytes: number;
  /**
   * Streamed answers that are compressed at the same time: an encoder holds up to 0.8 MiB as long as its answer lasts.
   * Further ones leave as they are.
   */
  encoders: number;
  /** What is more waits on disk: 500 slow readers of a page of 5 MiB need 2.5 GiB. */
  unsentOnDiskBytes: number;
}

export const serverLimits: ServerLimits = {
  loadMs: 10_000,
  actionMs: 60_000,
  submissionWaitMs: 30_000,
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
};
