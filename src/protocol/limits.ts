/** Sizes the protocol allows. Where no reason stands, the number is the one the widely used receivers agree on. */
export interface ProtocolLimits {
  /** One header line, of the envelope or of an item. Real ones stay below 1 KiB. */
  headerLineBytes: number;
  itemsPerEnvelope: number;
  /** All payloads of one envelope that are kept, together: what one request may hold in memory. */
  keptBytes: number;
  /** All skipped payloads of one envelope together, such as attachments that are not kept. */
  skippedBytes: number;
  /** Error event, transaction, feedback. */
  eventBytes: number;
  /** One container of spans, logs or metrics. */
  containerBytes: number;
  attachmentBytes: number;
  /** Session, check-in, client report, user report. */
  smallItemBytes: number;
  replayBytes: number;
  /** Deeper than anything an error carries; a parser's or a writer's stack is never in question. */
  jsonDepth: number;
  /**
   * In one small payload; and of one event, entries that are kept of contexts, extra, variables and other values with
   * names of the client's own choice. An event with 250 frames of 20 variables each stays below.
   */
  jsonKeys: number;
  /**
   * In one payload of spans, logs or metrics: up to a thousand items of up to 250 keys each. Events have no bound but
   * their bytes, in which there is room for fewer; what they have too much is left out when they are read.
   */
  containerKeys: number;
  tags: number;
  frames: number;
  /** Before and after the line of a frame. */
  contextLines: number;
  breadcrumbs: number;
  /** Packages that an application says it is made of. */
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
  skippedBytes: 16_777_216,
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
