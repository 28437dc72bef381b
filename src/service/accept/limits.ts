import { type ProtocolLimits, protocolLimits } from "#protocol";

export interface AcceptLimits {
  protocol: ProtocolLimits;
  /** A request's body as it comes over the line. */
  compressedBytes: number;
  /** The same body unpacked. Unpacking stops here, so that a small bomb costs little. */
  inflatedBytes: number;
  /**
   * A body that is larger unpacked than an event may be, and so many times what came over the line, is a bomb: reports
   * get to 50. Without it, 344 bytes cost as much work as 16 MiB.
   */
  inflatedTimes: number;
  /** The unpacked bodies of all requests under way, together: leaves most of a small machine's memory to others. */
  underWayBytes: number;
  /** Of these, what one project may hold: a flood of one leaves room for the others. */
  projectBytes: number;
  /**
   * Bodies that are unpacked at the same time. Each holds its window and a thread of the process; there are four
   * threads, and files need some. A decoder never waits for its client, so that two keep up with one main thread.
   */
  decoders: number;
  /**
   * Packed bodies that wait for a decoder. A usual one takes less than a millisecond, so that all of them are done
   * within a second.
   */
  decodersWaiting: number;
  /**
   * The window of a decoder as a power of two: 8 MiB, what RFC 8878 asks decoders of zstd to support. Brotli could ask
   * for 16 MiB, zstd for 2 GiB.
   */
  windowBits: number;
  /**
   * What is read and thrown away after a refusal, so that the sender gets to see why; beyond it the connection is cut.
   */
  discardedBytes: number;
  /** How long the rest of a refused body may pause. A sender that announces and does not send holds no connection. */
  discardIdleMs: number;
  /** How long all of the rest may take: a slow line brings the 20 MiB of a usual mistake at 6 Mbit/s. */
  discardMs: number;
  /** Requests of one project, looked at before anything of them is read: what one core can answer, halved. */
  requestsPerSecond: number;
  requestBurst: number;
  /**
   * Items of one category and project: about a quarter of what one core can file, so that no project crowds out the
   * others.
   */
  itemsPerSecond: number;
  itemBurst: number;
  /** Attachments may be large and may hold anything, so they are off by default. */
  keepAttachments: boolean;
  keepReplays: boolean;
  /** Of transactions, spans, logs and metrics, the share that is still taken when the journal is half full. */
  shareUnderPressure: number;
  /** The longest time a client is asked to stay away; longer ones are not kept by clients. */
  backOffSeconds: number;
}

export const acceptLimits: AcceptLimits = {
  protocol: protocolLimits,
  compressedBytes: 20_971_520,
  inflatedBytes: 104_857_600,
  inflatedTimes: 200,
  underWayBytes: 134_217_728,
  projectBytes: 67_108_864,
  decoders: 2,
  decodersWaiting: 1_000,
  windowBits: 23,
  discardedBytes: 67_108_864,
  discardIdleMs: 1_000,
  discardMs: 30_000,
  requestsPerSecond: 5_000,
  requestBurst: 20_000,
  itemsPerSecond: 1_000,
  itemBurst: 10_000,
  keepAttachments: false,
  keepReplays: false,
  shareUnderPressure: 0.1,
  backOffSeconds: 60,
};
