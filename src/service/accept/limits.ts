import { type ProtocolLimits, protocolLimits } from "#protocol";

export interface AcceptLimits {
  protocol: ProtocolLimits;
  /** Size of a body as received. */
  compressedBytes: number;
  /** Size of the decompressed body. Decompression stops here, so that a small bomb costs little. */
  inflatedBytes: number;
  /**
   * A body is a bomb if it is larger decompressed than an event may be, and by more than this factor larger than
   * received. Reports reach a factor of 50. Without this limit, 344 bytes cost as much work as 16 MiB.
   */
  inflatedTimes: number;
  /** Decompressed bodies of all current requests together. Leaves most memory of a small machine to others. */
  underWayBytes: number;
  /** Share of one project in it, so that a flood of one leaves room for the others. */
  projectBytes: number;
  /**
   * Bodies decompressed at the same time. Each holds its window and a thread of Node's pool, which has four and also
   * serves files. A decoder never waits for its client, so two keep up with one main thread.
   */
  decoders: number;
  /**
   * Compressed bodies that wait for a decoder. A usual one takes less than 1 ms, so all of them finish within a second.
   */
  decodersWaiting: number;
  /**
   * Window of a decoder as a power of two: 8 MiB, which RFC 8878 recommends that zstd decoders support. Brotli could
   * request 16 MiB, zstd 2 GiB.
   */
  windowBits: number;
  /**
   * Bytes that are read and discarded after a refusal, so that the client can read the reason. Beyond it, the
   * connection is closed.
   */
  discardedBytes: number;
  /**
   * How long the rest of a refused body may pause, so that a client that announces and does not send holds no
   * connection.
   */
  discardIdleMs: number;
  /** How long the whole rest may take. A slow line sends the 20 MiB of a typical mistake at 6 Mbit/s. */
  discardMs: number;
  /** Requests of one project, checked before anything is read: half of what one core can handle. */
  requestsPerSecond: number;
  requestBurst: number;
  /**
   * Items of one category and project: about a quarter of what one core can file, so that no project displaces the
   * others.
   */
  itemsPerSecond: number;
  itemBurst: number;
  keepReplays: boolean;
  /** Share of transactions, spans, logs and metrics that is still accepted when the journal is half full. */
  shareUnderPressure: number;
  /** Longest back-off requested from a client. Clients ignore longer ones. */
  backOffSeconds: number;
}

/** What is kept of the files that clients attach to events. Owners change it in the console. */
export interface AttachmentLimits {
  /** Off: files are left out and counted. Their events are kept. */
  keep: boolean;
  /** One file. A screenshot or a log stays below; larger ones are dumps, which the console cannot show. */
  fileBytes: number;
  /** All files of one envelope: two large ones, so that one event is no archive. */
  eventBytes: number;
  /**
   * All files of one project in a day, in each process: anyone with the public key can send them. In 90 days they take
   * about half of the default disk space. Unused bytes are not saved for the next day.
   */
  dayBytes: number;
}

export const attachmentLimits: AttachmentLimits = {
  keep: true,
  fileBytes: 4_194_304,
  eventBytes: 8_388_608,
  dayBytes: 134_217_728,
};

/** A file counts as so many bytes at least, which bounds the number of small ones: 512 per event by default. */
export const leastFileBytes = 16_384;

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
  keepReplays: false,
  shareUnderPressure: 0.1,
  backOffSeconds: 60,
};
