import { existsSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { parentPort, workerData } from "node:worker_threads";
import { messageOf } from "#errors";
import { openDatabase } from "../accounts/open-database.ts";
import { readSettings, retentionOf, type ServiceSettings } from "../administration/service-settings.ts";
import { balanceLimits } from "../balance/limits.ts";
import { balanceDatabaseFile, openBalanceRows } from "../balance/open-balance-database.ts";
import { takeStatements } from "../balance/take-statements.ts";
import { newBalanceMemory, watchBalance } from "../balance/watch-balance.ts";
import { BuildFiles } from "../builds/add-build.ts";
import { createSymbolicate } from "../builds/symbolicate.ts";
import { checkInLimits } from "../check-ins/limits.ts";
import { watchCheckIns } from "../check-ins/watch-check-ins.ts";
import { systemClock } from "../clock.ts";
import { fileDocument } from "../documents/document.ts";
import { cleanEnvelope } from "../filing/clean-envelope.ts";
import { type FilingDeps, fileRecords } from "../filing/file-records.ts";
import { Scrubber } from "../filing/scrub.ts";
import type { ProjectStatement } from "../filing/statements-in.ts";
import type { ProjectScrubRule } from "../intake/scrub-rules.ts";
import { folderDisk } from "../journal/disk.ts";
import { JournalReader } from "../journal/journal-reader.ts";
import type { JournalRecord } from "../journal/record.ts";
import { Projects, projectsFile } from "../projects.ts";
import { retentionLimits, shares } from "../retention/limits.ts";
import { createUpkeep, type Upkeep } from "../retention/upkeep.ts";
import type { Rows } from "../rows/rows.ts";
import { ErasedMarks } from "../stores/erase/erased-marks.ts";
import type { ErasureOutcome, ErasureStep } from "../stores/erase/erasure.ts";
import { openStore } from "../stores/open-store.ts";
import { StoreUnavailable } from "../stores/store.ts";
import type { StoreHealth } from "../stores/store-health.ts";
import { FilingLoop } from "./filing-loop.ts";
import { acknowledgingLimits, type FilingLimits, filingLimits } from "./limits.ts";
import { lowerThreadPriority } from "./lower-thread-priority.ts";
import type { FilingRequest, FilingResponse, FilingWorkerData, FromFiling, ToFiling } from "./messages.ts";
import { PendingReports } from "./pending-reports.ts";
import { ProjectOwners } from "./project-owners.ts";
import { createQuarantine, quarantineLimits } from "./quarantine.ts";
import { SerialQueue } from "./serial-queue.ts";

const {
  dataFolder,
  at,
  retention = {},
  store: limits = {},
  checkIns = {},
  balance = {},
  task,
} = workerData as FilingWorkerData;
const store = await openStore(at, limits).catch((error: unknown) => {
  if (error instanceof StoreUnavailable) post({ kind: "store-away", why: messageOf(error) });
  throw error;
});

const watchLimits = { ...checkInLimits, ...checkIns };
const bookLimits = { ...balanceLimits, ...balance };
let books: Rows | undefined;
let isComparing = false;
const bookMemory = newBalanceMemory();
let erasuresReadAt = 0;
let isClosing = false;
let isWatching = false;
let writtenSinceCheck = 0;
let settings = readSettings(dataFolder);
let quarantine = quarantineOf(keepBytes());

/** Only read. A change of its file is seen within a second. */
const noRules: readonly ProjectScrubRule[] = [];
const projects = new Projects(fileDocument(join(dataFolder, projectsFile)));

let accounts: Rows | undefined;
const owners = new ProjectOwners({
  projects,
  accounts: openAccounts,
  clock: systemClock,
  membersMs: filingLimits.membersMs,
  fault,
});

const filing: FilingDeps = {
  store,
  fetchSourceMaps: at.kind === "postgres" ? store.fetchSourceMaps : undefined,
  scrubber: new Scrubber(settings.scrub),
  scrubRulesOf,
  ownersOf: (project) => owners.of(project),
  symbolicate: createSymbolicate(store),
  takeStatements: enterStatements,
  erased: new ErasedMarks(await store.erasureMarks()),
  onFault: quarantineRecord,
};

const builds = new BuildFiles({
  store,
  now: () => systemClock.now(),
  mostBytes: () => keepBytes() * shares.oneBuild,
  onStored: enforceDiskLimit,
});

let postedHealth: StoreHealth = store.health();

/** Filing, requests and upkeep share one writer and take turns. */
const queue = new SerialQueue();
const loopLimits = { ...(at.kind === "postgres" ? acknowledgingLimits : filingLimits), ...bytesAtOnce() };

const loop = new FilingLoop(
  {
    reader: new JournalReader(folderDisk(join(dataFolder, "journal")), filingLimits.batchBytes),
    limits: loopLimits,
    queue,
    file: async (records, upTo) => {
      if (at.kind === "postgres") await followErasures();
      await owners.follow();
      const summary = await fileRecords(filing, records, upTo);
      const bytes = records.reduce((sum, record) => sum + record.bytes.length, 0);
      // Clients wait for a commit of the database, and not for deletions after it.
      if (at.kind === "folder") await enforceDiskLimit(bytes);
      else void queue.run(() => enforceDiskLimit(bytes));
      return summary;
    },
    makeDurable: () => store.makeDurable(),
    filed: (progress) => {
      post({ kind: "filed", progress });
      postHealth();
    },
    storeIsAway: (error) => post({ kind: "store-away", why: messageOf(error) }),
    storeIsBack: () => post({ kind: "store-back" }),
    fault: (error) => {
      fault(error);
      postHealth();
    },
  },
  await store.appliedUpTo(),
);

parentPort?.on("message", (message: ToFiling) => {
  switch (message.kind) {
    case "readable":
      return loop.readUpTo(message.end);
    case "request":
      return void queue
        .run(() => respondTo(message.request))
        .then((response) => post({ kind: "response", id: message.id, response }));
    case "reported":
      return reports.settle(message.id, message.refused);
    case "close":
      return void close();
  }
});
let upkeep = upkeepBy(settings);
const reports = new PendingReports(post);
const checkInTimer = setInterval(() => void attempt(watchOnce), watchLimits.everyMs);
const balanceTimer = setInterval(() => void attempt(compareOnce), bookLimits.everyMs);
const timer = setInterval(() => void queue.run(runUpkeep), filingLimits.upkeepMs);
post({ kind: "ready", applied: await store.appliedUpTo() });
// Only now, because the start waits for the steps above.
lowerThreadPriority();
if (task) void import(task.module).then(({ begin }) => begin(task.data)).catch(fault);

/** Enforces the limit of disk use between upkeeps, because much may be filed in a minute. */
async function enforceDiskLimit(bytes: number): Promise<void> {
  writtenSinceCheck += bytes;
  if (writtenSinceCheck <= keepBytes() * shares.betweenChecks) return;
  writtenSinceCheck = 0;
  await attempt(() => unlessElsewhere(() => upkeep.keepWithin()));
}

/** With a small limit of disk use, batches are small and the journal is released before clients are refused. */
function bytesAtOnce(): Pick<FilingLimits, "batchBytes" | "makeDurableBytes"> {
  const most = keepBytes() * shares.betweenChecks;
  return {
    batchBytes: Math.min(filingLimits.batchBytes, most),
    makeDurableBytes: Math.min(filingLimits.makeDurableBytes, most),
  };
}

function quarantineOf(bytes: number): ReturnType<typeof createQuarantine> {
  const most = Math.min(quarantineLimits.bytes, bytes * shares.unfiled);
  return createQuarantine(join(dataFolder, "unfiled"), { ...quarantineLimits, bytes: most });
}

function keepBytes(): number {
  return retentionOf(settings, retention).keepBytes ?? retentionLimits.keepBytes;
}

function upkeepBy(decided: ServiceSettings): Upkeep {
  return createUpkeep({
    store,
    folder: dataFolder,
    isShared: at.kind === "postgres",
    clock: systemClock,
    limits: retentionOf(decided, retention),
  });
}

/** A file that is broken now was read before, and then holds on. */
function scrubRulesOf(project: number): readonly ProjectScrubRule[] {
  try {
    return projects.byId(project)?.scrubRules ?? noRules;
  } catch {
    return projects.byId(project)?.scrubRules ?? noRules;
  }
}

/**
 * Owners change settings in the console, which may run in another process. The file is therefore read with every
 * upkeep.
 */
function followSettings(): void {
  const decided = readSettings(dataFolder);
  if (isDeepStrictEqual(decided, settings)) return;
  settings = decided;
  filing.scrubber = new Scrubber(settings.scrub);
  upkeep = upkeepBy(settings);
  quarantine = quarantineOf(keepBytes());
  Object.assign(loopLimits, bytesAtOnce());
  post({ kind: "disk-limit", bytes: keepBytes() });
}

async function runUpkeep(): Promise<void> {
  await attempt(followSettings);
  await attempt(() => unlessElsewhere(() => upkeep.run()));
}

/**
 * The upkeep of a shared store is the work of one process at a time. The lease outlives the next turn of its holder, so
 * that the same process goes on while it runs.
 */
async function unlessElsewhere(work: () => Promise<unknown>): Promise<void> {
  if (await store.lease("upkeep", filingLimits.upkeepMs * 1.5)) await work();
}

/** Not in the queue: a report survives only after the queue has filed it. */
async function watchOnce(): Promise<void> {
  if (isWatching) return;
  isWatching = true;
  try {
    await watchCheckIns({
      store,
      inTurn: (work) => queue.run(work),
      report: (project, envelope) => reports.send(project, envelope),
      hasFiledAll: () => loop.hasFiledAll,
      clock: systemClock,
      limits: watchLimits,
    });
  } finally {
    isWatching = false;
  }
}

/** The tables exist from the first statement on. Those in a database may have been made by another process. */
async function openBooks(): Promise<Rows> {
  books ??= await openBalanceRows(dataFolder, at);
  return books;
}

/** In a database, they are beside the books. */
async function openAccounts(): Promise<Rows> {
  if (at.kind === "postgres") return openBooks();
  accounts ??= openDatabase(dataFolder);
  return accounts;
}

/** A file that cannot be written must not keep events from being filed. A database that is away is waited for. */
async function enterStatements(statements: readonly ProjectStatement[]): Promise<void> {
  try {
    await takeStatements(await openBooks(), statements, bookLimits);
  } catch (error) {
    if (at.kind === "postgres") throw new StoreUnavailable(error);
    fault(error);
  }
}

/** Not in the queue, for the same reason. */
async function compareOnce(): Promise<void> {
  if (isComparing) return;
  isComparing = true;
  try {
    if (at.kind === "postgres" || existsSync(join(dataFolder, balanceDatabaseFile))) await openBooks();
    await watchBalance({
      store,
      rows: () => books,
      inTurn: (work) => queue.run(work),
      report: (project, envelope) => reports.send(project, envelope),
      hasFiledAll: () => loop.hasFiledAll,
      clock: systemClock,
      limits: bookLimits,
      memory: bookMemory,
    });
  } finally {
    isComparing = false;
  }
}

/** A failed upkeep is retried at its next turn. */
async function attempt(task: () => unknown): Promise<void> {
  try {
    await task();
  } catch (error) {
    // A turn of the check-ins may be interrupted by the end. Another process or the next start continues.
    if (!isClosing) fault(error);
  }
}

async function respondTo(request: FilingRequest): Promise<FilingResponse> {
  try {
    if (request.kind === "erase") return { kind: "erased", outcome: await eraseStep(request.step) };
    return { kind: "done", numbers: await execute(request) };
  } catch (error) {
    return { kind: "failed", why: messageOf(error) };
  }
}

/** From the next batch on, what was erased is not filed again. */
async function eraseStep(step: ErasureStep): Promise<ErasureOutcome> {
  const outcome = await store.erase(step);
  if (step.kind === "remember") filing.erased = new ErasedMarks(await store.erasureMarks());
  return outcome;
}

/** Another process may have erased something in a shared store. */
async function followErasures(): Promise<void> {
  if (systemClock.now() - erasuresReadAt < filingLimits.erasuresMs) return;
  erasuresReadAt = systemClock.now();
  filing.erased = new ErasedMarks(await store.erasureMarks());
}

async function execute(request: Exclude<FilingRequest, { kind: "erase" }>): Promise<readonly number[]> {
  switch (request.kind) {
    case "change":
      return store.change(request);
    case "import":
      return [await store.addImported(request.request)];
    case "change-monitor":
      await store.changeMonitor(request.change);
      return [];
    case "change-feedback":
      return store.changeFeedback(request.change);
    case "add-build":
      await builds.addFolder(request.project, request.buildFolder, request.release);
      return [];
    case "renew-maps": {
      const stored = await store.renewSourceMaps({ ...request, addedAt: systemClock.now() });
      return [...request.debugIds.keys()].filter((place) => !stored.has(request.debugIds[place] ?? ""));
    }
    case "add-maps":
      await builds.addUploaded(request, request.maps);
      return [];
    case "add-commits":
      await builds.addCommits(request);
      return [];
  }
}

function quarantineRecord(error: unknown, record: JournalRecord): void {
  const outcome = quarantine({ ...record, bytes: cleanEnvelope(record.bytes, filing.scrubber) });
  fault(error, outcome === "stored");
}

function fault(error: unknown, isQuarantined = false): void {
  post({
    kind: "fault",
    message: messageOf(error),
    stack: error instanceof Error ? error.stack : undefined,
    isQuarantined,
  });
}

async function close(): Promise<void> {
  isClosing = true;
  clearInterval(timer);
  clearInterval(checkInTimer);
  clearInterval(balanceTimer);
  const releasable = await loop.finish();
  store.close();
  await books?.close();
  await accounts?.close();
  post({ kind: "closed", releasable });
  parentPort?.close();
}

/** Posts the state of the store if it has changed. */
function postHealth(): void {
  const health = store.health();
  if (isDeepStrictEqual(health, postedHealth)) return;
  postedHealth = health;
  post({ kind: "store-health", health });
}

function post(message: FromFiling): void {
  parentPort?.postMessage(message);
}
