import type { MonitorPlan, ReportedEvent, ReportedSpan } from "#protocol";
import type { IssueAction, IssueState } from "../issues/issue-state.ts";
import type { SketchSet } from "../sketches/quantile-sketch.ts";
import type { CommitSummary, FilingBatch, LogLine, SegmentKind } from "./filed.ts";
import type { IssueFilter } from "./filter-language.ts";

/** Nothing can be written at the moment: the disk is full or does not answer. What was to be filed is due again. */
export class StoreUnavailable extends Error {
  constructor(cause: unknown) {
    super(`The store cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.name = "StoreUnavailable";
  }
}

/** The side that files. One writer per store. */
export interface StoreWriter {
  /** The journal position before which everything is filed. Reading the journal goes on there. */
  appliedUpTo(): Promise<number>;
  /**
   * Files a batch: rows, counters, sketches, issue states and the position, exactly once after any crash.
   * An event whose id is already there changes nothing. Throws `StoreUnavailable` when nothing can be written now.
   */
  commit(batch: FilingBatch): Promise<CommitSummary>;
  /** Waits until all of it survives a loss of power; returns the position before which the journal may be released. */
  makeDurable(): Promise<number>;
  /**
   * What people do to issues. Returns the issues that changed; unknown ones and those of other projects are left out.
   */
  change(request: ChangeRequest): Promise<readonly number[]>;
  /** Ends what ends by the clock, for example mutes. */
  wake(now: number): Promise<void>;
  /** Returns how many bytes it takes; nothing when these are more than `room`, and it is not kept. */
  addSourceMap(map: SourceMapFile, room?: number): Promise<number | undefined>;
  /** What was built into a release, newest first; takes the place of what was known of it. */
  addCommits(project: number, release: string, commits: readonly Commit[]): Promise<void>;
  /** Throws away what retention no longer wants, whole files at a time. */
  dropPartition(name: string, why: WhyGone): Promise<void>;
  /** Gives up room that only writing needs, such as write-ahead logs. */
  emptyLogs(): Promise<void>;
  /**
   * Ends the partition that is written; what is accepted from then on goes into another, so that this one can be
   * dropped.
   */
  splitPartition(at: number): Promise<void>;
  /** Takes the oldest out of one partition until it has about this size. */
  cutPartition(name: string, toBytes: number, why: WhyGone): Promise<void>;
  /**
   * Makes what outlives the partitions take no more than this: source maps of old builds go, then issues of which no
   * event is kept, then all else that is old.
   */
  shrinkLasting(toBytes: number): Promise<void>;
  /** Source maps of builds that were added before then; of each project the newest builds stay. */
  dropSourceMapsBefore(at: number): Promise<void>;
  /** Hourly counters older than this are dropped; the daily ones stay. */
  dropHoursBefore(at: number): Promise<void>;
}

/** A change of several issues of one project, all or none. */
export interface ChangeRequest {
  project: number;
  issues: readonly number[];
  change: IssueChange;
  by: string;
  at: number;
}

export type IssueChange =
  | IssueAction
  | { kind: "assign"; to: string | undefined }
  | { kind: "comment"; text: string }
  /** Puts the issues into this one. */
  | { kind: "merge"; into: number }
  /** Takes what was merged into the issues out again. */
  | { kind: "split"; groups?: readonly number[] }
  /** Takes back what the same person did to the issues last, if nothing has happened to them since. */
  | { kind: "undo" };

export interface StoreReader {
  issues(query: IssueQuery): Promise<IssuePage>;
  countIssues(project: number, filter: IssueFilter, atMost: number): Promise<number>;
  /** By internal id, or by the number people see. */
  issue(project: number, by: { id: number } | { number: number }): Promise<IssueRecord | undefined>;
  /** This and what follows: an issue of another project is the same as one that does not exist. */
  history(project: number, issue: number): Promise<readonly HistoryEntry[]>;
  groupsOf(project: number, issue: number): Promise<readonly GroupRecord[]>;
  series(query: SeriesQuery): Promise<ReadonlyMap<number, readonly SeriesPoint[]>>;
  tagsOf(project: number, issue: number): Promise<readonly TagCount[]>;
  /** Whether any event of the project has a tag of this name. */
  hasTag(project: number, key: string): Promise<boolean>;
  releasesOf(project: number, issue: number): Promise<readonly IssueReleaseRecord[]>;

  /** By event id, or by the first 15 characters of one, which is what a digest says. */
  event(project: number | undefined, idOrPrefix: string): Promise<EventRecord | undefined>;
  eventsOf(
    project: number,
    issue: number,
    page: { before?: EventCursor; limit: number },
  ): Promise<readonly EventSummary[]>;
  neighbours(event: EventRecord): Promise<Neighbours>;
  attachmentsOf(project: number, eventId: string): Promise<readonly AttachmentRecord[]>;
  feedback(project: number, about?: { eventId: string }): Promise<readonly FeedbackRecord[]>;

  trace(project: number, traceId: string): Promise<TraceRecord>;
  /** Whether any span of it was kept. */
  hasTrace(project: number, traceId: string): Promise<boolean>;
  segments(query: SegmentQuery): Promise<readonly SegmentRecord[]>;
  measures(query: StepQuery): Promise<readonly MeasureRecord[]>;
  /** The same, added up for each route. */
  measuresByRoute(query: StepQuery): Promise<ReadonlyMap<string, SketchSet>>;
  counts(query: CountQuery): Promise<readonly CountRecord[]>;
  logs(query: LogQuery): Promise<readonly LogLine[]>;

  releases(project: number): Promise<readonly ReleaseRecord[]>;
  /** Newest first, without what can be counted of them. */
  releaseNames(project: number): Promise<readonly string[]>;
  releaseMeasures(project: number, release: string): Promise<SketchSet>;
  /** Newest first, from the one that was built; none where the build knew of none. */
  commits(project: number, release: string): Promise<readonly Commit[]>;
  /** For each release whose stacks named built files. */
  chunkCounts(project: number): Promise<ReadonlyMap<string, ChunkCounts>>;
  /** The built files that the stacks of a release named; those without a source map first. */
  releaseChunks(project: number, release: string): Promise<readonly ChunkRecord[]>;
  sessions(project: number, from: number, to: number): Promise<readonly SessionRecord[]>;
  monitors(project: number): Promise<readonly MonitorRecord[]>;
  discards(project: number, from: number, to: number): Promise<readonly DiscardRecord[]>;

  /** What came in after a row, oldest first; without one, the newest. */
  recent(query: RecentQuery): Promise<readonly LiveRecord[]>;
  /** What one visitor met in a span of time, oldest first. Where it is not known who came, a visit is a visitor. */
  trail(query: TrailQuery): Promise<readonly LiveRecord[]>;
  /** Who was here lately, newest first: everybody in so many of the newest views and of the newest events. */
  recentVisitors(project: number, among: number): Promise<readonly VisitorRecord[]>;

  partitions(): Promise<readonly PartitionRecord[]>;
  /** What is kept beside the partitions takes so much: issues, counters, source maps. */
  lastingBytes(): Promise<number>;
  /** What source maps take of it. */
  sourceMapBytes(): Promise<number>;
  /** What retention has thrown away so far. */
  gone(): Promise<readonly GoneRecord[]>;
  /**
   * What is wrong with it, in sentences; empty if all is well. Thorough by default. `goOn` is asked again and again
   * while events are read.
   */
  check(depth?: CheckDepth, goOn?: GoOn): Promise<readonly string[]>;
  /** The journal position before which everything is counted. */
  countedUpTo(): Promise<number>;
  /** Copies everything into a new folder, as of one moment. */
  backup(folder: string): Promise<void>;
  close(): void;
}

/**
 * Source maps, for filing. A batch is read lazily while it is written, so a map is looked up in the middle of it and
 * synchronously. A store on another machine keeps a local copy of its maps for this.
 */
export interface SourceMapReader {
  sourceMap(project: number, debugId: string): SourceMapReading;
}

export type Store = StoreWriter & StoreReader;

/** `quick` looks at the order of the files and at every counter, `thorough` at every packed body as well. */
/**
 * `quick`: the structure of the files, and counters against rows. `bodies`: also every kept event and trace against its
 * checksum. `thorough`: also every index.
 */
export type CheckDepth = "quick" | "bodies" | "thorough";

/** Of so many events so many were read; `false` leaves the rest. */
export type GoOn = (looked: { events: number; of: number }) => boolean;

export type SeriesStep = "hour" | "day";

/** Counters of one project, by the hour or the day. */
export interface StepQuery {
  project: number;
  step: SeriesStep;
  from: number;
  to: number;
}

export interface SeriesQuery extends StepQuery {
  issues: readonly number[];
}

export interface CountQuery extends StepQuery {
  /** Of this counter alone. */
  name?: string;
}

export interface IssueQuery {
  project: number;
  filter: IssueFilter;
  sort: IssueSort;
  after?: IssueCursor;
  limit: number;
}

export type IssueSort = "last-seen" | "first-seen" | "events" | "visitors";

/** The sort value and id of the last row seen: the next page begins after it, even if more was filed meanwhile. */
export interface IssueCursor {
  value: number;
  id: number;
}

export interface IssuePage {
  issues: readonly IssueRecord[];
  next?: IssueCursor;
}

export interface IssueRecord {
  id: number;
  project: number;
  /** What people call it: 1, 2, 3 … in each project. */
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
  firstRelease: string | undefined;
  lastRelease: string | undefined;
  lastEventId: string;
  assignee: string | undefined;
  mergedInto: number | undefined;
}

export interface HistoryEntry {
  at: number;
  by: string;
  what:
    | { kind: "state"; from: IssueState; to: IssueState }
    | { kind: "assigned"; to: string | undefined; from?: string | undefined }
    | { kind: "comment"; text: string }
    /** `groups` came with the other issue; absent in the history of the one that went. */
    | { kind: "merged"; issue: number; groups?: readonly number[] }
    | { kind: "split"; issue: number }
    | { kind: "undone"; what: "state" | "assigned" | "comment" | "merged" | "split" };
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

export interface EventRecord extends EventSummary {
  body: EventBody;
}

export type EventBody =
  | { kind: "whole"; event: ReportedEvent }
  /** Only its row was kept, because very many of its kind arrived in that minute. */
  | { kind: "damped" }
  /** The bytes on the disk are no longer what was written. */
  | { kind: "damaged" };

export interface EventCursor {
  at: number;
  rowId: number;
}

export interface Neighbours {
  older: string | undefined;
  newer: string | undefined;
  oldest: string | undefined;
  newest: string | undefined;
}

export interface AttachmentRecord {
  filename: string;
  contentType: string | undefined;
  bytes: Uint8Array;
}

export interface FeedbackRecord {
  at: number;
  eventId: string | undefined;
  name: string | undefined;
  email: string | undefined;
  url: string | undefined;
  message: string;
}

export interface TraceRecord {
  spans: readonly ReportedSpan[];
  segments: readonly SegmentRecord[];
  events: readonly EventSummary[];
  logs: readonly LogLine[];
  /** Blocks of spans that could not be read any more. */
  damaged: number;
}

export interface SegmentQuery {
  project: number;
  route: string;
  kind?: SegmentKind;
  from: number;
  to: number;
  /** Only those that took at least / at most so long, for examples around a percentile. */
  minMs?: number;
  maxMs?: number;
  limit: number;
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
}

export interface MeasureRecord {
  route: string;
  at: number;
  sketches: SketchSet;
}

export interface CountRecord {
  name: string;
  route: string;
  label: string;
  at: number;
  n: number;
}

export interface LogQuery {
  project: number;
  from: number;
  to: number;
  /** Every word must occur in the line. */
  text?: string;
  levels?: readonly string[];
  limit: number;
}

export interface RecentQuery {
  project: number;
  /** The row that was read last; without one, the newest rows. */
  after?: number | undefined;
  limit: number;
}

export interface TrailQuery {
  project: number;
  visitor: number;
  from: number;
  to: number;
}

export interface ReleaseRecord {
  name: string;
  firstSeen: number;
  lastSeen: number;
  events: number;
  newIssues: number;
  /** They came back in it, and are still open. */
  regressedIssues: number;
  /** Said to be fixed in it, and not seen since. */
  resolvedIn: number;
  /** Said to be fixed in the one that follows it. */
  resolvedAfter: number;
}

/** The author is named without the mail address, which is private. */
export interface Commit {
  hash: string;
  author: string;
  at: number;
  subject: string;
}

export interface ChunkCounts {
  chunks: number;
  withoutMap: number;
}

export interface ChunkRecord {
  /** Absent for everything that has none: one record stands for all of it. */
  debugId: string | undefined;
  file: string;
  /** Events that a map gave their lines, and events that came when there was none. */
  mapped: number;
  unmapped: number;
  /** Whether there is one now. */
  hasMap: boolean;
  /** An example: without lines, if there is such a one. */
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

export interface MonitorRecord {
  name: string;
  environment: string | undefined;
  lastStatus: string;
  lastAt: number;
  lastDurationMs: number | undefined;
  /** As its client said it last. */
  plan: MonitorPlan | undefined;
  ok: number;
  failed: number;
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
      visitor: number | undefined;
    }
  | { kind: "log"; rowId: number; at: number; line: LogLine };

export interface VisitorRecord {
  visitor: number;
  views: number;
  errors: number;
  /** Where they were last. */
  route: string | undefined;
  release: string | undefined;
  /** What came last from them. */
  last: { at: number; kind: "event" | SegmentKind };
  lastEventId: string | undefined;
}

/** A map belongs to a project: another project's event can name its debug id and still does not get it. */
export interface SourceMapFile {
  project: number;
  debugId: string;
  /** The build that it belongs to. */
  release: string | undefined;
  map: string;
  /** When it was added; those of old builds go first. */
  addedAt?: number;
}

export type SourceMapReading = { kind: "found"; map: string } | { kind: "absent" } | { kind: "damaged" };

export interface PartitionRecord {
  name: string;
  from: number;
  to: number;
  bytes: number;
  /**
   * What came before it in its week lies in another file, or has gone. Of the oldest: it had to make room before its
   * time.
   */
  isLater: boolean;
}

/** Why something is thrown away: it is too old, all together takes more than it may, or the disk is nearly full. */
export type WhyGone = "age" | "bytes" | "low-disk";

export interface GoneRecord {
  what: "events" | "issues" | "source-maps" | "days";
  why: WhyGone;
  n: number;
}
