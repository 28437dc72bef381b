/** Sizes the protocol allows. Where no reason stands, the number is the one the widely used receivers agree on. */
export interface ProtocolLimits {
  /** One header line, of the envelope or of an item. Real ones stay below 1 KiB. */
  headerLineBytes: number;
  itemsPerEnvelope: number;
  /** All payloads of one envelope that are kept, together: what one request may hold in memory. */
  keptBytes: number;
  /** All payloads of one envelope that are stepped over, together: what a file beside an event may be that nobody wants to keep. */
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
  /** In one payload. An event with 250 frames, their variables and 2,000 modules stays below. */
  jsonKeys: number;
  /** The same for transactions and containers, which hold up to a thousand spans of up to 250 keys each. */
  containerKeys: number;
  tags: number;
  frames: number;
  /** Before and after the line of a frame. */
  contextLines: number;
  breadcrumbs: number;
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
  spansPerTransaction: 1_000,
  itemsPerContainer: 1_000,
  exceptions: 50,
  shortText: 200,
  longText: 8_192,
};
