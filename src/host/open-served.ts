import { logRefusals, Refusals } from "#bounds";
import type { HandlerOptions, LifecycleHooks, PageHandler, RunningActions } from "#pages";
import type { ServerReporting } from "#reporting";
import { consoleEntrance, refuseWrongSettings } from "#service";
import { createAccessLog } from "./access-log.ts";
import { readInvalidateToken } from "./cache/invalidate-mount.ts";
import { environmentReaders } from "./environment-readers.ts";
import { hostErrors } from "./errors.ts";
import { openHandlerParts } from "./handler-parts.ts";
import { createKeptOperations, type KeptOperations } from "./kept/kept-operations.ts";
import { createHostCheck } from "./known-hosts.ts";
import { runOnStart, runOnStop } from "./lifecycle/hooks.ts";
import { hostLimitsOf } from "./limit-settings.ts";
import { hostLimits } from "./limits.ts";
import { LoggedFailures } from "./logged-failures.ts";
import { createMounts } from "./mounts.ts";
import type { NodeServerDeps } from "./node-server.ts";
import { openReports, type ReportsPlace } from "./open-reports.ts";
import { createClientAddresses } from "./origin.ts";
import { watchMemory } from "./process/memory.ts";
import { warn } from "./process/warn.ts";
import { isFirstWorker } from "./process/worker-mark.ts";
import type { GateVerdict } from "./process/worker-messages.ts";
import { openReleases } from "./releases/open-releases.ts";
import type { ReleaseLine } from "./releases/release-messages.ts";
import { type OpenSchedules, openSchedules } from "./schedules/open-schedules.ts";
import type { Served } from "./served.ts";
import { openSharing } from "./sharing/open-sharing.ts";

export interface OpenOptions extends ReportsPlace {
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
  const { dataFolder, releaseLine: line } = options;
  // Before anything is open. What is read later would fail then: the service, its console, its API.
  refuseWrongSettings(environmentReaders(served, options.host), process.env);
  const invalidateToken = readInvalidateToken(process.env);
  const refusals = new Refusals();
  const clientAddresses = createClientAddresses({ origin: config.origin, trustedProxies: config.trustedProxies ?? [] });
  const { clientOf, isProxy } = clientAddresses;
  const reports = await openReports(served, options, { refusals, kept: () => kept, healing: () => releases });
  const { reporting, service } = reports;
  const { signals } = reporting;
  const failures = new LoggedFailures(reporting.logText, options.onError);
  const parts = openHandlerParts(served, dataFolder, { reports, clientAddresses, refusals, failures });
  const forPages = parts.options;
  const sharing = await openSharing(served, { dataFolder, clientOf, refusals });
  const releases =
    line === "none"
      ? undefined
      : openReleases(served, { dataFolder, reporting, clientOf, isProxy, relay: forPages.relay, line, warn });
  let hooks: LifecycleHooks = {};
  let schedules: OpenSchedules | undefined;
  const closeParts = async (): Promise<void> => {
    await schedules?.close();
    await sharing?.close();
    await parts.close();
    await reports.close();
  };
  const openApplication = async (): Promise<PageHandler> => {
    const opened = await served.openPages(releases?.optionsOf(forPages) ?? forPages);
    // In development they run by hand.
    const deps = { pages: opened, shared: service?.embedded.shared, reporting, dataFolder };
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
  const kept = createKeptOperations({ kept: parts.keeping.kept, runner: pages.kept, hide: reporting.hide });
  const access = openAccessLog(config, options, { reporting, failures, refusals });
  const refused = logRefusals(refusals, warn);
  const memory = watchMemory({
    limitBytes: options.memoryBytes,
    usedBytes: process.memoryUsage.rss,
    share: hostLimits.memoryShare,
    everyMs: hostLimits.memoryCheckMs,
  });
  let state: "opening" | "gated" | "open" | "stopping" = "opening";
  const isStopping = (): boolean => state === "stopping";
  const entrance: NodeServerDeps = {
    pages: sharing?.before(pages) ?? pages,
    files: releases?.files ?? served.files,
    mounts: createMounts(served, { reports, pages, options: forPages, clientAddresses, refusals, invalidateToken }),
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
    hasAnswers: reports.stateOf !== undefined,
  };
  return {
    release: reporting.release,
    entrance,
    open: async () => {
      // The service itself may fail to open, but a file that cannot be opened ends the start.
      service?.embedded.shared.openFiles?.();
      await service?.embedded.open();
      await sharing?.stored;
      if (options.gate && state === "opening") {
        state = "gated";
        await passGate(options.gate, reporting);
      }
      if (isStopping()) return;
      state = "open";
      schedules?.scheduler?.start();
      parts.keeping.watch(pages.kept);
    },
    reachableAt: (origin) => service?.embedded.reachableAt(origin),
    consoleEntrance: service && (() => consoleEntrance(service.access)),
    kept,
    record: async (error, during) => {
      const receipt = signals.errorCaught(error, { side: "server", during });
      if (receipt.kind === "recorded") await receipt.durable;
    },
    stopping: () => {
      state = "stopping";
    },
    close: async (endRequests, { withinMs, endsAt }) => {
      const scheduler = schedules?.scheduler;
      scheduler?.stop();
      const keptMs = hooks.onStop ? withinMs * hostLimits.stopHookShare : 0;
      const { streams, actions, after } = forPages;
      // In this order: an action may leave work for the time after its response.
      const running = [streams, actions, ...(scheduler ? [scheduler] : []), after];
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

interface AccessLogDeps {
  reporting: ServerReporting;
  failures: LoggedFailures;
  refusals: Refusals;
}

/** Without `accessLog`, failed requests alone are logged. */
function openAccessLog(
  { limits }: Served["config"],
  { accessLog, failureLog }: OpenOptions,
  { reporting, failures, refusals }: AccessLogDeps,
): ReturnType<typeof createAccessLog> | undefined {
  const write = accessLog ?? failureLog;
  if (!write) return undefined;
  return createAccessLog({
    write,
    which: accessLog ? "all" : "failed",
    cleanPath: reporting.logPath,
    failureOf: (incoming) => failures.of(incoming),
    ...(limits?.logBytesPerSecond !== undefined && { bytesPerSecond: limits.logBytesPerSecond }),
    refusals,
  });
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
