import { statfsSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { ByteBudget, Refusals, Turns } from "#bounds";
import { errorOf } from "#errors";
import type { AcceptDeps } from "./accept/accept-envelope.ts";
import { createAddressOf } from "./accept/client-address.ts";
import { AcceptCounters } from "./accept/counters.ts";
import type { IngestDeps } from "./accept/delivery.ts";
import { handleIngestRequest } from "./accept/handle-request.ts";
import { type AcceptLimits, type AttachmentLimits, acceptLimits } from "./accept/limits.ts";
import type { AcceptOutcome } from "./accept/outcome.ts";
import { Quota } from "./accept/quota.ts";
import { acceptBytes } from "./accept/receive-envelope.ts";
import { Spikes } from "./accept/spikes.ts";
import { followAttachments } from "./administration/follow-attachments.ts";
import { readSettings, retentionOf } from "./administration/service-settings.ts";
import { type AlertingOptions, openAlerting } from "./alert-rules/open-alerting.ts";
import type { Trouble } from "./alert-rules/service-trouble.ts";
import { type MailServer, mailServerOf } from "./alerts/channels/mail.ts";
import { floodLimitsOf } from "./alerts/plan-notices.ts";
import { type BalanceLimits, balanceLimitsOf } from "./balance/limits.ts";
import type { CheckInLimits } from "./check-ins/limits.ts";
import { type Clock, systemClock } from "./clock.ts";
import { Erasures } from "./erasures/erasures.ts";
import { serviceErrors } from "./errors.ts";
import { FiguresWriter } from "./figures-writer.ts";
import { Scrubber } from "./filing/scrub.ts";
import { folderDisk } from "./journal/disk.ts";
import { lockFolder } from "./journal/folder-lock.ts";
import { Journal } from "./journal/journal.ts";
import type { JournalStats, Pressure } from "./journal/journal-stats.ts";
import { type JournalLimits, journalLimits } from "./journal/limits.ts";
import { listSegments } from "./journal/segments.ts";
import { type FilingTotals, writeMetrics } from "./metrics.ts";
import { openReader } from "./open-reader.ts";
import { openUploads } from "./open-uploads.ts";
import { OwnReports } from "./own-reports.ts";
import { type ImportDeps, type ImportOutcome, importLines } from "./portable/import-lines.ts";
import type { Projects } from "./projects.ts";
import { journalBytes, leastKeepBytes, type RetentionLimits, retentionLimits, shares } from "./retention/limits.ts";
import { openSharedState } from "./shared/open-shared-state.ts";
import type { SharedState } from "./shared/shared-state.ts";
import { spikeListener, spikeTrouble } from "./spike-notes.ts";
import { StoreWatch } from "./store-watch.ts";
import { LazyReader } from "./stores/lazy-reader.ts";
import { type StoreLimits, storeLimitsOf } from "./stores/limits.ts";
import type { PortableLine } from "./stores/portable/lines.ts";
import { type StoreAddress, storeAddressOf } from "./stores/store-address.ts";
import type { IssueChange, MonitorChange } from "./stores/store-requests.ts";
import { FilingThread } from "./thread/filing-thread.ts";
import type { FilingProgress, ThreadTask } from "./thread/messages.ts";

export interface ServiceOptions {
  readonly dataFolder: string;
  /** Address of a database, `postgres://…`. `HOLDFAST_STORE`, or else the store is in the data folder. */
  readonly store?: string | undefined;
  /** Projects and settings, if the caller has opened them. It closes them after the service. */
  readonly shared?: SharedState | undefined;
  readonly limits?: {
    readonly accept?: Partial<AcceptLimits>;
    readonly attachments?: Partial<AttachmentLimits>;
    readonly journal?: Partial<JournalLimits>;
    readonly retention?: Partial<RetentionLimits>;
    readonly store?: Partial<StoreLimits>;
    readonly checkIns?: Partial<CheckInLimits>;
    readonly balance?: Partial<BalanceLimits>;
  };
  /** Addresses and networks of proxies whose forwarding headers name the client. */
  readonly trustedProxies?: readonly string[] | undefined;
  readonly clock?: Clock;
  readonly alerts?: AlertingOptions;
  /** Work for the service's thread, beside filing. */
  readonly task?: ThreadTask | undefined;
  /**
   * Counts requests that were refused because a shared resource was used up. Set by a process that counts for more than
   * the service.
   */
  readonly refusals?: Refusals | undefined;
  /** Writes a sentence for the operator: the store is away, or back. */
  readonly log?: ((sentence: string) => void) | undefined;
}

/** The error service. One per data folder. */
export interface Service {
  readonly projects: Projects;
  readonly shared: SharedState;
  /** How often a resource shared by all clients was used up. */
  readonly refusals: Refusals;
  /**
   * Responds to a request for an address of the service below the base path. Returns `false`, and does nothing, for any
   * other address.
   */
  handle(request: IncomingMessage, response: ServerResponse, basePath?: string): boolean;
  /**
   * Accepts an envelope of the same process. Resolves once the envelope survives a power loss, or with the reason for
   * its refusal.
   */
  accept(project: number, envelope: Uint8Array): Promise<AcceptOutcome>;
  /** Whether envelopes are accepted at the moment. */
  readonly ready: boolean;
  /** Why reports wait in the journal although they are accepted; undefined while they are filed. */
  readonly trouble: string | undefined;
  /** Returns the figures in the Prometheus text format. */
  metrics(): string;
  stats(): { journal: JournalStats; filing: FilingTotals };
  /** Changes issues for a person. Resolves with the changed issues, once they are written. */
  change(project: number, issues: readonly number[], change: IssueChange, by: string): Promise<readonly number[]>;
  /** Mutes or deletes a scheduled task. */
  changeMonitor(change: MonitorChange): Promise<void>;
  /** Archives feedback for a person, or opens it again. Resolves with the changed rows. */
  changeFeedback(project: number, ids: readonly number[], archived: boolean): Promise<readonly number[]>;
  /** Imports lines of an export, which may come again. Resolves when they are filed and counted. */
  importLines(project: number, lines: readonly PortableLine[], by: string): Promise<ImportOutcome>;
  /**
   * Stores the source maps of a build folder and the commits of its release. From then on, events of the project show
   * source lines.
   */
  addBuild(project: number, buildFolder: string, release?: string): Promise<void>;
  /** Resolves when everything accepted is filed, or when filing ends. */
  drained(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the service of a data folder: locks the folder, gets projects and settings, opens the store in its thread, then
 * the journal at the store's position.
 */
export async function openService(options: ServiceOptions): Promise<Service> {
  const { dataFolder } = options;
  const { keepBytes = leastKeepBytes } = options.limits?.retention ?? {};
  if (!(keepBytes >= leastKeepBytes)) throw serviceErrors.limitTooSmall(keepBytes, leastKeepBytes);
  const mailServer = mailServerOf(process.env);
  const alerts = { ...options.alerts, limits: { flood: floodLimitsOf(process.env), ...options.alerts?.limits } };
  const lock = lockFolder(dataFolder);
  let own: SharedState | undefined;
  const release = async (): Promise<void> => {
    await own?.close();
    lock.release();
  };
  try {
    const shared = options.shared ?? (await openSharedState(dataFolder, options.store));
    if (options.shared === undefined) own = shared;
    // Before the thread, because its first batch is scrubbed by the settings.
    await shared.ready();
    await shared.projects.makeFirst();
    return await openThread({ ...options, shared, mailServer, alerts }, release);
  } catch (error) {
    await release();
    throw error;
  }
}

type OpenedOptions = ServiceOptions & { readonly shared: SharedState; readonly mailServer: MailServer | undefined };

async function openThread(options: OpenedOptions, release: () => Promise<void>): Promise<Service> {
  const { dataFolder, task } = options;
  const { retention = {}, store = storeLimitsOf(process.env), checkIns } = options.limits ?? {};
  const balance = { ...balanceLimitsOf(process.env), ...options.limits?.balance };
  const at = storeAddressOf(dataFolder, options.store);
  const thread = new FilingThread(
    { dataFolder, at, retention, store, checkIns, balance, task },
    hasFiledBefore(dataFolder, at),
  );
  const closeThread = async (): Promise<number> => {
    const releasable = await thread.close();
    await release();
    return releasable;
  };
  try {
    return await openLocked(options, { thread, at, closeThread });
  } catch (error) {
    await thread.close();
    throw error;
  }
}

async function openLocked(
  options: OpenedOptions,
  { thread, at, closeThread }: { thread: FilingThread; at: StoreAddress; closeThread: () => Promise<number> },
): Promise<Service> {
  const { dataFolder, shared, clock = systemClock } = options;
  const limits: AcceptLimits = { ...acceptLimits, ...options.limits?.accept };
  const { projects } = shared;
  // A database may be away at the start. The journal knows where to continue, and the thread follows later.
  const startAt = await thread.ready;
  const filed = new FiledSoFar(startAt ?? 0);
  const { keepBytes = retentionLimits.keepBytes } = retentionOf(
    readSettings(dataFolder),
    options.limits?.retention ?? {},
  );
  const roomFor = (bytes: number) => ({ ...roomForJournal(dataFolder, bytes), ...options.limits?.journal });
  const journal = await Journal.open({
    disk: folderDisk(join(dataFolder, "journal")),
    limits: { ...journalLimits, ...roomFor(keepBytes) },
    clock,
    ...(startAt === undefined ? {} : { startAt }),
    // A database may be replicated, and this disk is not.
    acknowledge: at.kind === "postgres" ? "store" : "sync",
    onReadable: (end) => thread.readUpTo(end),
  });
  const figures = new FiguresWriter({
    figures: shared.intakeFigures,
    projects,
    clock,
    clean: (text) => new Scrubber(readSettings(dataFolder).scrub).text(text),
  });
  const spikes = new Spikes(clock, spikeListener({ shared, counts: figures.counts, clock }));
  const accepting: AcceptDeps = {
    journal,
    limits,
    attachments: followAttachments({ dataFolder, clock, limits, overrides: options.limits?.attachments ?? {} }),
    clock,
    counters: new AcceptCounters(),
    intake: figures.counts,
    spikes,
    quota: new Quota(limits, clock),
  };
  const refusals = options.refusals ?? new Refusals();
  const deps: IngestDeps = {
    ...accepting,
    projects,
    addressOf: createAddressOf(options.trustedProxies ?? []),
    budget: new ByteBudget(limits.underWayBytes, limits.projectBytes),
    decoders: { turns: new Turns({ atOnce: limits.decoders, waiting: limits.decodersWaiting }), refusals },
  };
  const uploads = openUploads({ at, shared, thread, clock });
  const reports = new OwnReports(deps);
  const watch = new StoreWatch(clock, options.log ?? (() => undefined));
  thread.listen({
    filed: (progress) => {
      journal.committed(progress.applied);
      filed.add(progress);
      if (progress.collected > 0) refusals.add("new-issues", progress.collected);
      void journal.release(progress.releasable);
    },
    report: async (project, bytes) => {
      const outcome = await journal.append({ project, receivedMs: clock.now(), bytes });
      return outcome.kind === "kept" ? undefined : outcome.why;
    },
    fault: (error) => reports.fault(error),
    storeIsAway: (why) => {
      watch.storeIsAway(why);
      journal.storeIsAway(true);
    },
    storeIsBack: () => {
      watch.storeIsBack();
      journal.storeIsAway(false);
    },
    storeHealthChanged: (health) => watch.healthChanged(health),
    diskLimitChanged: (bytes) => journal.limit(roomFor(bytes)),
  });
  thread.readUpTo(journal.readableEnd);
  const alerting = openAlerting({
    dataFolder,
    at,
    shared,
    clock,
    mailServer: options.mailServer,
    trouble: () => [
      ...troubleOf({ dataFolder, storeAwayMs: watch.awayMs, pressure: journal.pressure }),
      ...spikeTrouble(spikes.current, projects),
    ],
    // A store that is away is known already, and a report about it would only wait for it.
    onFault: (error) => watch.trouble === undefined && reports.fault(errorOf(error)),
    options: options.alerts,
  });
  const erasures = new Erasures({
    dataFolder,
    shared,
    openReader: () => openReader(dataFolder, options.store),
    erase: (step) => thread.erase(step),
    now: () => clock.now(),
    onFault: (error) => reports.fault(errorOf(error)),
  });
  const drained = (): Promise<void> => filed.upTo(journal.readableEnd);
  const importReader = new LazyReader(() => openReader(dataFolder, options.store));
  const importing: ImportDeps = {
    store: () => importReader.get(),
    append: (record) => journal.append(record),
    drained,
    add: async (request) => (await thread.request({ kind: "import", request }))[0] ?? 0,
    changeFeedback: (change) => thread.request({ kind: "change-feedback", change }),
    now: () => clock.now(),
  };
  let closed: Promise<void> | undefined;

  async function closeAll(): Promise<void> {
    await importReader.close();
    await erasures.close();
    await alerting.close();
    await uploads.close();
    await figures.close();
    await reports.close();
    await journal.close();
    await journal.release(await closeThread());
  }

  return {
    projects,
    shared,
    refusals,
    handle: (request, response, basePath = "") => {
      const url = request.url ?? "";
      if (!url.startsWith(basePath)) return false;
      const [exchange, target] = [{ incoming: request, response }, url.slice(basePath.length)];
      return uploads.handle(exchange, target) || handleIngestRequest(deps, exchange, target);
    },
    accept: (project, envelope) => acceptBytes(deps, project, envelope),
    get ready() {
      // A journal that bridges also bridges a restart of the thread.
      const canKeep = thread.isRunning || journal.isBridging;
      return journal.isWritable && journal.pressure !== "full" && canKeep;
    },
    get trouble() {
      return watch.trouble;
    },
    metrics: () =>
      writeMetrics({
        counters: deps.counters,
        journal: journal.stats(),
        pressure: journal.pressure,
        filing: filed.totals,
        unfiledBytes: journal.bytesAfter(filed.totals.applied),
        storeAwayMs: watch.awayMs,
        storeProblems: watch.problems,
        quarantined: thread.quarantined,
        faults: reports.faults,
        bodyBytes: deps.budget.heldBytes,
        decoders: deps.decoders.turns,
        refused: refusals.totals,
      }),
    stats: () => ({ journal: journal.stats(), filing: filed.totals }),
    change: (project, issues, change, by) =>
      thread.request({ kind: "change", project, issues, change, by, at: clock.now() }),
    changeMonitor: async (change) => void (await thread.request({ kind: "change-monitor", change })),
    changeFeedback: (project, ids, archived) =>
      thread.request({ kind: "change-feedback", change: { project, ids, archived, at: clock.now() } }),
    addBuild: async (project, buildFolder, release) =>
      void (await thread.request({ kind: "add-build", project, buildFolder, release })),
    importLines: (project, lines, by) => importLines(importing, project, lines, by),
    drained,
    close: () => {
      closed ??= closeAll();
      return closed;
    },
  };
}

interface ServiceState {
  readonly dataFolder: string;
  readonly storeAwayMs: number;
  readonly pressure: Pressure;
}

/** What operators should know. Free space is compared with four times of what makes retention delete early. */
function troubleOf({ dataFolder, storeAwayMs, pressure }: ServiceState): Trouble[] {
  const { bavail, bsize } = statfsSync(dataFolder);
  const freeMiB = Math.floor((bavail * bsize) / 1024 ** 2);
  const isLow = bavail * bsize < retentionLimits.lowBytes * 4;
  return [
    ...(isLow ? [{ kind: "disk", words: `Its disk has ${freeMiB} MiB left` } as const] : []),
    ...(storeAwayMs > 0 ? [{ kind: "store-away", words: "Its store cannot be written; reports wait" } as const] : []),
    ...(pressure === "none" ? [] : [{ kind: "backlog", words: "Reports arrive faster than they are filed" } as const]),
  ];
}

/**
 * Whether a service with a database may start without it. At its very first start, the address is more likely to be
 * wrong. Later, the journal always has a segment, whose name is its position.
 */
function hasFiledBefore(dataFolder: string, at: StoreAddress): boolean {
  return at.kind === "postgres" && listSegments(folderDisk(join(dataFolder, "journal"))).length > 0;
}

/**
 * Limits the unfiled bytes to a tenth of the free disk space: the store needs room for the journal's content, and other
 * programs need the rest. The journal also counts towards `keepBytes`, including filed records in a segment that is not
 * full yet.
 */
function roomForJournal(folder: string, keepBytes: number): Pick<JournalLimits, "backlogBytes" | "segmentBytes"> {
  const { bavail, bsize } = statfsSync(folder);
  const forDisk = Math.max(journalLimits.segmentBytes, (bavail * bsize) / 10);
  return {
    backlogBytes: Math.min(forDisk, journalBytes(keepBytes)),
    segmentBytes: Math.min(journalLimits.segmentBytes, keepBytes * shares.betweenChecks),
  };
}

/** Totals of the filing thread, and the callers that wait for a position. */
class FiledSoFar {
  totals: FilingTotals;
  #waiting: { position: number; resolve: () => void }[] = [];

  constructor(applied: number) {
    this.totals = { applied, records: 0, events: 0, duplicates: 0, collected: 0, damagedBytes: 0 };
  }

  add(progress: FilingProgress): void {
    const { totals } = this;
    this.totals = {
      applied: progress.applied,
      records: totals.records + progress.records,
      events: totals.events + progress.events,
      duplicates: totals.duplicates + progress.duplicates,
      collected: totals.collected + progress.collected,
      damagedBytes: totals.damagedBytes + progress.damagedBytes,
    };
    for (const { position, resolve } of this.#waiting) if (position <= progress.applied) resolve();
    this.#waiting = this.#waiting.filter(({ position }) => position > progress.applied);
  }

  upTo(position: number): Promise<void> {
    if (this.totals.applied >= position) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ position, resolve }));
  }
}
