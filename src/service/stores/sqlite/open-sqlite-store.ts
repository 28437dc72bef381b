import type { GoneRecord, Store, StoreReader } from "../store.ts";
import { checkFiles } from "./check-files.ts";
import { forgetLasting, forgetMapsBefore } from "./forget-lasting.ts";
import { GroupIndex } from "./group-index.ts";
import { changeIssues, wakeIssues } from "./issues/issue-changes.ts";
import { type SqliteStoreLimits, sqliteStoreLimits } from "./limits.ts";
import {
  readAttachments,
  readEventRecord,
  readEventsOf,
  readFeedbackRecords,
  readNeighbours,
} from "./read/read-events.ts";
import {
  countIssues,
  hasTag,
  readGroups,
  readHistory,
  readIssue,
  readIssueReleases,
  readIssues,
  readSeries,
  readTags,
} from "./read/read-issues.ts";
import { readRecent, readTrail } from "./read/read-live.ts";
import {
  readCounts,
  readDiscards,
  readMeasures,
  readMeasuresByRoute,
  readMonitors,
  readReleaseMeasures,
  readReleaseNames,
  readReleases,
  readSessions,
} from "./read/read-pages.ts";
import { hasTrace, readLogLines, readSegments, readTrace } from "./read/read-traces.ts";
import { readRecentVisitors } from "./read/read-visitors.ts";
import { addCommits, readReleaseCommits } from "./read/release-commits.ts";
import { addSourceMap, readSourceMap, sourceMapBytes } from "./source-map-rows.ts";
import { StoreFiles } from "./store-files.ts";
import { backup, dropHoursBefore, readPartitions } from "./upkeep.ts";
import { BodyDamping } from "./week/body-damping.ts";
import { appliedPosition, commitBatch } from "./write/commit-batch.ts";
import { readChunkCounts, readReleaseChunks } from "./write/release-chunks.ts";

/** The writing side, for the one thread that files. */
export function openSqliteStore(options: { folder: string; limits?: Partial<SqliteStoreLimits> }): Store {
  const limits = { ...sqliteStoreLimits, ...options.limits };
  const files = new StoreFiles(options.folder, "write", limits.newNamesPerHour);
  const groups = new GroupIndex(files.meta, limits.newIssuesPerHour);
  const filing = { files, groups, damping: new BodyDamping(limits.bodiesPerIssueAndMinute), limits };
  return {
    ...readerOf(files),
    appliedUpTo: () => appliedPosition(files),
    commit: (batch) => commitBatch(filing, batch),
    makeDurable() {
      const position = appliedPosition(files);
      files.sync();
      return position;
    },
    change(project, issues, change, by, at) {
      const changed = changeIssues(files, project, issues, change, by, at);
      // The journal does not hold what people do, so it must be on disk before the response.
      files.meta.sync();
      return changed;
    },
    wake: (now) => wakeIssues(files, now),
    addSourceMap: (map, room) => addSourceMap(files, map, room),
    addCommits: (project, release, commits) => addCommits(files, project, release, commits),
    dropPartition: (name, why) => files.dropWeek(name, why),
    emptyLogs: () => files.emptyLogs(),
    splitPartition: (at) => files.splitWeek(at),
    cutPartition: (name, toBytes, why) => files.cutWeek(name, toBytes, why),
    shrinkLasting: (toBytes) => forgetLasting(files, groups, toBytes),
    dropSourceMapsBefore: (at) => forgetMapsBefore(files, at),
    dropHoursBefore: (at) => dropHoursBefore(files, at),
  };
}

/** The reading side: as many as wanted, in any thread or process, while one writes. */
export function openSqliteReader(options: { folder: string }): StoreReader {
  return readerOf(new StoreFiles(options.folder, "read"));
}

function readerOf(files: StoreFiles): StoreReader {
  return {
    issues: (query) => readIssues(files, query),
    countIssues: (project, filter, atMost) => countIssues(files, project, filter, atMost),
    issue: (project, by) => readIssue(files, project, by),
    history: (project, issue) => readHistory(files, project, issue),
    groupsOf: (project, issue) => readGroups(files, project, issue),
    series: (project, issues, step, from, to) => readSeries(files, project, issues, step, from, to),
    tagsOf: (project, issue) => readTags(files, project, issue),
    hasTag: (project, key) => hasTag(files, project, key),
    releasesOf: (project, issue) => readIssueReleases(files, project, issue),
    event: (project, idOrPrefix) => readEventRecord(files, project, idOrPrefix),
    eventsOf: (project, issue, page) => readEventsOf(files, project, issue, page),
    neighbours: (event) => readNeighbours(files, event),
    attachmentsOf: (project, eventId) => readAttachments(files, project, eventId),
    feedback: (project, about) => readFeedbackRecords(files, project, about),
    trace: (project, traceId) => readTrace(files, project, traceId),
    hasTrace: (project, traceId) => hasTrace(files, project, traceId),
    segments: (query) => readSegments(files, query),
    measures: (project, step, from, to) => readMeasures(files, project, step, from, to),
    measuresByRoute: (project, step, from, to) => readMeasuresByRoute(files, project, step, from, to),
    counts: (project, step, from, to, name) => readCounts(files, project, step, from, to, name),
    logs: (query) => readLogLines(files, query),
    releases: (project) => readReleases(files, project),
    releaseNames: (project) => readReleaseNames(files, project),
    releaseMeasures: (project, release) => readReleaseMeasures(files, project, release),
    commits: (project, release) => readReleaseCommits(files, project, release),
    chunkCounts: (project) => readChunkCounts(files, project),
    releaseChunks: (project, release) => readReleaseChunks(files, project, release),
    sessions: (project, from, to) => readSessions(files, project, from, to),
    monitors: (project) => readMonitors(files, project),
    discards: (project, from, to) => readDiscards(files, project, from, to),
    recent: (project, after, limit) => readRecent(files, project, after, limit),
    recentVisitors: (project, among) => readRecentVisitors(files, project, among),
    trail: (project, visitor, from, to) => readTrail(files, project, visitor, from, to),
    sourceMap: (project, debugId) => readSourceMap(files, project, debugId),
    partitions: () => readPartitions(files),
    lastingBytes: () => files.meta.usedBytes,
    sourceMapBytes: () => sourceMapBytes(files),
    gone: () => files.meta.all<GoneRecord>("SELECT what, why, n FROM gone ORDER BY what, why"),
    check: (depth = "thorough", goOn) => checkFiles(files, depth, goOn),
    countedUpTo: () => appliedPosition(files),
    backup: (folder) => backup(files, folder),
    close: () => files.close(),
  };
}
