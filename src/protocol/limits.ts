/** Sizes that the protocol allows. Numbers without a reason are those of the common receivers. */
export interface ProtocolLimits {
  /** One header line, of the envelope or of an item. Real ones stay below 1 KiB. */
  headerLineBytes: number;
  itemsPerEnvelope: number;
  /** All kept payloads of one envelope together: the memory that one request may use. */
  keptBytes: number;
  /**
   * All skipped payloads of one envelope together, such as attachments that are not kept. More than one body may have
   * unless it is packed, so that a file that is not kept does not cost its event.
   */
  skippedBytes: number;
  /** Error event, transaction, feedback. */
  eventBytes: number;
  /** One container of spans, logs or metrics. */
  containerBytes: number;
  attachmentBytes: number;
  /** Session, check-in, client report, user report. */
  smallItemBytes: number;
  replayBytes: number;
  /** Deeper than any error; low enough that no parser or writer overflows its stack. */
  jsonDepth: number;
  /**
   * Keys of one small payload; and, per event, kept entries of contexts, extra, variables and other values whose names
   * the client chooses. An event with 250 frames of 20 variables each stays below.
   */
  jsonKeys: number;
  /**
   * Keys of one payload of spans, logs or metrics: up to a thousand items of up to 250 keys each. Events are limited by
   * their bytes, which hold fewer; excess entries are dropped when they are read.
   */
  containerKeys: number;
  tags: number;
  frames: number;
  /** Lines before and after the line of a frame. */
  contextLines: number;
  breadcrumbs: number;
  /** Packages that an application lists as its dependencies. */
  modules: number;
  spansPerTransaction: number;
  itemsPerContainer: number;
  exceptions: number;
  /** Names, tags, short texts. */
  shortText: number;
  /** Messages and exception values. */
  longText: number;
}

export const protocolLimits: ProtocolLimits = {
  headerLineBytes: 8_192,
  itemsPerEnvelope: 500,
  keptBytes: 25_165_824,
  skippedBytes: 33_554_432,
  eventBytes: 1_048_576,
  containerBytes: 12_582_912,
  attachmentBytes: 104_857_600,
  smallItemBytes: 102_400,
  replayBytes: 10_485_760,
  jsonDepth: 64,
  jsonKeys: 10_000,
  containerKeys: 250_000,
  tags: 100,
  frames: 250,
  contextLines: 20,
  breadcrumbs: 100,
  modules: 2_000,
  spansPerTransaction: 1_000,
  itemsPerContainer: 1_000,
  exceptions: 50,
  shortText: 200,
  longText: 8_192,
};
