import { bindFirst } from "../../bind-first.ts";
import { BodyDamping } from "../bodies/body-damping.ts";
import { type StoreLimits, storeLimits } from "../limits.ts";
import { RecentlySeen } from "../recently-seen.ts";
import type { Commit, SourceMapFile } from "../records.ts";
import { type SourceMapReader, type Store, type StoreReader, StoreUnavailable } from "../store.ts";
import { checkDatabase } from "./check-database.ts";
import { type Connections, connect, type Pool } from "./connect/connections.ts";
import { HealthRecord } from "./connect/health.ts";
import { isUnavailable } from "./connect/problems.ts";
import { Repeat } from "./connect/repeat.ts";
import { countLasting } from "./erase/count-lasting.ts";
import { type EraseDeps, erase, readErasureMarks } from "./erase/erase.ts";
import { newEraseState } from "./erase/erase-state.ts";
import { findErasable } from "./erase/find-erasable.ts";
import { postgresErrors } from "./errors.ts";
import { Folds } from "./fold/folds.ts";
import { Groups } from "./groups.ts";
import { addImported } from "./import-rows.ts";
import { changeIssues, wakeIssues } from "./issues/issue-changes.ts";
import { setStuck } from "./issues/set-stuck.ts";
import { takeLease } from "./lease.ts";
import { type PostgresLimits, postgresLimits } from "./limits.ts";
import { migrate, requireCurrent } from "./migrations/migrate.ts";
import { changeMonitor, readMonitors, readWatchedAt, setWatchedAt } from "./monitors.ts";
import { isBeingMoved } from "./move/is-being-moved.ts";
import { Names } from "./names.ts";
import { Parts } from "./parts.ts";
import { readAttachmentBytes, readAttachments } from "./read/read-attachments.ts";
import { readEventRecord, readEventsById, readEventsOf, readFiledEvents, readNeighbours } from "./read/read-events.ts";
import { changeFeedback, readFeedbackList, readFeedbackRecords } from "./read/read-feedback.ts";
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
  readChunkCounts,
  readCommits,
  readCounts,
  readDiscards,
  readMeasures,
  readMeasuresBothWays,
  readMeasuresByRoute,
  readReleaseChunks,
  readReleaseIssues,
  readReleaseMeasures,
  readReleaseNames,
  readReleases,
  readSessions,
} from "./read/read-pages.ts";
import { readRouteSteps } from "./read/read-route.ts";
import { hasTrace, readSegments, readSpansOf, readTrace } from "./read/read-traces.ts";
import { readAffected, readTraffic } from "./read/read-traffic.ts";
import {
  readIssueVisitors,
  readNewestEventsOf,
  readVisitorHistory,
  readVisitorsKnownAs,
} from "./read/read-visitor-history.ts";
import { readRecentVisitors } from "./read/read-visitors.ts";
import type { ReadDeps } from "./read/reader.ts";
import { References } from "./references.ts";
import { RowIds } from "./row-ids.ts";
import { addSourceMap, LocalSourceMaps, renewSourceMaps, sourceMapBytes } from "./source-maps.ts";
import {
  cutPart,
  dropHoursBefore,
  dropPart,
  dropTrafficBefore,
  forgetMapsBefore,
  lastingBytes,
  readDeletions,
  readPartitions,
  shrinkLasting,
} from "./upkeep.ts";
import { type AppendDeps, commitBatch } from "./write/commit-batch.ts";
import { FilingPause } from "./write/filing-pause.ts";
import { Writer } from "./write/writer.ts";

export interface PostgresOptions {
  /** `postgres://…` */
  readonly address: string;
  /** Names the data folder whose journal is filed; its position is kept under this name. */
  readonly writer: string;
  readonly limits?: Partial<StoreLimits>;
  readonly connections?: Partial<PostgresLimits>;
}

/** The writing side. Any number of processes may have one, each for its own data folder. */
export async function openPostgresStore(options: PostgresOptions): Promise<Store & SourceMapReader> {
  const limits = { ...storeLimits, ...options.limits };
  const ownLimits = { ...postgresLimits, ...options.connections };
  const health = new HealthRecord();
  const connections = await connect(options.address, ownLimits, health);
  try {
    if (await isBeingMoved(connections.upkeep)) throw postgresErrors.moveUnfinished();
    await migrate(connections.upkeep);
  } catch (error) {
    await connections.close();
    throw error;
  }
  const filing = filingOf(connections, options.writer, { limits, ownLimits, health });
  const beat = new Repeat(ownLimits.sweepMs, async () => {
    // A service that nothing is reported to has to notice by itself that the database is back.
    if (health.now().kind === "away") await filing.writer.probe();
    await filing.folds.foldLeft();
  });
  const maps = new LocalSourceMaps(connections.preparing);
  const { preparing, upkeep } = connections;
  const erasing: EraseDeps = {
    pool: upkeep,
    forget: () => forgetCaches(filing),
    settled: () => filing.folds.settled(),
    state: newEraseState(),
  };
  let knownMarks: string | undefined;
  return {
    ...readerOf(connections, options.writer, maps),
    ...bindFirst(() => filing, { commit: commitBatch }),
    ...bindFirst(() => erasing, { erase }),
    ...bindFirst(() => ({ pool: upkeep, names: filing.names, settled: erasing.settled }), { addImported }),
    async erasureMarks() {
      const marks = await readErasureMarks(preparing);
      // Another process has deleted groups, names or references that may be cached here.
      const version = `${marks.length} ${Math.max(0, ...marks.map(({ at }) => at))}`;
      if (knownMarks !== undefined && version !== knownMarks) erasing.forget();
      knownMarks = version;
      return marks;
    },
    ...bindFirst(() => preparing, {
      change: changeIssues,
      changeFeedback,
      changeMonitor,
      addCommits,
      renewSourceMaps,
      setStuck,
    }),
    ...bindFirst(() => upkeep, {
      setWatchedAt,
      wake: wakeIssues,
      dropPartition: dropPart,
      cutPartition: cutPart,
      shrinkLasting,
      dropSourceMapsBefore: forgetMapsBefore,
      dropHoursBefore,
      dropTrafficBefore,
    }),
    appliedUpTo: async () => (await filing.writer.current()).position,
    // A commit that was answered is as durable as the database makes it.
    makeDurable: async () => (await filing.writer.current()).position,
    health: () => health.now(),
    lease: (name, ms) => takeLease(preparing, options.writer, name, ms),
    settled: () => filing.folds.settled(),
    addSourceMap: async (file: SourceMapFile, room?: number) => {
      maps.forget(file);
      return addSourceMap(preparing, file, room);
    },
    // The database looks after its own logs.
    emptyLogs: async () => undefined,
    splitPartition: (at) => filing.parts.split(at),
    close() {
      beat.close();
      filing.folds.close();
      void connections.close();
    },
  };
}

function filingOf(
  connections: Connections,
  writer: string,
  { limits, ownLimits, health }: { limits: StoreLimits; ownLimits: PostgresLimits; health: HealthRecord },
): AppendDeps {
  const { preparing, filing, folding } = connections;
  const names = new Names(preparing, limits.newNamesPerHour);
  const ids = new RowIds(preparing);
  return {
    connections,
    names,
    ids,
    groups: new Groups(preparing, ids, limits.newIssuesPerHour),
    parts: new Parts(preparing),
    references: new References(),
    damping: new BodyDamping(limits.bodiesPerIssueAndMinute),
    writer: new Writer(filing, writer),
    pause: new FilingPause(ownLimits),
    health,
    folds: new Folds({ pool: folding, names, recentTexts: new RecentlySeen(20_000), limits, health }, ownLimits),
  };
}

function forgetCaches({ groups, names, references }: AppendDeps): void {
  groups.forget();
  names.forget();
  references.forget();
}

/** The reading side: as many as wanted, in any process. */
export async function openPostgresReader(
  options: Omit<PostgresOptions, "limits">,
): Promise<StoreReader & SourceMapReader> {
  const connections = await connect(options.address, { ...postgresLimits, ...options.connections });
  try {
    await requireCurrent(connections.reading);
  } catch (error) {
    await connections.close();
    throw error;
  }
  return readerOf(connections, options.writer, new LocalSourceMaps(connections.reading));
}

function readerOf(connections: Connections, writer: string, maps: LocalSourceMaps): StoreReader & SourceMapReader {
  const { reading } = connections;
  const deps: ReadDeps = { pool: reading, names: new Names(reading) };
  return {
    ...bindFirst(() => deps, questions),
    ...bindFirst(() => reading, ofDatabase),
    countedUpTo: () => countedUpTo(reading, writer),
    backup: async () => {
      throw postgresErrors.noOwnBackup();
    },
    async fetchSourceMaps(wanted) {
      try {
        await maps.fetch(wanted);
      } catch (error) {
        throw isUnavailable(error) ? new StoreUnavailable(error) : error;
      }
    },
    sourceMap: (project, debugId) => maps.read(project, debugId),
    close: () => void connections.close(),
  };
}

const questions = {
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
  commits: readCommits,
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
};

const ofDatabase = {
  erasable: findErasable,
  erasableLasting: countLasting,
  erasureMarks: readErasureMarks,
  partitions: readPartitions,
  lastingBytes,
  sourceMapBytes,
  deletions: readDeletions,
  check: checkDatabase,
};

/** Everything before it is counted: the oldest of this writer's batches that waits for a fold begins there. */
async function countedUpTo(pool: Pool, writer: string): Promise<number> {
  const row = await pool.one<{ position: number }>(
    `SELECT coalesce((SELECT min(from_position) FROM holdfast.delta WHERE writer = w.id), w.position) AS position
     FROM holdfast.writer w WHERE w.name = $1`,
    writer,
  );
  return row?.position ?? 0;
}

async function addCommits(pool: Pool, project: number, release: string, commits: readonly Commit[]): Promise<void> {
  await pool.run(
    `INSERT INTO holdfast.release_commits VALUES ($1, $2, $3)
     ON CONFLICT (project, release) DO UPDATE SET commits = excluded.commits`,
    project,
    release,
    JSON.stringify(commits),
  );
}
