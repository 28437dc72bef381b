import { type ClientLimits, clientLimits } from "./client-limits.ts";

/** Limits of reporting on a server: memory, disk, time. */
export interface ReportingLimits extends ClientLimits {
  /** Specified. Size of all envelopes that wait for delivery, on disk. */
  outboxBytes: number;
  /** Specified. Reports that could not be delivered for this long are dropped. */
  outboxAgeMs: number;
  /** A file of the outbox is deleted when all its envelopes are delivered; small files are deleted soon. */
  segmentBytes: number;
  /**
   * Waiting envelopes are also held in memory up to this size; beyond it they are read from disk. A tenth of what an
   * outage may cost (20 MiB).
   */
  memoryBytes: number;
  /** Traces delivered within this time are never written to disk. */
  spillMs: number;
  /** Deliveries are marked on disk after this time, many at once. After a crash, unmarked envelopes are sent again. */
  markMs: number;
  /**
   * How long traces, logs and counts are gathered before their delivery. With every request traced, a sync of the
   * service then serves fifty of them instead of eight. A person who follows a trace does not notice it.
   */
  gatherMs: number;
  /** Concurrent deliveries per lane, depending on the service's recent responses. */
  deliveriesAtOnce: {
    /** The service syncs envelopes in groups, so with few at a time each would wait for the disk. */
    quick: number;
    /**
     * Pending envelopes use memory, and more of them do not help an overloaded service. Four at 5 s each still deliver
     * 69,000 per day.
     */
    slow: number;
    /** Enough to detect that it is back. */
    away: number;
  };
  /** A service with slower responses counts as slow: the most distant one responds in a fifth of this time. */
  slowMs: number;
  /** How long the end of the process waits for the last deliveries. The rest stays on disk for the next start. */
  exitMs: number;
  /** Interval between client reports about dropped events. */
  reportLossesMs: number;
  /** What the cache of pages did is added up for this long: few envelopes, and a figure that is hardly old. */
  cacheCountsMs: number;
  /**
   * Server traces per second if the application sets no rate: enough to see every page within an hour, without more
   * work in a rush.
   */
  tracesPerSecond: number;
  /**
   * The same for pages from the server's cache. Their traces have no step that could be slow, and without a number of
   * their own, a page that is asked for a thousand times a second would leave none to the others.
   */
  hitTracesPerSecond: number;
  /**
   * A process that was blocked for this long is reported. Visitors notice a fifth of it; garbage collection stays below
   * it.
   */
  stallMs: number;
  stallCheckMs: number;
  /** Size of a browser's envelope after decompression: an event may have 1 MiB, and the envelope adds a little. */
  tunnelBytes: number;
  /**
   * Envelopes that one address may send in a burst, and per second after that. A page with one error per second stays
   * below.
   */
  tunnelBurst: number;
  tunnelPerSecond: number;
  /** The same for all addresses together: a rate that the service handles easily. */
  tunnelAllBurst: number;
  tunnelAllPerSecond: number;
  /**
   * Bytes of all pending report bodies, and those of one address: a browser sends few at a time, mostly of some
   * kilobytes.
   */
  tunnelHeldBytes: number;
  tunnelHeldPerAddress: number;
  /**
   * Reports that are decompressed at the same time, in one of the four threads that file access needs too, and how many
   * may wait.
   */
  tunnelDecoders: number;
  tunnelDecodersWaiting: number;
}

export const reportingLimits: ReportingLimits = {
  ...clientLimits,
  outboxBytes: 67_108_864,
  outboxAgeMs: 86_400_000,
  segmentBytes: 1_048_576,
  memoryBytes: 2_097_152,
  spillMs: 1_000,
  markMs: 200,
  gatherMs: 50,
  deliveriesAtOnce: { quick: 64, slow: 4, away: 1 },
  slowMs: 1_000,
  exitMs: 1_000,
  reportLossesMs: 60_000,
  cacheCountsMs: 10_000,
  tracesPerSecond: 20,
  hitTracesPerSecond: 2,
  stallMs: 1_000,
  stallCheckMs: 250,
  tunnelBytes: 1_100_000,
  tunnelBurst: 60,
  tunnelPerSecond: 5,
  tunnelAllBurst: 2_000,
  tunnelAllPerSecond: 500,
  tunnelHeldBytes: 33_554_432,
  tunnelHeldPerAddress: 8_388_608,
  tunnelDecoders: 1,
  tunnelDecodersWaiting: 200,
};
