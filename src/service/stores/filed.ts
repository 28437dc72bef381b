import type { EventLevel, LogLevel, MonitorPlan } from "#protocol";
import type { Grouping } from "../grouping/group-event.ts";
import type { Title } from "../grouping/title.ts";

/**
 * Input of a store: parsed, scrubbed, mapped and grouped. Each item of an envelope is one filed item. Its row id is
 * derived from its place in the journal, so that a replayed item recognises its own row.
 */
export type FiledItem =
  | FiledEvent
  | FiledSpans
  | FiledSession
  | FiledSessionCounts
  | FiledLogs
  | FiledMetrics
  | FiledFeedback
  | FiledCheckIn
  | FiledAttachment
  | FiledDiscards
  | FiledIssue;

export interface RowKey {
  rowId: number;
  project: number;
}

interface FiledRow extends RowKey {
  /** When the service accepted it. Determines the weekly file. */
  receivedAt: number;
}

/**
 * The journal counts in bytes and every item takes more than one, so the envelope's position plus the item's number is
 * unique.
 */
export function rowIdOf(position: number, item: number): number {
  return position + item;
}

export interface FiledEvent extends FiledRow {
  kind: "event";
  /** 32 hexadecimal characters. */
  eventId: string;
  /** A second id that its sender may know: the payload's, if the envelope's header has another. */
  otherId: string | undefined;
  /** When it happened, by the client's corrected clock. */
  at: number;
  grouping: Grouping;
  title: Title;
  level: EventLevel;
  platform: string | undefined;
  route: string | undefined;
  release: string | undefined;
  environment: string | undefined;
  traceId: string | undefined;
  /** The visitor, as a 52-bit hash. */
  visitor: number | undefined;
  /** Hash of the visit, to follow it if the visitor is unknown. Never counted. */
  session: number | undefined;
  /** Hashes of the visitor's other identities, for example an e-mail address beside an id. */
  aliases: readonly number[];
  /** Hash of the visitor's network address. */
  address?: number | undefined;
  tags: readonly (readonly [key: string, value: string])[];
  /** Frames of the application, for the text search. */
  stackText: string;
  /** Other searchable text: types, messages, route. */
  searchText: string;
  /** The person whom a rule names. Called only for an event that makes or reopens an issue. */
  owner?: (() => RuleOwner | undefined) | undefined;
  /** Files of built code in its stacks. */
  chunks: readonly FiledChunk[];
  body: StoredJson;
  /** Of an imported event: whether its body is stored, as it was before. Otherwise a store decides by the minute. */
  storesBody?: boolean;
}

/** An issue that is imported, before its events. Nothing happens if one of its fingerprints is known. */
export interface FiledIssue
  extends FiledRow,
    Pick<FiledEvent, "at" | "eventId" | "grouping" | "level" | "platform" | "release" | "route" | "title"> {
  kind: "issue";
  /** Its number if that is free, else the next one. */
  number: number | undefined;
  /** Person who imports it. */
  by: string;
}

/** A person who gets an issue, and the ownership rule that says so: `route:/orders/**`. */
export interface RuleOwner {
  to: string;
  rule: string;
}

/** A file of built code in a stack, and whether its source map was available. */
export interface FiledChunk {
  /** Undefined if the build assigned none. Then no source map matches. */
  debugId: string | undefined;
  file: string;
  mapped: boolean;
}

/**
 * An event, or the spans of a transaction, as JSON: as the client sent it if nothing had to be mapped, corrected or
 * removed, else as parsed. `event-json.ts` and `spans-json.ts` read both.
 */
export interface StoredJson {
  form: "reported" | "filed";
  bytes: Uint8Array;
}

export interface FiledSpans extends FiledRow {
  kind: "spans";
  traceId: string;
  /** The same for a second delivery of the same spans. */
  key: number;
  at: number;
  /** The spans, or the transaction that contains them. */
  body: StoredJson;
  segments: readonly FiledSegment[];
  measures: readonly FiledMeasure[];
  counts: readonly FiledCount[];
}

/** A count by route and label. */
export interface FiledCount {
  name: string;
  route: string;
  label: string;
  at: number;
  n: number;
}

/** Root span of one process in a trace. */
export interface FiledSegment {
  spanId: string;
  route: string;
  op: SegmentKind;
  at: number;
  durationMs: number;
  status: string;
  release: string | undefined;
  environment: string | undefined;
  visitor: number | undefined;
  session: number | undefined;
}

export type SegmentKind = "pageload" | "navigation" | "request" | "task";

/** A measured value of a route: a duration or a vital. */
export interface FiledMeasure {
  /** As far as the span itself knows it. */
  route: string;
  /** Vitals arrive long after their page load. The segment they belong to knows the route better. */
  segmentId?: string;
  measure: string;
  at: number;
  value: number;
  release: string | undefined;
}

export interface FiledSession extends FiledRow {
  kind: "session";
  sessionId: string;
  startedAt: number;
  ended: "well" | "with-errors" | "crashed" | "abnormal";
  release: string | undefined;
  environment: string | undefined;
}

export interface FiledSessionCounts extends FiledRow {
  kind: "session-counts";
  startedAt: number;
  started: number;
  errored: number;
  crashed: number;
  abnormal: number;
  release: string | undefined;
  environment: string | undefined;
}

export interface FiledLogs extends FiledRow {
  kind: "logs";
  lines: readonly LogLine[];
}

export interface LogLine {
  at: number;
  level: LogLevel;
  body: string;
  traceId?: string;
  spanId?: string;
  attributes: Readonly<Record<string, unknown>>;
}

/** Counts and measures: navigations by outcome, prefetches, full loads, the application's own. */
export interface FiledMetrics extends FiledRow {
  kind: "metrics";
  measures: readonly FiledMeasure[];
  counts: readonly FiledCount[];
}

export interface FiledFeedback extends FiledRow {
  kind: "feedback";
  at: number;
  eventId: string | undefined;
  name: string | undefined;
  email: string | undefined;
  url: string | undefined;
  message: string;
  ownId: string | undefined;
  facts: FeedbackFacts;
}

/** What else is known about a visitor's words. */
export interface FeedbackFacts {
  /** Where they were written: `error-page`, `page`, `widget`. */
  source?: string;
  route?: string;
  release?: string;
  environment?: string;
  traceId?: string;
  /** The visitor's last steps, oldest first. */
  steps?: readonly { at?: number; kind?: string; text: string }[];
}

export interface FiledCheckIn extends FiledRow {
  kind: "check-in";
  at: number;
  monitor: string;
  checkInId: string | undefined;
  status: "in_progress" | "ok" | "error";
  durationMs: number | undefined;
  environment: string | undefined;
  /** Schedule of the task, as its client last sent it. */
  plan: MonitorPlan | undefined;
}

export interface FiledAttachment extends FiledRow {
  kind: "attachment";
  eventId: string;
  /** Row of the event in the same envelope. If that is a second delivery, so is this. */
  eventRow: number | undefined;
  filename: string;
  contentType: string | undefined;
  bytes: Uint8Array;
}

/** Items that clients or filing dropped, and the reasons. */
export interface FiledDiscards extends FiledRow {
  kind: "discards";
  discards: readonly { reason: string; category: string; at: number; n: number }[];
}

export interface FilingBatch {
  /** Everything in the journal before this position is in this batch or an earlier one. */
  upTo: number;
  /** In journal order. Iterated once, and traces are not retained. */
  items: Iterable<FiledItem>;
}

export interface CommitSummary {
  events: number;
  /** Events already filed under the same id. */
  duplicates: number;
  newIssues: readonly number[];
  /** Events without their own issue, because too many issues were new in this hour. */
  collected: number;
  regressedIssues: readonly number[];
}
