/**
 * `holdfast/protocol`: the Sentry wire format, read and written. For programs that send reports themselves, or look at
 * what others send.
 * @module
 */
/** The code that a visitor is shown for one occurrence, and the beginning of its event's id. */
/** Where reports of a project go. */
/** One letter with its items. */
export {
  type Dsn,
  digestOf,
  type Envelope,
  type EnvelopeHeader,
  type EnvelopeItem,
  type EnvelopeReading,
  envelopeUrl,
  type ItemHeader,
  jsonItem,
  newEventId,
  type ProtocolLimits,
  protocolLimits,
  readDigest,
  readDsn,
  readEnvelope,
  writeDsn,
  writeEnvelope,
} from "#protocol";
