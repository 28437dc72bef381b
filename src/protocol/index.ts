export { type AuthSources, type Credentials, keyOfDsn, readCredentials } from "./auth.ts";
export { digestOf, idOfDigest, readDigest } from "./digest.ts";
export { type Dsn, envelopeUrl, readDsn, writeDsn } from "./dsn.ts";
export type { EnvelopeHeader, ItemHeader } from "./envelope/headers.ts";
export { type Category, type ItemKind, type ItemType, isItemType, itemKinds } from "./envelope/item-types.ts";
export {
  type Envelope,
  EnvelopeReader,
  type EnvelopeReading,
  type KeepItem,
  readEnvelope,
  type SkippedItem,
  type SkipReason,
} from "./envelope/read-envelope.ts";
export { type EnvelopeItem, jsonItem, writeEnvelope, writeJsonEnvelope } from "./envelope/write-envelope.ts";
export { readEventId, readSpanId, readTraceId } from "./ids.ts";
export { type ReportedAttachment, readAttachment, readFileName } from "./items/attachment.ts";
export { type AttributeMap, type AttributeValue, readAttributes, textAttribute } from "./items/attributes.ts";
export {
  type BalanceStatement,
  changesIn,
  type NextStep,
  type OpenEntry,
  openPerTally,
  pagesPerStatement,
  readOpenEntry,
  type StatedPage,
  type StatedTally,
  type TalliedBook,
  talliedBooks,
  writeBalance,
  writeEntry,
} from "./items/balance.ts";
export {
  type CheckInStatus,
  type MonitorPlan,
  type MonitorSchedule,
  type ReportedCheckIn,
  readCheckIn,
  readCheckInStatus,
} from "./items/check-in.ts";
export { type ClientReport, type DiscardedEvents, readClientReport } from "./items/client-report.ts";
export {
  type Breadcrumb,
  type DebugImage,
  eventOf,
  type ReportedEvent,
  type ReportedRequest,
  type ReportedUser,
  readEvent,
  type TraceContext,
} from "./items/event.ts";
export type { Mechanism, ReportedException } from "./items/exceptions.ts";
export { type ReportedFeedback, readFeedback, readUserReport } from "./items/feedback.ts";
export type { Frame } from "./items/frames.ts";
export { type EventLevel, readLevel } from "./items/level.ts";
export { type LogLevel, type ReportedLog, readLogs } from "./items/log.ts";
export type { EventMessage } from "./items/message.ts";
export { type ReportedMetric, readMetrics } from "./items/metric.ts";
export { type ReportedReplay, readReplay } from "./items/replay.ts";
export {
  type ReportedSession,
  type ReportedSessionCounts,
  readSession,
  readSessionCounts,
  type SessionAttributes,
  type SessionStatus,
} from "./items/session.ts";
export { type ReportedSpan, readSpans, type SpanLink } from "./items/span.ts";
export {
  type Measurement,
  type ReportedTransaction,
  readTransaction,
  readTransactionRoot,
  type TransactionRoot,
  vitalsOf,
} from "./items/transaction.ts";
export { type JsonBounds, jsonExcess, type LenientReading, readJson, readLeniently } from "./json.ts";
export { type ProtocolLimits, protocolLimits } from "./limits.ts";
export { isObject, type JsonObject, present, type Reading } from "./loose-values.ts";
export { digestOfHex, newEventId, newSpanId, newTraceId } from "./new-ids.ts";
export { type RateLimit, readRateLimits, writeRateLimits } from "./rate-limits.ts";
export { isCardNumber, isSpanId, namedKeys, withoutCardNumbers } from "./secret-shapes.ts";
export {
  readBaggage,
  readSentryTrace,
  readTraceparent,
  type TraceParent,
  writeBaggage,
  writeSentryTrace,
  writeTraceparent,
} from "./trace-headers.ts";
