import { logRefusals, Refusals } from "#bounds";
import {
  type AddressRule,
  edgeDefaults,
  type HandlerOptions,
  type LifecycleHooks,
  OpenStreams,
  openUploadFolder,
  type PageHandler,
  Posts,
  RunningActions,
  readAddressRules,
  readLanguages,
} from "#pages";
import { createStallWatcher, reportingLimits, type ServerReporting } from "#reporting";
import { type Access, consoleEntrance, openAccountAccess, openSharedState, type SharedState } from "#service";
import { createAccessLog } from "./access-log.ts";
import { applicationName } from "./application-name.ts";
import { createInvalidateMount, readInvalidateToken } from "./cache/invalidate-mount.ts";
import { contentPolicyOf } from "./content-policy.ts";
import { hostErrors } from "./errors.ts";
import { createForwarder, type Forwarder, type ForwarderDeps } from "./forward/forward.ts";
import { createHeaderRules } from "./header-rules.ts";
import { createKeptOperations, type KeptOperations } from "./kept/kept-operations.ts";
import { openKept } from "./kept/open-kept.ts";
import { createHostCheck } from "./known-hosts.ts";
import { runOnStart, runOnStop } from "./lifecycle/hooks.ts";
import { hostLimitsOf, serverLimitsOf } from "./limit-settings.ts";
import { hostLimits } from "./limits.ts";
import { createAcceptSocket } from "./live/accept-socket.ts";
import { openFolderRelay } from "./live/folder-relay.ts";
import { openWorkerRelay } from "./live/worker-relay.ts";
import { LoggedFailures } from "./logged-failures.ts";
import type { NodeServerDeps } from "./node-server.ts";
import { type ClientAddresses, createClientAddresses } from "./origin.ts";
import { watchMemory } from "./process/memory.ts";
import { warn } from "./process/warn.ts";
import { type GateVerdict, isFirstWorker } from "./process/workers.ts";
import { openReleases } from "./releases/open-releases.ts";
import type { ReleaseLine } from "./releases/release-messages.ts";
import { createTunnelMount, openHandOver, openReporting } from "./reporting.ts";
import { createByHandMount } from "./schedules/by-hand-mount.ts";
import { type OpenSchedules, openSchedules } from "./schedules/open-schedules.ts";
import type { Served } from "./served.ts";
import { type AnswerMountDeps, createAnswerMount, noAnswerMount } from "./service/answer-mount.ts";
import { createApiMount } from "./service/api-mount.ts";
import { createConsoleMount, provideConsoleApi } from "./service/console-mount.ts";
import { embedService, ownProject } from "./service/embedded-service.ts";
import { createFeedbackMount } from "./service/feedback-mount.ts";
import { createFormReply } from "./service/form-reply.ts";
import { createMcpMount } from "./service/mcp-mount.ts";
import { createMetricsMount } from "./service/metrics-mount.ts";
import { createNoteMount } from "./service/note-mount.ts";
import { serviceFolderOf } from "./service/service-folder.ts";
import { openSharing } from "./sharing/open-sharing.ts";
import { openSubmissionMemory } from "./submissions/open-submission-memory.ts";
import { sealKeyOf, sealKeysOf } from "./submissions/seal-key.ts";
import { uploadsIn } from "./uploads.ts";

export interface OpenOptions {
  /** Address that the server listens on; undefined inside of a server that is not the framework's. */
  host: string | undefined;
  dataFolder: string;
  /** Receives the access log; without it there is none. */
  accessLog?: ((text: string) => void) | undefined;
  /** Receives the lines of failed requests where there is no access log. */
  failureLog?: ((text: string) => void) | undefined;
  /** Memory limit of this process, if there is one. */
  memoryBytes?: number | undefined;
  /** Decides, once everything is open, whether the application may take traffic. Without it, it may. */
  gate?: (() => Promise<GateVerdict>) | undefined;
  /** To the process that decides which build answers a route. Without it, this one decides. `none`: no one does. */
  releaseLine?: ReleaseLine | "none" | undefined;
  /** Called with every error of a request, before its response ends. */
  onError?: HandlerOptions["onError"];
}

/** How requests in progress end: by the server, or by what counts them. */
export type EndRequests = (
  running: readonly Pick<RunningActions, "idle" | "abandon">[],
  options: { keptMs: number; atClose: () => void },
) => Promise<"finished" | "cut">;

/** An application with everything that it needs, except for a server. */
export interface OpenServed {
  /** As its reports name it. */
  release: string | undefined;
  entrance: NodeServerDeps;
  /**
   * Opens the error service. Then the application is ready, and its schedules run. Throws if the gate stops it; it must
   * be closed then.
   */
  open(): Promise<void>;
  /** The address by which the application is reached, for commands that print it. */
  reachableAt(origin: string): void;
  /**
   * Path of the console; absent where reports go to another service. While there is no account, each call creates a
   * link with its own secret: call it only to show the link.
   */
  consoleEntrance: (() => Promise<string>) | undefined;
  /** What actions with `keeps` have kept. */
  kept: KeptOperations;
  /** Records an error outside of any request. Resolves when the record would survive a crash. */
  record(error: unknown, during: "uncaught" | "rejection"): Promise<void>;
  /** Reports that it is not ready. */
  stopping(): void;
  /** Ends the requests, runs `onStop` and closes everything. `endsAt`: of `performance.now()`. */
  close(endRequests: EndRequests, time: { withinMs: number; endsAt: number }): Promise<"finished" | "cut">;
}

/**
 * Opens everything that an application needs to answer requests. Pages can be served before `open` has resolved; their
 * reports wait on disk.
 */
export async function openServed(served: Served, options: OpenOptions): Promise<OpenServed> {
  const { config } = served;
  const invalidateToken = readInvalidateToken(process.env.HOLDFAST_INVALIDATE_TOKEN);
  const refusals = new Refusals();
  const clientAddresses = createClientAddresses({ origin: config.origin, trustedProxies: config.trustedProxies ?? [] });
  const stallWatcher = createStallWatcher(reportingLimits);
  const { buildFolder: folder } = served;
  const build = folder === undefined ? undefined : { folder, release: () => reporting.release };
  const { store } = config;
  const shared =
    config.report?.dsn === undefined ? await openSharedState(serviceFolderOf(options.dataFolder), store) : undefined;
  const { trustedProxies } = config;
  const embedded =
    shared &&
    embedService(options.dataFolder, { shared, build, store, task: stallWatcher.task, refusals, trustedProxies });
  const admission = shared && consoleAccess(served, options, { shared, refusals });
  const api =
    embedded &&
    admission &&
    provideConsoleApi(embedded, {
      access: admission,
      delivered: () => reporting.delivered(),
      kept: () => kept,
      healing: () => releases,
    });
  const handOver = openHandOver(served, () => reporting.release);
  const reporting: ServerReporting = openReporting(served, options.dataFolder, {
    embedded,
    handOver,
    stallWatcher,
    refusals,
  });
  const stateOf = publicStates(config, api, () => reporting.release);
  const hasAnswers = stateOf !== undefined;
  const limits = serverLimitsOf(config.limits, config.submissions);
  const posts = new Posts(limits, clientAddresses.clientOf, refusals);
  const streams = new OpenStreams(limits, clientAddresses.clientOf, refusals);
  const sealKey = sealKeyOf(options.dataFolder, process.env.HOLDFAST_SECRET);
  const submissions = openSubmissionMemory(config, {
    dataFolder: options.dataFolder,
    sealKey,
    isKeyGiven: process.env.HOLDFAST_SECRET !== undefined,
    warn,
  });
  const keeping = openKept(config, {
    dataFolder: options.dataFolder,
    sealKey,
    memory: submissions.memory,
    signals: reporting.signals,
    warn,
  });
  const failures = new LoggedFailures(reporting.logText, options.onError);
  const { rules } = readAddressRules(config.redirects, config.rewrites);
  const forwarder = openForwarder(rules, {
    clientAddresses,
    signals: reporting.signals,
    limits: hostLimits,
    hasAnswers,
  });
  // A database reaches the workers of this machine too.
  const notices = shared?.openNotices?.({ application: applicationName(served.root), warn });
  const neighbours =
    notices || !isDeployed(served) ? undefined : openFolderRelay(serviceFolderOf(options.dataFolder), warn);
  const relay = notices ?? openWorkerRelay() ?? neighbours;
  const forPages: HandlerOptions = {
    ...handlerOptions(served, reporting, options.dataFolder),
    rules,
    ...clientAddresses,
    sealKey,
    memory: submissions.memory,
    kept: keeping.kept,
    posts,
    streams,
    acceptSocket: createAcceptSocket(),
    relay,
    forward: forwarder?.forward,
    hasAnswers,
    onError: (incoming, error, digest) => failures.note(incoming, error, digest),
  };
  const { clientOf } = clientAddresses;
  const sharing = await openSharing(served, { dataFolder: options.dataFolder, clientOf, refusals });
  const { signals } = reporting;
  const { releaseLine: line, dataFolder } = options;
  const { isProxy } = clientAddresses;
  const releases =
    line === "none" ? undefined : openReleases(served, { dataFolder, reporting, clientOf, isProxy, relay, line, warn });
  let hooks: LifecycleHooks = {};
  let schedules: OpenSchedules | undefined;
  const closeParts = async (): Promise<void> => {
    handOver?.close();
    forwarder?.close();
    await schedules?.close();
    await sharing?.close();
    await notices?.close();
    neighbours?.close();
    await keeping.close();
    submissions.close();
    await reporting.close();
    api?.close();
    await embedded?.close();
    await shared?.close();
  };
  const openApplication = async (): Promise<PageHandler> => {
    const opened = await served.openPages(releases?.optionsOf(forPages) ?? forPages);
    // In development they run by hand.
    const deps = { pages: opened, shared, reporting, dataFolder: options.dataFolder };
    if (!served.development && !served.isPrivate) schedules = await openSchedules(served, deps);
    const healed = releases?.open(opened, forPages);
    hooks = await opened.lifecycle();
    await runOnStart(hooks, { withinMs: hostLimitsOf(config.limits).startMs, signals, warn });
    await healed;
    return opened;
  };
  const pages = await openApplication().catch(async (error: unknown) => {
    // A thread left running would keep the process of a server that did not start.
    await closeParts();
    throw error;
  });
  const kept = createKeptOperations({ kept: keeping.kept, runner: pages.kept, hide: reporting.hide });
  const write = options.accessLog ?? options.failureLog;
  const access = write
    ? createAccessLog({
        write,
        which: options.accessLog ? "all" : "failed",
        cleanPath: reporting.logPath,
        failureOf: (incoming) => failures.of(incoming),
        ...(config.limits?.logBytesPerSecond !== undefined && { bytesPerSecond: config.limits.logBytesPerSecond }),
        refusals,
      })
    : undefined;
  const refused = logRefusals(refusals, warn);
  const memory = watchMemory({
    limitBytes: options.memoryBytes,
    usedBytes: process.memoryUsage.rss,
    share: hostLimits.memoryShare,
    everyMs: hostLimits.memoryCheckMs,
  });
  let state: "opening" | "gated" | "open" | "stopping" = "opening";
  const isStopping = (): boolean => state === "stopping";
  const reply = createFormReply(pages);
  const entrance: NodeServerDeps = {
    pages: sharing?.before(pages) ?? pages,
    files: releases?.files ?? served.files,
    // Last, because the console answers every address below /_holdfast that no other mount has.
    mounts: [
      createNoteMount({ reporting, clientOf: clientAddresses.clientOf, refusals, reply }),
      createFeedbackMount({ reporting, clientOf: clientAddresses.clientOf, refusals, reply }),
      hasAnswers
        ? createAnswerMount({
            stateOf,
            pages,
            clientOf: clientAddresses.clientOf,
            perMinute: hostLimitsOf(config.limits).answersPerMinute,
            refusals,
          })
        : noAnswerMount,
      createTunnelMount(reporting, clientAddresses),
      invalidateToken !== undefined && pages.invalidate
        ? createInvalidateMount({ token: invalidateToken, invalidate: pages.invalidate, clientOf, refusals, log: warn })
        : undefined,
      // Before reports, whose addresses begin with the same path.
      embedded && api && createApiMount(api, forPages, embedded.open),
      embedded?.ingest,
      embedded && createMetricsMount({ embedded, shared: embedded.shared, clientOf }),
      served.development ? createByHandMount({ pages, reporting }) : undefined,
      embedded &&
        api &&
        createMcpMount({
          api,
          ...clientAddresses,
          development: served.developer,
          openService: embedded.open,
        }),
      embedded && createConsoleMount(forPages, embedded.open),
    ].filter((mount) => mount !== undefined),
    clientAddresses,
    isKnownHost: createHostCheck({
      hosts: config.hosts,
      origin: config.origin,
      listensOn: options.host ?? "localhost",
      development: served.development,
    }),
    log: access?.log,
    limits: hostLimitsOf(config.limits),
    refusals,
    isReady: () => state === "open" && !memory.isShort(),
    whyNotReady: () => (state === "gated" ? "the gate replays the requests of known issues" : undefined),
    isShort: memory.isShort,
    readsAll: served.development,
    signals,
    hasAnswers,
  };
  return {
    release: reporting.release,
    entrance,
    open: async () => {
      // The service itself may fail to open, but a file that cannot be opened ends the start.
      shared?.openFiles?.();
      await embedded?.open();
      await sharing?.stored;
      if (options.gate && state === "opening") {
        state = "gated";
        await passGate(options.gate, reporting);
      }
      if (isStopping()) return;
      state = "open";
      schedules?.scheduler?.start();
      keeping.watch(pages.kept);
    },
    reachableAt: (origin) => embedded?.reachableAt(origin),
    consoleEntrance: admission && (() => consoleEntrance(admission)),
    kept,
    record: async (error, during) => {
      const receipt = reporting.signals.errorCaught(error, { side: "server", during });
      if (receipt.kind === "recorded") await receipt.durable;
    },
    stopping: () => {
      state = "stopping";
    },
    close: async (endRequests, { withinMs, endsAt }) => {
      const scheduler = schedules?.scheduler;
      scheduler?.stop();
      const keptMs = hooks.onStop ? withinMs * hostLimits.stopHookShare : 0;
      // In this order: an action may leave work for the time after its response.
      const running = [streams, forPages.actions, ...(scheduler ? [scheduler] : []), forPages.after];
      const ended = await endRequests(running, { keptMs, atClose: () => streams.endAll("stopping") });
      await releases?.close({ endsAt });
      const hookEnded = await runOnStop(hooks, { withinMs: endsAt - performance.now(), signals, warn });
      memory.close();
      refused.close();
      access?.flush();
      await closeParts();
      return hookEnded === "cut" ? hookEnded : ended;
    },
  };
}

/** Whether other processes may answer for the same visitors. */
function isDeployed({ buildFolder, isPrivate }: Served): boolean {
  return buildFolder !== undefined && !isPrivate;
}

/** Throws if the gate stops this build. One process reports it. */
async function passGate(gate: () => Promise<GateVerdict>, { signals }: ServerReporting): Promise<void> {
  const verdict = await gate();
  if (verdict.kind === "open") return;
  const error = hostErrors.gateStopped(verdict.why);
  const receipt = isFirstWorker() ? signals.errorCaught(error, { side: "server", during: "start" }) : undefined;
  if (receipt?.kind === "recorded") await receipt.durable;
  throw error;
}

/** Only where a rewrite names another server. */
function openForwarder(rules: readonly AddressRule[], deps: ForwarderDeps): Forwarder | undefined {
  const isUsed = rules.some(({ kind, to }) => kind === "rewrite" && to.origin !== "");
  return isUsed ? createForwarder(deps) : undefined;
}

function consoleAccess(
  { config, development }: Served,
  { host, dataFolder }: { host?: string | undefined; dataFolder: string },
  { shared, refusals }: { shared: SharedState; refusals: Refusals },
): Access {
  if (config.console?.authorize) return { kind: "application", authorize: config.console.authorize };
  if (development && ["localhost", "127.0.0.1", "::1"].includes(host ?? "")) return { kind: "open" };
  return openAccountAccess({
    openAccounts: (options) => shared.openAccounts(options),
    refusals,
    sealKeys: async () => sealKeysOf(dataFolder),
    log: warn,
  });
}

/** Whether error pages lead to a page that says what became of a digest. */
export function hasAnswersFor({ visitorAnswers, report }: Served["config"]): boolean {
  // Other services than Holdfast's know no answer, and a link to it would promise one.
  return report?.dsn === undefined ? visitorAnswers !== false : visitorAnswers === true;
}

/** Finds the state of a digest: in the embedded service, or in that of the DSN if the configuration says so. */
function publicStates(
  config: Served["config"],
  api: ReturnType<typeof provideConsoleApi> | undefined,
  release: () => string | undefined,
): AnswerMountDeps["stateOf"] | undefined {
  if (!hasAnswersFor(config)) return undefined;
  if (api) return (digest) => api.publicState(ownProject, { digest, release: release() });
  const dsn = config.report?.dsn;
  if (dsn === undefined) return undefined;
  return async (digest) => (await import("./service/ask-service.ts")).askService(dsn, digest, release());
}

/** What pages get from the configuration. */
export function handlerOptions(
  served: Served,
  reporting: ServerReporting,
  dataFolder: string,
): Omit<HandlerOptions, keyof ClientAddresses | "sealKey" | "memory" | "posts" | "streams"> {
  const { config, development } = served;
  const uploadFolder = uploadsIn(dataFolder);
  openUploadFolder(uploadFolder);
  return {
    signals: reporting.signals,
    limits: serverLimitsOf(config.limits, config.submissions),
    lang: config.lang ?? readLanguages(config.languages).languages?.table.default ?? "en",
    trustedOrigins: config.trustedOrigins ?? [],
    redirectOrigins: config.redirectOrigins ?? [],
    headersFor: createHeaderRules(config.headers, "pages"),
    policy: { csp: contentPolicyOf(served), hsts: config.hsts ?? true },
    edge: config.edge && { ...edgeDefaults, ...config.edge },
    headStart: reporting.headScript,
    uploadFolder,
    actions: new RunningActions(),
    after: new RunningActions(),
    warn,
    development,
  };
}
