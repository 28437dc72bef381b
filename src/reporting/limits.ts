import { type ValueLimits, valueLimits } from "./value-limits.ts";

/** Bounds of what reporting may cost: memory, disk, time. */
export interface ReportingLimits extends ValueLimits {
  /** Specified. All that waits for delivery, on disk. */
  outboxBytes: number;
  /** Specified. What could not be delivered for so long is of no use any more. */
  outboxAgeMs: number;
  /** A file of the outbox goes when all in it is delivered; small files go soon. */
  segmentBytes: number;
  /**
   * What waits is also held in memory up to this; beyond it, it is read from disk again. A tenth of what an outage may
   * cost (20 MiB).
   */
  memoryBytes: number;
  /** Traces delivered within this time are never written to disk at all. */
  spillMs: number;
  /**
   * What is delivered is marked so on disk after this time, many together. After a sudden end these go out once more.
   */
  markMs: number;
  /** Envelopes of a kind that are under way to the service at the same time, by what its last answers were like. */
  deliveriesAtOnce: {
    /** It makes them durable in groups, so that few at a time would each wait for the disk. */
    quick: number;
    /**
     * What is under way is in memory, and a service with more to do than it can is not helped by more. Four of 5 s each
     * still bring 69,000 in a day.
     */
    slow: number;
    /** Enough to find out whether it is back. */
    away: number;
  };
  /** A service whose answers take longer is slow: the farthest one answers in a fifth of it. */
  slowMs: number;
  /** A service that has not answered by then is taken for dead. */
  deliveryMs: number;
  /**
   * Waits between tries; the last one repeats. With it everything arrives within a minute after the service is back.
   */
  retryMs: readonly number[];
  /**
   * How long the end of the process waits for the last deliveries. What is not out by then lies on disk for the next
   * start.
   */
  exitMs: number;
  /** Interval between reports of what was left out. */
  tellLossesMs: number;
  /** Steps of the visitor, or of the request, that an event carries. Specified for the visitor. */
  steps: number;
  /** Spans of one request or navigation; what comes after them is counted only. */
  spans: number;
  /**
   * Traces of the server in a second, where the application names no rate: enough to see every page by the hour, and no
   * more work in a rush.
   */
  tracesPerSecond: number;
  /** Frames of one stack. */
  frames: number;
  /** Errors in a chain of causes. */
  causes: number;
  /**
   * A process that was blocked for so long is reported. Visitors notice a fifth of it; garbage collection stays below
   * it.
   */
  stallMs: number;
  stallLookMs: number;
  /** One envelope of a browser, after unpacking: an event may have 1 MiB, and a little more stands around it. */
  tunnelBytes: number;
  /**
   * Envelopes that one address may send in a burst, and per second after that. A page with an error a second stays
   * below.
   */
  tunnelBurst: number;
  tunnelPerSecond: number;
  /** The same for all addresses together: what the service takes without effort. */
  tunnelAllBurst: number;
  tunnelAllPerSecond: number;
  /**
   * What the bodies of all reports under way may hold, and those of one address: a browser sends few at a time, and
   * most have some kilobytes.
   */
  tunnelHeldBytes: number;
  tunnelHeldPerAddress: number;
  /**
   * Packed reports that are unpacked at the same time: one of the four threads that files need too. And how many may
   * wait for it.
   */
  tunnelDecoders: number;
  tunnelDecodersWaiting: number;
  /** Logs are sent together after this time, or when so many are there. */
  logMs: number;
  logsAtOnce: number;
}

export const reportingLimits: ReportingLimits = {
  outboxBytes: 67_108_864,
  outboxAgeMs: 86_400_000,
  segmentBytes: 1_048_576,
  memoryBytes: 2_097_152,
  spillMs: 1_000,
  markMs: 200,
  deliveriesAtOnce: { quick: 64, slow: 4, away: 1 },
  slowMs: 1_000,
  deliveryMs: 10_000,
  retryMs: [250, 1_000, 2_000, 5_000, 10_000, 30_000],
  exitMs: 1_000,
  tellLossesMs: 60_000,
  steps: 20,
  spans: 500,
  tracesPerSecond: 20,
  frames: 50,
  causes: 5,
  ...valueLimits,
  stallMs: 1_000,
  stallLookMs: 250,
  tunnelBytes: 1_100_000,
  tunnelBurst: 60,
  tunnelPerSecond: 5,
  tunnelAllBurst: 2_000,
  tunnelAllPerSecond: 500,
  tunnelHeldBytes: 33_554_432,
  tunnelHeldPerAddress: 8_388_608,
  tunnelDecoders: 1,
  tunnelDecodersWaiting: 200,
  logMs: 5_000,
  logsAtOnce: 100,
};
