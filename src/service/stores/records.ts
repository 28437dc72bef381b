import type { CheckInStatus, EventLevel, MonitorPlan, ReportedEvent, ReportedSpan } from "#protocol";
import type { IssueState } from "../issues/issue-state.ts";
import type { SketchSet } from "../sketches/quantile-sketch.ts";
import type { FeedbackFacts, LogLine, SegmentKind } from "./filed.ts";

export interface IssueRecord {
  id: number;
  project: number;
  /** Visible number: 1, 2, 3 … in each project. */
  number: number;
  state: IssueState;
  type: string | undefined;
  title: string;
  culprit: string | undefined;
  level: string;
  platform: string | undefined;
  route: string | undefined;
  firstSeen: number;
  lastSeen: number;
  events: number;
  visitors: number;
  /** Visitors who met it and reached nothing afterwards, in the last four weeks. */
  stuck: number;
  firstRelease: string | undefined;
  lastRelease: string | undefined;
  lastEventId: string;
  assignee: string | undefined;
  /** Address of its ticket elsewhere. */
  ticket: string | undefined;
  mergedInto: number | undefined;
}

/** What happened to issues of a project since it was last asked about. */
export interface IssueNews {
  /** Number of the newest issue, or 0. */
  lastNumber: number;
  /** Identifies the newest regression, or 0. */
  lastRegression: number;
  /** Issues that events have reopened, in the order in which it happened. `change` identifies the regression. */
  regressed: readonly { change: number; issue: number; at: number }[];
}

export interface HistoryEntry {
  at: number;
  by: string;
  what:
    | { kind: "state"; from: IssueState; to: IssueState }
    /** With the ownership rule, if no person did it. */
    | { kind: "assigned"; to: string | undefined; from?: string | undefined; rule?: string }
    | { kind: "ticket"; to: string | undefined; from?: string | undefined }
    /** With the numbers of the issues that it names. */
    | { kind: "comment"; text: string; mentions?: readonly number[] }
    /** A comment on the other issue names this one. No change of this one, so that undoing ignores it. */
    | { kind: "mentioned"; issue: number }
    /** `groups` were part of the other issue. Undefined in the history of the merged issue itself. */
    | { kind: "merged"; issue: number; groups?: readonly number[] }
    | { kind: "split"; issue: number }
    /** An import has created the issue. No change of it, so that undoing ignores it. */
    | { kind: "imported" }
    | { kind: "undone"; what: "state" | "assigned" | "ticket" | "comment" | "merged" | "split" };
}

export interface IssueReleaseRecord {
  release: string;
  firstSeen: number;
  lastSeen: number;
  events: number;
}

/** All events with one fingerprint. An issue has one group, until issues are merged. */
export interface GroupRecord {
  id: number;
  issue: number;
  events: number;
  firstSeen: number;
  lastSeen: number;
  /** Why its events belong together. */
  rule: string;
  parts: readonly string[];
  version: number;
}

export interface SeriesPoint {
  at: number;
  n: number;
}

export interface TagCount {
  key: string;
  value: string;
  n: number;
}

export interface EventSummary {
  rowId: number;
  eventId: string;
  project: number;
  issue: number;
  at: number;
  receivedAt: number;
  level: string;
  route: string | undefined;
  release: string | undefined;
  environment: string | undefined;
  traceId: string | undefined;
  visitor: number | undefined;
}

/** A stored event, by the beginning of its id. */
export interface FiledStart {
  start: string;
  group: number;
  visitor: number | undefined;
}

export interface EventRecord extends EventSummary {
  body: EventBody;
}

export type EventBody =
  | { kind: "whole"; event: ReportedEvent }
  /** Only its row was stored, because very many of its kind arrived in that minute. */
  | { kind: "damped" }
  /** The bytes on disk have changed. */
  | { kind: "damaged" };

export interface Neighbours {
  older: string | undefined;
  newer: string | undefined;
  oldest: string | undefined;
  newest: string | undefined;
}

/** A file that came with an event. */
export interface AttachmentSummary {
  id: number;
  filename: string;
  /** As its client said. */
  contentType: string | undefined;
  /** Undefined if its bytes have changed on disk. */
  size: number | undefined;
}

export interface AttachmentRecord extends Omit<AttachmentSummary, "size"> {
  bytes: Uint8Array;
}

export interface FeedbackRecord {
  id: number;
  /** Its own id, by which its sender knows it. */
  ownId: string | undefined;
  at: number;
  eventId: string | undefined;
  name: string | undefined;
  email: string | undefined;
  url: string | undefined;
  message: string;
  facts: FeedbackFacts;
  /** When a person has put it aside. Undefined while it is open. */
  archivedAt: number | undefined;
}

export interface TraceRecord {
  spans: readonly ReportedSpan[];
  segments: readonly SegmentRecord[];
  events: readonly EventSummary[];
  logs: readonly LogLine[];
  /** Number of unreadable blocks of spans. */
  damaged: number;
}

export interface SegmentRecord {
  traceId: string;
  spanId: string;
  route: string;
  kind: SegmentKind;
  at: number;
  durationMs: number;
  status: string;
  release: string | undefined;
  environment: string | undefined;
  /** The visitor, or the visit if that is unknown. */
  visitor: number | undefined;
}

export interface MeasureRecord {
  route: string;
  at: number;
  sketches: SketchSet;
}

/** Sums of measures by route, and of some of them by the beginning of their hour or day. */
export interface MeasuresBothWays {
  byRoute: ReadonlyMap<string, SketchSet>;
  byStep: ReadonlyMap<number, SketchSet>;
}

export interface CountRecord {
  name: string;
  route: string;
  label: string;
  at: number;
  n: number;
}

/** Measures and counters of one route, oldest first. */
export interface RouteRecord {
  measures: readonly Omit<MeasureRecord, "route">[];
  counts: readonly Omit<CountRecord, "route">[];
}

export interface ReleaseRecord {
  name: string;
  firstSeen: number;
  lastSeen: number;
  events: number;
  newIssues: number;
  /** Issues that regressed in it and are still open. */
  regressedIssues: number;
  /** Issues resolved in it, and not seen since. */
  resolvedIn: number;
  /** Issues resolved in the release after it. */
  resolvedAfter: number;
}

/** Events of an issue in one release. */
export interface ReleaseIssueRecord {
  issue: number;
  events: number;
}

/** The author is named without the mail address, which is private. */
export interface Commit {
  hash: string;
  author: string;
  at: number;
  subject: string;
  /** Files that it touches, from the root of the repository. */
  files?: readonly string[];
  /** Issues that its message says it fixes. */
  fixes?: readonly FixedIssue[];
}

/** As a commit names it: by its number alone, or by a link that names the project too. */
export interface FixedIssue {
  number: number;
  project?: number;
}

export interface ChunkCounts {
  chunks: number;
  withoutMap: number;
}

export interface ChunkRecord {
  /** Undefined for files without one, which share a record. */
  debugId: string | undefined;
  file: string;
  /** Events with a map, and events that arrived without one. */
  mapped: number;
  unmapped: number;
  /** Whether the map exists now. */
  hasMap: boolean;
  /** An example, if possible one without a map. */
  lastEventId: string;
}

export interface SessionRecord {
  at: number;
  release: string | undefined;
  environment: string | undefined;
  started: number;
  errored: number;
  crashed: number;
  abnormal: number;
}

/** What happened in a project in one step. A step without anything has no record. */
export interface TrafficRecord {
  at: number;
  errors: number;
  /** Error pages that visitors saw. */
  errorPages: number;
  /** Sessions that began. */
  visits: number;
  /** Those of them that had an error, whenever it happened. */
  failedVisits: number;
}

/** Visitors with an error in one hour: a sketch, which can be merged with others. An hour without any has no record. */
export interface AffectedRecord {
  at: number;
  visitors: Uint8Array;
}

/** Identifies a scheduled task. Each environment has its own. */
export interface MonitorName {
  project: number;
  name: string;
  environment: string | undefined;
}

export interface MonitorRecord extends MonitorName {
  lastStatus: string;
  lastAt: number;
  lastDurationMs: number | undefined;
  /** As its client last sent it. */
  plan: MonitorPlan | undefined;
  ok: number;
  failed: number;
  /** Its first check-in. Nothing is expected before. */
  firstAt: number;
  isMuted: boolean;
  /** The newest runs, in the order in which they were first reported. */
  runs: readonly MonitorRun[];
  /** What its evaluation has found so far, as JSON. Undefined before the first time. */
  watch: string | undefined;
}

/** One run of a scheduled task. */
export interface MonitorRun {
  /** As its check-ins name it. */
  id?: string;
  status: CheckInStatus;
  startedAt: number;
  endedAt?: number;
  durationMs?: number;
  /** Counts the runs of the task that have ended, from 1. */
  serial?: number;
}

export interface DiscardRecord {
  at: number;
  reason: string;
  category: string;
  n: number;
}

export type LiveRecord =
  | {
      kind: "event";
      rowId: number;
      at: number;
      eventId: string;
      issue: number;
      title: string;
      level: string;
      route: string | undefined;
      environment: string | undefined;
      traceId: string | undefined;
      visitor: number | undefined;
    }
  | {
      kind: "segment";
      rowId: number;
      at: number;
      traceId: string;
      route: string;
      segment: SegmentKind;
      durationMs: number;
      status: string;
      environment: string | undefined;
      visitor: number | undefined;
    }
  | { kind: "log"; rowId: number; at: number; line: LogLine };

export interface VisitorRecord {
  visitor: number;
  views: number;
  errors: number;
  /** Their last page. */
  route: string | undefined;
  release: string | undefined;
  /** Their last record. An event has a level: it may be a warning or a message. */
  last: { at: number; kind: "event" | SegmentKind; level: EventLevel | undefined };
  lastEventId: string | undefined;
}

/** The newest records of a visitor. Servers often do not know the visitor: their events are found by the trace. */
export interface VisitorHistory {
  /** Newest first. */
  events: readonly EventRecord[];
  segments: readonly SegmentRecord[];
  /** Time of the first record of all. Undefined if there is none. */
  firstAt: number | undefined;
  /** Whether there are older ones. */
  hasMore: boolean;
}

/** A visitor in the newest events of an issue. */
export interface IssueVisitorRecord {
  visitor: number;
  events: number;
  firstAt: number;
  lastAt: number;
  lastEventId: string;
  /** Of the last event. */
  release: string | undefined;
}

/** A page of the visitors of an issue. */
export interface IssueVisitorsRecord {
  visitors: readonly IssueVisitorRecord[];
  /** In all pages. */
  total: number;
}

/** A map belongs to a project: an event of another project can name its debug id, but does not get it. */
export interface SourceMapFile {
  project: number;
  debugId: string;
  /** Its build. */
  release: string | undefined;
  map: string;
  /** When it was added. Those of old builds are deleted first. */
  addedAt?: number;
}

/** All maps of a build by their debug ids. */
export interface SourceMapBuild {
  project: number;
  release: string | undefined;
  debugIds: readonly string[];
  addedAt: number;
}

export interface SourceMapName {
  project: number;
  debugId: string;
}

export type SourceMapReading = { kind: "found"; map: string } | { kind: "absent" } | { kind: "damaged" };

export interface PartitionRecord {
  name: string;
  from: number;
  to: number;
  bytes: number;
  /**
   * Whether an earlier part of its week is in another file or deleted. If the oldest partition has it, events were
   * deleted early.
   */
  isLater: boolean;
}

/** Reason of a deletion: too old, over the size limit, or the disk is nearly full. */
export type DeletionReason = "age" | "bytes" | "low-disk";

export interface DeletionRecord {
  what: "events" | "issues" | "source-maps" | "days";
  why: DeletionReason;
  n: number;
}
