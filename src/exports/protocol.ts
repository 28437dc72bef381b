// biome-ignore-all assist/source/organizeImports: one block per group, each with its own comment.
/**
 * `holdfast/protocol`: the Sentry wire format, read and written. For programs that send reports themselves, or inspect
 * the reports of other programs.
 * @module
 */

/** The digest is the code that a visitor sees for one occurrence; it is the beginning of the event's id. */
export { digestOf, newEventId, readDigest } from "#protocol";

/** A DSN says where the reports of a project go, and with which key. */
export { type Dsn, envelopeUrl, readDsn, writeDsn } from "#protocol";

/** An envelope is one delivery of reports: a header and items, each with its own header. */
export {
  type Envelope,
  type EnvelopeHeader,
  type EnvelopeItem,
  type EnvelopeReading,
  type ItemHeader,
  jsonItem,
  readEnvelope,
  writeEnvelope,
} from "#protocol";

/** The largest sizes that a reader accepts. Pass other ones to `readEnvelope` where these do not fit. */
export { type ProtocolLimits, protocolLimits } from "#protocol";
