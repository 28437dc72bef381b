import type { EventLevel, LogLevel, MonitorPlan } from "#protocol";
import type { Grouping } from "../grouping/group-event.ts";
import type { Title } from "../grouping/title.ts";

/**
 * What filing hands to a store: already read, scrubbed, mapped and grouped. One item of an envelope is one filed item,
 * and its row id is derived from its place in the journal, so that a replayed item recognises its own row.
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
  | FiledDiscards;

interface Place {
  rowId: number;
  project: number;
  /** When the service accepted it; decides the file it lies in. */
  receivedAt: number;
}

/**
 * The journal counts in bytes and every item takes more than one, so the item's number added to its envelope's position
 * names it alone.
 */
export function rowIdOf(position: number, item: number): number {
  return position + item;
}

export interface FiledEvent extends Place {
  kind: "event";
  /** 32 hexadecimal characters. */
  eventId: string;
  /** A second id that its sender may know it by: the payload's, where the envelope's header has another. */
  otherId: string | undefined;
  /** When it happened, by the client's clock, corrected. */
  at: number;
  grouping: Grouping;
  title: Title;
  level: EventLevel;
  platform: string | undefined;
  route: string | undefined;
  release: string | undefined;
  environment: string | undefined;
  traceId: string | undefined;
  /** Who it happened to, as a 52-bit hash. */
  visitor: number | undefined;
  /** The visit it belongs to, as a hash too: for following it where the visitor is not known. Never counted. */
  session: number | undefined;
  /** Hashes of what else the visitor is known by, for example an e-mail address beside an id. */
  aliases: readonly number[];
  tags: readonly (readonly [key: string, value: string])[];
  /** The application's frames, for the text search. */
  stackText: string;
  /** What else the text search shall find: types, messages, route. */
  searchText: string;
  /** The files of built code that its stacks name. */
  chunks: readonly FiledChunk[];
  body: KeptJson;
}

/** A file of built code that a stack names, and whether its source map was there to give the frames their lines. */
export interface FiledChunk {
  /** Absent where the build has given it none: then no source map can be matched. */
  debugId: string | undefined;
  file: string;
  mapped: boolean;
}

/**
 * An event, or the spans of a transaction, as JSON: as the client sent it, when there was nothing to be mapped,
 * corrected or taken out, else as it was read. `event-json.ts` and `spans-json.ts` read both.
 */
export interface KeptJson {
  form: "reported" | "filed";
  bytes: Uint8Array;
}

export interface FiledSpans extends Place {
  kind: "spans";
  traceId: string;
  /** The same for a second delivery of the same spans. */
  key: number;
  at: number;
  /** The spans, or the transaction that has them. */
  body: KeptJson;
  segments: readonly FiledSegment[];
  measures: readonly FiledMeasure[];
  counts: readonly FiledCount[];
}

/** Something that is only counted, by route and by a label that tells one count of a name from another. */
export interface FiledCount {
  name: string;
  route: string;
  label: string;
  at: number;
  n: number;
}

/** The root of what one process did for one trace. */
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

/** One measured value of a route: a duration or a vital. */
export interface FiledMeasure {
  /** As far as the span itself knows it. */
  route: string;
  /** Vitals come long after their page load: the segment they belong to knows the route better. */
  segmentId?: string;
  measure: string;
  at: number;
  value: number;
  release: string | undefined;
}

export interface FiledSession extends Place {
  kind: "session";
  sessionId: string;
  startedAt: number;
  ended: "well" | "with-errors" | "crashed" | "abnormal";
  release: string | undefined;
  environment: string | undefined;
}

export interface FiledSessionCounts extends Place {
  kind: "session-counts";
  startedAt: number;
  started: number;
  errored: number;
  crashed: number;
  abnormal: number;
  release: string | undefined;
  environment: string | undefined;
}

export interface FiledLogs extends Place {
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

/** Things that are only counted or measured: navigations by outcome, prefetches, full loads, the application's own. */
export interface FiledMetrics extends Place {
  kind: "metrics";
  measures: readonly FiledMeasure[];
  counts: readonly FiledCount[];
}

export interface FiledFeedback extends Place {
  kind: "feedback";
  at: number;
  eventId: string | undefined;
  name: string | undefined;
  email: string | undefined;
  url: string | undefined;
  message: string;
}

export interface FiledCheckIn extends Place {
  kind: "check-in";
  at: number;
  monitor: string;
  checkInId: string | undefined;
  status: "in_progress" | "ok" | "error";
  durationMs: number | undefined;
  environment: string | undefined;
  /** When the task should run, as its client said it this time. */
  plan: MonitorPlan | undefined;
}

export interface FiledAttachment extends Place {
  kind: "attachment";
  eventId: string;
  filename: string;
  contentType: string | undefined;
  bytes: Uint8Array;
}

/** What was left out before it came here, and why: by clients, or by filing itself. */
export interface FiledDiscards extends Place {
  kind: "discards";
  discards: readonly { reason: string; category: string; at: number; n: number }[];
}

export interface FilingBatch {
  /** Everything in the journal before this position is in this batch or was in an earlier one. */
  upTo: number;
  /** In the order of the journal. Walked once, and nothing of a trace is held after its turn. */
  items: Iterable<FiledItem>;
}

export interface CommitSummary {
  events: number;
  /** Events that had already been filed under the same id. */
  duplicates: number;
  newIssues: readonly number[];
  /** Events that had no issue of their own, because too many issues were new in this hour. */
  collected: number;
  regressedIssues: readonly number[];
}
