import { messageOf } from "#errors";
import type { ReportedSpan } from "#protocol";
import type { SketchSet } from "../sketches/quantile-sketch.ts";
import type {
  ErasablePage,
  ErasableQuery,
  ErasureCounts,
  ErasureMark,
  ErasureOutcome,
  ErasureStep,
  LastingQuery,
} from "./erase/erasure.ts";
import type { CommitSummary, FilingBatch } from "./filed.ts";
import type { IssueFilter } from "./filter-language.ts";
import type { ImportRequest } from "./portable/add-imported.ts";
import type {
  AffectedRecord,
  AttachmentRecord,
  AttachmentSummary,
  ChunkCounts,
  ChunkRecord,
  Commit,
  CountRecord,
  DeletionReason,
  DeletionRecord,
  DiscardRecord,
  EventRecord,
  EventSummary,
  FeedbackRecord,
  FiledStart,
  GroupRecord,
  HistoryEntry,
  IssueNews,
  IssueRecord,
  IssueReleaseRecord,
  IssueVisitorsRecord,
  LiveRecord,
  MeasureRecord,
  MeasuresBothWays,
  MonitorRecord,
  Neighbours,
  PartitionRecord,
  ReleaseIssueRecord,
  ReleaseRecord,
  RouteRecord,
  SegmentRecord,
  SeriesPoint,
  SessionRecord,
  SourceMapBuild,
  SourceMapFile,
  SourceMapName,
  SourceMapReading,
  TagCount,
  TraceRecord,
  TrafficRecord,
  VisitorHistory,
  VisitorRecord,
} from "./records.ts";
import type { StoreHealth } from "./store-health.ts";
import type {
  BothWaysQuery,
  ChangeRequest,
  CheckDepth,
  CountQuery,
  EventCursor,
  FeedbackChange,
  FeedbackQuery,
  FeedbackSubject,
  IssuePage,
  IssueQuery,
  IssueVisitorsQuery,
  LogPage,
  LogQuery,
  MonitorChange,
  RecentQuery,
  RouteQuery,
  SegmentQuery,
  SeriesQuery,
  ShouldContinue,
  StepQuery,
  StuckGroup,
  TrafficAges,
  TrafficQuery,
  TrailQuery,
  VisitorHistoryQuery,
} from "./store-requests.ts";

/** Nothing can be written now: the disk is full or fails, or the database is away. The items are due again. */
export class StoreUnavailable extends Error {
  constructor(cause: unknown) {
    super(`The store cannot be written: ${messageOf(cause)}`, { cause });
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
  /** Adds figures and states of an imported project. Resolves with the number of steps whose group is unknown. */
  addImported(request: ImportRequest): Promise<number>;
  /** Resolves when the change is written. */
  changeMonitor(change: MonitorChange): Promise<void>;
  /** Writes the time at which check-ins were evaluated last. */
  setWatchedAt(at: number): Promise<void>;
  /** Resolves with the changed rows. */
  changeFeedback(change: FeedbackChange): Promise<readonly number[]>;
  /** Ends states that end by time, for example mutes. */
  wake(now: number): Promise<void>;
  /** Resolves with the size of the map, or with undefined if it exceeds `room` and is not stored. */
  addSourceMap(map: SourceMapFile, room?: number): Promise<number | undefined>;
  /** Marks the stored ones of these maps as part of the build, so that they stay as long as it. Resolves with them. */
  renewSourceMaps(build: SourceMapBuild): Promise<ReadonlySet<string>>;
  /** Stores the commits of a release, newest first. Replaces earlier ones. */
  addCommits(project: number, release: string, commits: readonly Commit[]): Promise<void>;
  /** Deletes a partition, which is a whole file. */
  dropPartition(name: string, why: DeletionReason): Promise<void>;
  /** Frees disk space that only writing needs, such as write-ahead logs. */
  emptyLogs(): Promise<void>;
  /** Closes the current partition. Later items go into another, so that this one can be deleted. */
  splitPartition(at: number): Promise<void>;
  /** Deletes the oldest rows of a partition until it has about this size. */
  cutPartition(name: string, toBytes: number, why: DeletionReason): Promise<void>;
  /**
   * Shrinks the data that outlives the partitions to this size: deletes source maps of old builds, then issues without
   * stored events, then everything else that is old.
   */
  shrinkLasting(toBytes: number): Promise<void>;
  /** Deletes source maps of builds that were added before then. The newest builds of each project stay. */
  dropSourceMapsBefore(at: number): Promise<void>;
  /** Deletes hourly counters before this time. The daily ones stay. */
  dropHoursBefore(at: number): Promise<void>;
  /** Deletes old quarters of an hour, and old hours of visitors with an error. */
  dropTrafficBefore(ages: TrafficAges): Promise<void>;
  /**
   * Sets how many visitors of each group got no further. Those of an issue are the sum of its groups, also after a
   * merge or split. Unknown groups are left out.
   */
  setStuck(project: number, groups: readonly StuckGroup[]): Promise<void>;
  /** Executes one bounded piece of an erasure. */
  erase(step: ErasureStep): Promise<ErasureOutcome>;
  /** Whether the store can be written, as far as this process has seen. A store in files is always well. */
  health(): StoreHealth;
  /**
   * Takes or renews a lease for work that one process at a time does. True if this writer has it for so many
   * milliseconds. Always true where there is one writer.
   */
  lease(name: string, ms: number): Promise<boolean>;
}

export interface StoreReader {
  issues(query: IssueQuery): Promise<IssuePage>;
  countIssues(project: number, filter: IssueFilter, atMost: number): Promise<number>;
  /** Finds an issue by internal id, or by its visible number. */
  issue(project: number, by: { id: number } | { number: number }): Promise<IssueRecord | undefined>;
  /** For this and the following: an issue of another project is treated like one that does not exist. */
  history(project: number, issue: number): Promise<readonly HistoryEntry[]>;
  /** Regressions after one that an earlier answer has named, the oldest first. */
  issueNews(project: number, afterRegression: number, limit: number): Promise<IssueNews>;
  groupsOf(project: number, issue: number): Promise<readonly GroupRecord[]>;
  series(query: SeriesQuery): Promise<ReadonlyMap<number, readonly SeriesPoint[]>>;
  tagsOf(project: number, issue: number): Promise<readonly TagCount[]>;
  /** Whether any event of the project has a tag of this name. */
  hasTag(project: number, key: string): Promise<boolean>;
  releasesOf(project: number, issue: number): Promise<readonly IssueReleaseRecord[]>;

  /** Finds an event by id, or by the first 15 characters of one, which a digest encodes. */
  event(project: number | undefined, idOrPrefix: string): Promise<EventRecord | undefined>;
  /** Those events that begin with one of these 15 characters, without their bodies. Thousands at once cost little. */
  filedEvents(project: number, starts: readonly string[]): Promise<readonly FiledStart[]>;
  /** Those of these events that are stored, in any order. */
  eventsById(project: number, ids: readonly string[]): Promise<readonly EventRecord[]>;
  eventsOf(
    project: number,
    issue: number,
    page: { before?: EventCursor; limit: number },
  ): Promise<readonly EventSummary[]>;
  neighbours(event: EventRecord): Promise<Neighbours>;
  /** Without their bytes, at most 200. */
  attachmentsOf(project: number, eventId: string): Promise<readonly AttachmentSummary[]>;
  attachment(project: number, eventId: string, id: number): Promise<AttachmentRecord | undefined>;
  /** Newest first. Without a subject, the newest 200. */
  feedback(project: number, about?: FeedbackSubject): Promise<readonly FeedbackRecord[]>;
  feedbackList(query: FeedbackQuery): Promise<readonly FeedbackRecord[]>;

  trace(project: number, traceId: string): Promise<TraceRecord>;
  /** Spans of several traces, by the id of the trace. One without spans is left out. */
  spansOf(project: number, traceIds: readonly string[]): Promise<ReadonlyMap<string, readonly ReportedSpan[]>>;
  /** Whether any of its spans is stored. */
  hasTrace(project: number, traceId: string): Promise<boolean>;
  segments(query: SegmentQuery): Promise<readonly SegmentRecord[]>;
  measures(query: StepQuery): Promise<readonly MeasureRecord[]>;
  /** The same, summed for each route. */
  measuresByRoute(query: StepQuery): Promise<ReadonlyMap<string, SketchSet>>;
  /** The same, and some of them summed for each hour or day that has any. The rows are read once for both. */
  measuresBothWays(query: BothWaysQuery): Promise<MeasuresBothWays>;
  counts(query: CountQuery): Promise<readonly CountRecord[]>;
  /** Reads only the rows of the route, so that one among hundreds costs little. */
  routeSteps(query: RouteQuery): Promise<RouteRecord>;
  /** A page of lines, newest first. */
  logs(query: LogQuery): Promise<LogPage>;

  releases(project: number): Promise<readonly ReleaseRecord[]>;
  /** Newest first, without counts. */
  releaseNames(project: number): Promise<readonly string[]>;
  /** Issues with events of a release, most frequent first. */
  releaseIssues(project: number, release: string, limit: number): Promise<readonly ReleaseIssueRecord[]>;
  releaseMeasures(project: number, release: string): Promise<SketchSet>;
  /** Newest first, from the built one. Empty if the build recorded none. */
  commits(project: number, release: string): Promise<readonly Commit[]>;
  /** For each release with built files in its stacks. */
  chunkCounts(project: number): Promise<ReadonlyMap<string, ChunkCounts>>;
  /** Built files in the stacks of a release, those without a source map first. */
  releaseChunks(project: number, release: string): Promise<readonly ChunkRecord[]>;
  /** Errors and visits, oldest first. Nothing is known of the time before the store was updated to count them. */
  traffic(query: TrafficQuery): Promise<readonly TrafficRecord[]>;
  /** Visitors with an error, by hours, oldest first. */
  affected(project: number, from: number, to: number): Promise<readonly AffectedRecord[]>;
  sessions(project: number, from: number, to: number): Promise<readonly SessionRecord[]>;
  /** Without a project, those of all. */
  monitors(project: number | undefined): Promise<readonly MonitorRecord[]>;
  /** Undefined if check-ins were never evaluated. */
  watchedAt(): Promise<number | undefined>;
  discards(project: number, from: number, to: number): Promise<readonly DiscardRecord[]>;

  /** Records after a row, oldest first. Without a row, the newest. */
  recent(query: RecentQuery): Promise<readonly LiveRecord[]>;
  /** Records of one visitor in a period, oldest first. If the visitor is unknown, a visit counts as one. */
  trail(query: TrailQuery): Promise<readonly LiveRecord[]>;
  /** Recent visitors, newest first: all in this many of the newest views and of the newest events. */
  recentVisitors(project: number, among: number): Promise<readonly VisitorRecord[]>;
  /** Stored visitors with this hash as their own or as an alias, for example that of an e-mail address beside an id. */
  visitorsKnownAs(project: number, identity: number): Promise<readonly number[]>;
  /** A few of the newest events of each of these visitors, in any order. */
  newestEventsOf(project: number, visitors: readonly number[], each: number): Promise<readonly EventRecord[]>;
  /** The newest records of one visitor, with the events of servers for them. */
  visitorHistory(query: VisitorHistoryQuery): Promise<VisitorHistory>;
  /** Visitors, or anonymous visits, in this many of the newest events of an issue, the most recent first. */
  issueVisitors(query: IssueVisitorsQuery): Promise<IssueVisitorsRecord>;

  /** Finds some rows of a partition that an erasure deletes. */
  erasable(query: ErasableQuery): Promise<ErasablePage>;
  /** Counts what an erasure deletes beside the rows of partitions: feedback and issues. */
  erasableLasting(query: LastingQuery): Promise<ErasureCounts>;
  /** What was erased, as hashes. */
  erasureMarks(): Promise<readonly ErasureMark[]>;

  partitions(): Promise<readonly PartitionRecord[]>;
  /** Size of the data beside the partitions: issues, counters, source maps. */
  lastingBytes(): Promise<number>;
  /** Share of source maps in it. */
  sourceMapBytes(): Promise<number>;
  /** Amounts deleted by retention so far. */
  deletions(): Promise<readonly DeletionRecord[]>;
  /**
   * Describes the problems of the store. Empty if there are none. Thorough by default. `shouldContinue` is called
   * repeatedly while events are read.
   */
  check(depth?: CheckDepth, shouldContinue?: ShouldContinue): Promise<readonly string[]>;
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
