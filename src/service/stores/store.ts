import type { MonitorPlan, ReportedEvent, ReportedSpan } from "#protocol";
import type { IssueAction, IssueState } from "../issues/issue-state.ts";
import type { SketchSet } from "../sketches/quantile-sketch.ts";
import type { CommitSummary, FilingBatch, LogLine, SegmentKind } from "./filed.ts";
import type { IssueFilter } from "./filter-language.ts";

/** Nothing can be written at the moment: the disk is full or fails. The items are due again. */
export class StoreUnavailable extends Error {
  constructor(cause: unknown) {
    super(`The store cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.name = "StoreUnavailable";
  }
}

/** The filing side. One writer per data folder. */
export interface StoreWriter {
  /** Journal position before which everything is filed. Reading the journal continues from it. */
  appliedUpTo(): Promise<number>;
  /**
   * Files a batch: rows, counters, sketches, issue states and the position, exactly once after any crash. An event with
   * a known id changes nothing. Throws `StoreUnavailable` if nothing can be written now.
   */
  commit(batch: FilingBatch): Promise<CommitSummary>;
  /**
   * Resolves when everything that was filed is counted. A store that counts after filing names the new and regressed
   * issues here.
   */
  settled(): Promise<Pick<CommitSummary, "newIssues" | "regressedIssues">>;
  /** Resolves when everything survives a power loss, with the position before which the journal may be released. */
  makeDurable(): Promise<number>;
  /**
   * Changes issues for a person. Resolves with the changed issues, without unknown ones and those of other projects.
   */
  change(request: ChangeRequest): Promise<readonly number[]>;
  /** Ends states that end by time, for example mutes. */
  wake(now: number): Promise<void>;
  /** Resolves with the size of the map, or with undefined if it exceeds `room` and is not stored. */
  addSourceMap(map: SourceMapFile, room?: number): Promise<number | undefined>;
  /** Stores the commits of a release, newest first. Replaces earlier ones. */
  addCommits(project: number, release: string, commits: readonly Commit[]): Promise<void>;
  /** Deletes a partition, which is a whole file. */
  dropPartition(name: string, why: WhyGone): Promise<void>;
  /** Frees disk space that only writing needs, such as write-ahead logs. */
  emptyLogs(): Promise<void>;
  /** Closes the current partition. Later items go into another, so that this one can be deleted. */
  splitPartition(at: number): Promise<void>;
  /** Deletes the oldest rows of a partition until it has about this size. */
  cutPartition(name: string, toBytes: number, why: WhyGone): Promise<void>;
  /**
   * Shrinks the data that outlives the partitions to this size: deletes source maps of old builds, then issues without
   * stored events, then everything else that is old.
   */
  shrinkLasting(toBytes: number): Promise<void>;
  /** Deletes source maps of builds that were added before then. The newest builds of each project stay. */
  dropSourceMapsBefore(at: number): Promise<void>;
  /** Deletes hourly counters before this time. The daily ones stay. */
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
  /** Merges the issues into this one. */
  | { kind: "merge"; into: number }
  /** Splits off what was merged into the issues. */
  | { kind: "split"; groups?: readonly number[] }
  /** Undoes the last change of the same person to the issues, if nothing has happened to them since. */
  | { kind: "undo" };

export interface StoreReader {
  issues(query: IssueQuery): Promise<IssuePage>;
  countIssues(project: number, filter: IssueFilter, atMost: number): Promise<number>;
  /** Finds an issue by internal id, or by its visible number. */
  issue(project: number, by: { id: number } | { number: number }): Promise<IssueRecord | undefined>;
  /** For this and the following: an issue of another project is treated like one that does not exist. */
  history(project: number, issue: number): Promise<readonly HistoryEntry[]>;
  groupsOf(project: number, issue: number): Promise<readonly GroupRecord[]>;
  series(query: SeriesQuery): Promise<ReadonlyMap<number, readonly SeriesPoint[]>>;
  tagsOf(project: number, issue: number): Promise<readonly TagCount[]>;
  /** Whether any event of the project has a tag of this name. */
  hasTag(project: number, key: string): Promise<boolean>;
  releasesOf(project: number, issue: number): Promise<readonly IssueReleaseRecord[]>;

  /** Finds an event by id, or by the first 15 characters of one, which a digest encodes. */
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
  /** Whether any of its spans is stored. */
  hasTrace(project: number, traceId: string): Promise<boolean>;
  segments(query: SegmentQuery): Promise<readonly SegmentRecord[]>;
  measures(query: StepQuery): Promise<readonly MeasureRecord[]>;
  /** The same, summed for each route. */
  measuresByRoute(query: StepQuery): Promise<ReadonlyMap<string, SketchSet>>;
  counts(query: CountQuery): Promise<readonly CountRecord[]>;
  logs(query: LogQuery): Promise<readonly LogLine[]>;

  releases(project: number): Promise<readonly ReleaseRecord[]>;
  /** Newest first, without counts. */
  releaseNames(project: number): Promise<readonly string[]>;
  releaseMeasures(project: number, release: string): Promise<SketchSet>;
  /** Newest first, from the built one. Empty if the build recorded none. */
  commits(project: number, release: string): Promise<readonly Commit[]>;
  /** For each release with built files in its stacks. */
  chunkCounts(project: number): Promise<ReadonlyMap<string, ChunkCounts>>;
  /** Built files in the stacks of a release, those without a source map first. */
  releaseChunks(project: number, release: string): Promise<readonly ChunkRecord[]>;
  sessions(project: number, from: number, to: number): Promise<readonly SessionRecord[]>;
  monitors(project: number): Promise<readonly MonitorRecord[]>;
  discards(project: number, from: number, to: number): Promise<readonly DiscardRecord[]>;

  /** Records after a row, oldest first. Without a row, the newest. */
  recent(query: RecentQuery): Promise<readonly LiveRecord[]>;
  /** Records of one visitor in a period, oldest first. If the visitor is unknown, a visit counts as one. */
  trail(query: TrailQuery): Promise<readonly LiveRecord[]>;
  /** Recent visitors, newest first: all in this many of the newest views and of the newest events. */
  recentVisitors(project: number, among: number): Promise<readonly VisitorRecord[]>;

  partitions(): Promise<readonly PartitionRecord[]>;
  /** Size of the data beside the partitions: issues, counters, source maps. */
  lastingBytes(): Promise<number>;
  /** Share of source maps in it. */
  sourceMapBytes(): Promise<number>;
  /** Amounts deleted by retention so far. */
  gone(): Promise<readonly GoneRecord[]>;
  /**
   * Describes the problems of the store. Empty if there are none. Thorough by default. `goOn` is called repeatedly
   * while events are read.
   */
  check(depth?: CheckDepth, goOn?: GoOn): Promise<readonly string[]>;
  /** Journal position before which everything is counted. */
  countedUpTo(): Promise<number>;
  /** Copies everything into a new folder, as of one moment. */
  backup(folder: string): Promise<void>;
  close(): void;
}

/**
 * Source maps for filing. A batch is read lazily while it is written, so a map is looked up synchronously in the middle
 * of it.
 */
export interface SourceMapReader {
  /** Loads these maps before a batch is read. Does nothing in a store that reads them synchronously. */
  fetchSourceMaps(wanted: readonly SourceMapName[]): Promise<void>;
  /** Finds a map that was fetched before. */
  sourceMap(project: number, debugId: string): SourceMapReading;
}

export type Store = StoreWriter & StoreReader;

/**
 * `quick`: structure of the files, and counters against rows. `bodies`: also every stored event and trace against its
 * checksum. `thorough`: also every index.
 */
export type CheckDepth = "quick" | "bodies" | "thorough";

/** Called with the number of read events and the total. Returns `false` to skip the rest. */
export type GoOn = (looked: { events: number; of: number }) => boolean;

export type SeriesStep = "hour" | "day";

/** Counters of one project, by hour or day. */
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
  /** Only this counter. */
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

/** Sort value and id of the last row. The next page begins after it, even if more was filed meanwhile. */
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
    /** `groups` were part of the other issue. Undefined in the history of the merged issue itself. */
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
  /** Only its row was stored, because very many of its kind arrived in that minute. */
  | { kind: "damped" }
  /** The bytes on disk have changed. */
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
  /** Number of unreadable blocks of spans. */
  damaged: number;
}

export interface SegmentQuery {
  project: number;
  route: string;
  kind?: SegmentKind;
  from: number;
  to: number;
  /** Minimum and maximum duration, for examples around a percentile. */
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
  /** The last read row. Without one, the newest rows are returned. */
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
  /** Issues that regressed in it and are still open. */
  regressedIssues: number;
  /** Issues resolved in it, and not seen since. */
  resolvedIn: number;
  /** Issues resolved in the release after it. */
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

export interface MonitorRecord {
  name: string;
  environment: string | undefined;
  lastStatus: string;
  lastAt: number;
  lastDurationMs: number | undefined;
  /** As its client last sent it. */
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
  /** Their last page. */
  route: string | undefined;
  release: string | undefined;
  /** Their last record. */
  last: { at: number; kind: "event" | SegmentKind };
  lastEventId: string | undefined;
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
export type WhyGone = "age" | "bytes" | "low-disk";

export interface GoneRecord {
  what: "events" | "issues" | "source-maps" | "days";
  why: WhyGone;
  n: number;
}
