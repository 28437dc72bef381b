import { bindFirst } from "../../bind-first.ts";
import { BodyDamping } from "../bodies/body-damping.ts";
import { type StoreLimits, storeLimits } from "../limits.ts";
import type { SourceMapReader, Store, StoreReader } from "../store.ts";
import { noProblems } from "../store-health.ts";
import type { ChangeRequest } from "../store-requests.ts";
import { checkFiles } from "./check-files.ts";
import { countLasting } from "./erase/count-lasting.ts";
import { erase, readErasureMarks } from "./erase/erase.ts";
import { findErasable } from "./erase/find-erasable.ts";
import { forgetLasting, forgetMapsBefore } from "./forget-lasting.ts";
import { GroupIndex } from "./group-index.ts";
import { addImported } from "./import-rows.ts";
import { changeIssues, wakeIssues } from "./issues/issue-changes.ts";
import { setStuck } from "./issues/set-stuck.ts";
import { changeMonitor, readMonitors, readWatchedAt, setWatchedAt } from "./monitors.ts";
import { readAttachmentBytes, readAttachments } from "./read/read-attachments.ts";
import { readEventRecord, readEventsById, readEventsOf, readFiledEvents, readNeighbours } from "./read/read-events.ts";
import { changeFeedbackDurably, readFeedbackList, readFeedbackRecords } from "./read/read-feedback.ts";
import {
  countIssues,
  hasTag,
  readGroups,
  readHistory,
  readIssue,
  readIssueNews,
  readIssueReleases,
  readIssues,
  readSeries,
  readTags,
} from "./read/read-issues.ts";
import { readRecent, readTrail } from "./read/read-live.ts";
import { readLogsPage } from "./read/read-logs.ts";
import {
  readCounts,
  readDiscards,
  readMeasures,
  readMeasuresBothWays,
  readMeasuresByRoute,
  readReleaseIssues,
  readReleaseMeasures,
  readReleaseNames,
  readReleases,
  readSessions,
} from "./read/read-pages.ts";
import { readRouteSteps } from "./read/read-route.ts";
import { hasTrace, readSegments, readSpansOf, readTrace } from "./read/read-traces.ts";
import {
  readIssueVisitors,
  readNewestEventsOf,
  readVisitorHistory,
  readVisitorsKnownAs,
} from "./read/read-visitor-history.ts";
import { readRecentVisitors } from "./read/read-visitors.ts";
import { addCommits, readReleaseCommits } from "./read/release-commits.ts";
import { addSourceMap, readSourceMap, renewSourceMaps, sourceMapBytes } from "./source-map-rows.ts";
import { StoreFiles } from "./store-files.ts";
import { backup, dropHoursBefore, readDeletions, readPartitions } from "./upkeep.ts";
import { appliedPosition, commitBatch } from "./write/commit-batch.ts";
import { readChunkCounts, readReleaseChunks } from "./write/release-chunks.ts";
import { dropTrafficBefore, readAffected, readTraffic } from "./write/traffic.ts";

/** Opens the store for writing, in the filing thread only. */
export function openSqliteStore(options: { folder: string; limits?: Partial<StoreLimits> }): Store & SourceMapReader {
  const limits = { ...storeLimits, ...options.limits };
  const files = new StoreFiles(options.folder, "write", limits.newNamesPerHour);
  const groups = new GroupIndex(files.meta, limits.newIssuesPerHour);
  const filing = { files, groups, damping: new BodyDamping(limits.bodiesPerIssueAndMinute), limits };
  return {
    ...readerOf(files),
    ...bindFirst(() => filing, { commit: commitBatch, erase, shrinkLasting: forgetLasting }),
    ...bindFirst(() => files, {
      appliedUpTo: appliedPosition,
      makeDurable,
      change: changeDurably,
      addImported,
      changeMonitor,
      setStuck,
      setWatchedAt,
      wake: wakeIssues,
      addSourceMap,
      renewSourceMaps,
      addCommits,
      changeFeedback: changeFeedbackDurably,
      dropSourceMapsBefore: forgetMapsBefore,
      dropHoursBefore,
      dropTrafficBefore,
    }),
    dropPartition: async (name, why) => files.dropWeek(name, why),
    // Counters are written with what they count.
    settled: async () => ({ newIssues: [], regressedIssues: [] }),
    lease: async () => true,
    health: () => ({ kind: "well", problems: noProblems }),
    emptyLogs: async () => files.emptyLogs(),
    splitPartition: async (at) => files.splitWeek(at),
    cutPartition: async (name, toBytes, why) => files.cutWeek(name, toBytes, why),
  };
}

function makeDurable(files: StoreFiles): number {
  const position = appliedPosition(files);
  files.sync();
  return position;
}

function changeDurably(files: StoreFiles, request: ChangeRequest): readonly number[] {
  const changed = changeIssues(files, request);
  // The journal does not contain changes by people, so they must be on disk before the response.
  files.meta.sync();
  return changed;
}

/** Opens the store for reading. Any number of readers work in any thread or process, while one writes. */
export function openSqliteReader(options: { folder: string }): StoreReader & SourceMapReader {
  return readerOf(new StoreFiles(options.folder, "read"));
}

function readerOf(files: StoreFiles): StoreReader & SourceMapReader {
  return {
    ...bindFirst(() => files, reads),
    fetchSourceMaps: async () => undefined,
    sourceMap: (project, debugId) => readSourceMap(files, project, debugId),
    close: () => files.close(),
  };
}

/** Synchronous inside: SQLite runs in the calling thread. */
const reads = {
  issues: readIssues,
  countIssues,
  issue: readIssue,
  history: readHistory,
  issueNews: readIssueNews,
  groupsOf: readGroups,
  series: readSeries,
  tagsOf: readTags,
  hasTag,
  releasesOf: readIssueReleases,
  event: readEventRecord,
  eventsById: readEventsById,
  filedEvents: readFiledEvents,
  eventsOf: readEventsOf,
  neighbours: readNeighbours,
  attachmentsOf: readAttachments,
  attachment: readAttachmentBytes,
  feedback: readFeedbackRecords,
  feedbackList: readFeedbackList,
  trace: readTrace,
  spansOf: readSpansOf,
  hasTrace,
  segments: readSegments,
  measures: readMeasures,
  measuresByRoute: readMeasuresByRoute,
  measuresBothWays: readMeasuresBothWays,
  counts: readCounts,
  routeSteps: readRouteSteps,
  logs: readLogsPage,
  releases: readReleases,
  releaseNames: readReleaseNames,
  releaseIssues: readReleaseIssues,
  releaseMeasures: readReleaseMeasures,
  commits: readReleaseCommits,
  chunkCounts: readChunkCounts,
  releaseChunks: readReleaseChunks,
  sessions: readSessions,
  traffic: readTraffic,
  affected: readAffected,
  monitors: readMonitors,
  watchedAt: readWatchedAt,
  discards: readDiscards,
  recent: readRecent,
  recentVisitors: readRecentVisitors,
  trail: readTrail,
  visitorsKnownAs: readVisitorsKnownAs,
  newestEventsOf: readNewestEventsOf,
  visitorHistory: readVisitorHistory,
  issueVisitors: readIssueVisitors,
  erasable: findErasable,
  erasableLasting: countLasting,
  erasureMarks: readErasureMarks,
  partitions: readPartitions,
  lastingBytes: ({ meta }: StoreFiles) => meta.usedBytes,
  sourceMapBytes,
  deletions: readDeletions,
  check: checkFiles,
  countedUpTo: appliedPosition,
  backup,
};
