import type { AddressInfo } from "node:net";
import path from "node:path";
import { logRefusals, Refusals } from "#bounds";
import {
  type HandlerOptions,
  openUploadFolder,
  type PageHandler,
  Posts,
  RunningActions,
  type ServerLimits,
  serverLimits,
} from "#pages";
import { createStallWatcher, reportingLimits, type ServerReporting } from "#reporting";
import { type Access, consolePath, openSharedState, type SharedState } from "#service";
import { createAccessLog } from "./access-log.ts";
import type { HoldfastConfig } from "./config.ts";
import { createHostCheck } from "./known-hosts.ts";
import { hostLimits } from "./limits.ts";
import { listenOn } from "./listen.ts";
import { LoggedFailures } from "./logged-failures.ts";
import { createNodeServer } from "./node-server.ts";
import { type ClientAddresses, createClientAddresses } from "./origin.ts";
import { watchMemory } from "./process/memory.ts";
import { type StopOptions, stopServer } from "./process/stop.ts";
import { warn } from "./process/warn.ts";
import { createTunnelMount, openHandOver, openReporting } from "./reporting.ts";
import { createByHandMount } from "./schedules/by-hand-mount.ts";
import { type OpenSchedules, openSchedules } from "./schedules/open-schedules.ts";
import type { Served } from "./served.ts";
import { createConsoleMount, provideConsoleApi } from "./service/console-mount.ts";
import { embedService, serviceFolderOf } from "./service/embedded-service.ts";
import { createFeedbackMount } from "./service/feedback-mount.ts";
import { createNoteMount } from "./service/note-mount.ts";
import { openSharing } from "./sharing/open-sharing.ts";
import { openSubmissionMemory } from "./submissions/open-submission-memory.ts";
import { sealKeyOf } from "./submissions/seal-key.ts";

/** Where and how an application is served. */
export interface ServeOptions {
  port: number;
  /** Whether to use the next free port when this one is in use. */
  nextFreePort: boolean;
  host: string;
  dataFolder: string;
  /** Receives the access log; without it there is none. */
  accessLog?: (text: string) => void;
  /** Memory limit of this process, if there is one. */
  memoryBytes?: number | undefined;
}

export interface RunningServer {
  url: string;
  port: number;
  /**
   * Address of the console, as people reach it; absent where reports go to another service. While there is no account,
   * each call creates a link with its own secret: call it only to show the link.
   */
  consoleUrl: (() => Promise<string>) | undefined;
  /** Records an error outside of any request. Resolves when the record would survive a crash. */
  record(error: unknown, during: "uncaught" | "rejection"): Promise<void>;
  /** Reports that it is not ready, finishes requests in progress, then ends; cuts those that take too long. */
  stop(options?: StopOptions): Promise<"finished" | "cut">;
}

/** Serves pages, browser files and the framework's own addresses until it is stopped. */
export async function serve(served: Served, options: ServeOptions): Promise<RunningServer> {
  const { config } = served;
  const refusals = new Refusals();
  const clientAddresses = createClientAddresses({ origin: config.origin, trustedProxies: config.trustedProxies ?? [] });
  const stallWatcher = createStallWatcher(reportingLimits);
  const { buildFolder: folder } = served;
  const build = folder === undefined ? undefined : { folder, release: () => reporting.release };
  const { store } = config;
  const shared =
    config.report?.dsn === undefined ? await openSharedState(serviceFolderOf(options.dataFolder), store) : undefined;
  const embedded =
    shared && embedService(options.dataFolder, { shared, build, store, task: stallWatcher.task, refusals });
  const admission = shared && consoleAccess(served, options.host, () => shared.openAccounts(refusals));
  const api = embedded && admission && provideConsoleApi(embedded, admission, () => reporting.delivered());
  const handOver = openHandOver(served, () => reporting.release);
  const reporting: ServerReporting = openReporting(served, options.dataFolder, {
    embedded,
    handOver,
    stallWatcher,
    refusals,
  });
  const posts = new Posts(limitsOf(config), clientAddresses.clientOf, refusals);
  const sealKey = sealKeyOf(options.dataFolder, process.env.HOLDFAST_SECRET);
  const submissions = openSubmissionMemory(config, {
    dataFolder: options.dataFolder,
    sealKey,
    isKeyGiven: process.env.HOLDFAST_SECRET !== undefined,
    warn,
  });
  const failures = new LoggedFailures(reporting.logText);
  const forPages: HandlerOptions = {
    ...handlerOptions(served, reporting, options.dataFolder),
    ...clientAddresses,
    sealKey,
    memory: submissions.memory,
    posts,
    onError: (incoming, error, digest) => failures.note(incoming, error, digest),
  };
  const { clientOf } = clientAddresses;
  const sharing = await openSharing(served, { dataFolder: options.dataFolder, clientOf, refusals });
  let schedules: OpenSchedules | undefined;
  const closeParts = async (): Promise<void> => {
    handOver?.close();
    await schedules?.close();
    await sharing?.close();
    submissions.close();
    await reporting.close();
    api?.close();
    await embedded?.close();
    await shared?.close();
  };
  const openApplication = async (): Promise<PageHandler> => {
    const opened = await served.openPages(forPages);
    // In development they run by hand.
    const deps = { pages: opened, shared, reporting, dataFolder: options.dataFolder };
    if (!served.development) schedules = await openSchedules(served, deps);
    return opened;
  };
  const pages = await openApplication().catch(async (error: unknown) => {
    // A thread left running would keep the process of a server that did not start.
    await closeParts();
    throw error;
  });
  const access = options.accessLog
    ? createAccessLog({
        write: options.accessLog,
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
  let state: "opening" | "open" | "stopping" = "opening";
  const server = createNodeServer({
    pages: sharing?.before(pages) ?? pages,
    files: served.files,
    // Last, because the console answers every address below /_holdfast that no other mount has.
    mounts: [
      createNoteMount({ reporting, clientOf: clientAddresses.clientOf, refusals }),
      createFeedbackMount({ reporting, clientOf: clientAddresses.clientOf, refusals }),
      createTunnelMount(reporting, clientAddresses),
      embedded?.ingest,
      served.development ? createByHandMount({ pages, reporting }) : undefined,
      embedded && createConsoleMount(forPages, embedded.open),
    ].filter((mount) => mount !== undefined),
    clientAddresses,
    isKnownHost: createHostCheck({
      hosts: config.hosts,
      origin: config.origin,
      listensOn: options.host,
      development: served.development,
    }),
    log: access?.log,
    limits: { ...hostLimits, connections: config.limits?.connections ?? hostLimits.connections },
    refusals,
    isReady: () => state === "open" && !memory.isShort(),
    isShort: memory.isShort,
  });
  // Pages are served before the service is open; their reports wait on disk.
  await listenOn(server, options, hostLimits.portsTried);
  await embedded?.open();
  await sharing?.stored;
  state = "open";
  const scheduler = schedules?.scheduler;
  scheduler?.start();
  const { port } = server.address() as AddressInfo;
  const url = `http://${shownHost(options.host)}:${port}`;
  embedded?.reachableAt(config.origin ?? url);
  return {
    port,
    url,
    consoleUrl:
      admission &&
      (async () => (served.development ? url : (config.origin ?? url)) + (await consoleEntrance(admission))),
    record: async (error, during) => {
      const receipt = reporting.signals.errorCaught(error, { side: "server", during });
      if (receipt.kind === "recorded") await receipt.durable;
    },
    stop: async (how = {}) => {
      state = "stopping";
      scheduler?.stop();
      const ended = await stopServer(server, [forPages.actions, ...(scheduler ? [scheduler] : [])], how);
      memory.close();
      refused.close();
      access?.flush();
      await closeParts();
      return ended;
    },
  };
}

function consoleAccess(
  { config, development }: Served,
  host: string,
  openAccounts: SharedState["openAccounts"],
): Access {
  if (config.console?.authorize) return { kind: "application", authorize: config.console.authorize };
  if (development && ["localhost", "127.0.0.1", "::1"].includes(host)) return { kind: "open" };
  return { kind: "accounts", accounts: openAccounts() };
}

/**
 * Returns the console's path. For a service without accounts it is the single-use link that creates its first owner.
 */
async function consoleEntrance(access: Access): Promise<string> {
  if (access.kind !== "accounts" || (await access.accounts.all()).length > 0) return consolePath;
  return `${consolePath}/welcome/${await access.accounts.invites.create("owner")}`;
}

function shownHost(host: string): string {
  return host === "0.0.0.0" || host === "::" ? "localhost" : host.includes(":") ? `[${host}]` : host;
}

function handlerOptions(
  { config, development, styleNonce }: Served,
  reporting: ServerReporting,
  dataFolder: string,
): Omit<HandlerOptions, keyof ClientAddresses | "sealKey" | "memory" | "posts"> {
  const uploadFolder = path.join(dataFolder, "uploads");
  openUploadFolder(uploadFolder);
  const csp = config.csp ?? {};
  return {
    signals: reporting.signals,
    limits: limitsOf(config),
    lang: config.lang ?? "en",
    trustedOrigins: config.trustedOrigins ?? [],
    redirectOrigins: config.redirectOrigins ?? [],
    policy: { csp: development ? { ...csp, ...whatViteNeeds(csp, styleNonce) } : csp, hsts: config.hsts ?? true },
    headStart: reporting.headScript,
    uploadFolder,
    actions: new RunningActions(),
    development,
  };
}

function limitsOf({ submissions, limits = {} }: HoldfastConfig): ServerLimits {
  const seconds = submissions?.actionSeconds;
  return {
    ...serverLimits,
    ...(seconds !== undefined && { actionMs: seconds * 1_000 }),
    ...(limits.formFields !== undefined && { formFields: limits.formFields }),
    ...(limits.postsAtOnce !== undefined && { postsAtOnce: limits.postsAtOnce }),
    ...(limits.postedBytes !== undefined && { postedBytes: limits.postedBytes }),
    ...(limits.uploadsOnDiskBytes !== undefined && { uploadsOnDiskBytes: limits.uploadsOnDiskBytes }),
  };
}

/**
 * In development, Vite's client inserts styles into the page and listens to a socket. Nothing else is allowed that
 * production refuses: styles that a library writes at run time would look right in development and be missing in
 * production.
 */
function whatViteNeeds(
  csp: Readonly<Record<string, readonly string[]>>,
  styleNonce = "",
): Record<string, readonly string[]> {
  const all: Record<string, readonly string[]> = { "style-src": [], ...csp };
  const styles = Object.entries(all).filter(([name]) => /^style-src(?:-elem)?$/.test(name));
  return {
    // Browsers ignore `'unsafe-inline'` beside a nonce, so an application that allows all styles gets none.
    ...Object.fromEntries(
      styles
        .filter(([, sources]) => !sources.includes("'unsafe-inline'"))
        .map(([name, sources]) => [name, [...sources, `'nonce-${styleNonce}'`]]),
    ),
    "connect-src": [...(csp["connect-src"] ?? []), "ws:"],
  };
}
