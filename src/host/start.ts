import { mkdirSync } from "node:fs";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { type HandlerOptions, type PageHandler, serverLimits } from "#pages";
import { createErrorRecorder } from "#reporting";
import { type ServerSignals, silentServerSignals } from "#signals";
import { createAccessLog } from "./access-log.ts";
import { openBrowserFiles } from "./browser-files.ts";
import { type HoldfastConfig, readConfig } from "./config.ts";
import { hostErrors } from "./errors.ts";
import { hostLimits } from "./limits.ts";
import { listenOn } from "./listen.ts";
import { createNodeServer } from "./node-server.ts";
import { createNoteMount } from "./note-mount.ts";
import { createWhereabouts, type Whereabouts } from "./origin.ts";
import { stopServer } from "./stop.ts";

export interface StartOptions {
  /** The application's folder. */
  root: string;
  outDir?: string;
  port: number;
  /** Whether to take the next free port when this one is taken. */
  nextFreePort: boolean;
  host: string;
  dataFolder: string;
  /** Where the access log goes; nowhere when left out. */
  accessLog?: (text: string) => void;
}

export interface RunningServer {
  url: string;
  port: number;
  /** Finishes what is under way, then ends. */
  stop(): Promise<"finished" | "cut">;
}

/** Serves a built application: its pages, its browser files, and what belongs to the framework. */
export async function startApplication(options: StartOptions): Promise<RunningServer> {
  const dist = path.resolve(options.root, options.outDir ?? "dist");
  const [config, files] = await Promise.all([readConfig(options.root), openBrowserFiles(dist)]);
  const whereabouts = createWhereabouts({ origin: config.origin, trustedProxies: config.trustedProxies ?? [] });
  const signals = createSignals(options.dataFolder);
  const pages = await openPages(dist, handlerOptions(config, whereabouts, signals, options.dataFolder));
  const access = options.accessLog ? createAccessLog(options.accessLog) : undefined;
  let stopping = false;
  const server = createNodeServer({
    pages,
    files,
    mounts: [createNoteMount(path.join(options.dataFolder, "outbox"))],
    whereabouts,
    log: access?.log,
    limits: hostLimits,
    isReady: () => !stopping,
  });
  await listenOn(server, options, hostLimits.portsTried);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://${shownHost(options.host)}:${port}`,
    stop: async () => {
      stopping = true;
      const how = await stopServer(server, hostLimits.shutdownMs);
      access?.flush();
      return how;
    },
  };
}

function shownHost(host: string): string {
  return host === "0.0.0.0" || host === "::" ? "localhost" : host.includes(":") ? `[${host}]` : host;
}

function createSignals(dataFolder: string): ServerSignals {
  const failed = (why: unknown): void => console.error("An error report could not be kept:", why);
  return {
    ...silentServerSignals,
    errorCaught: createErrorRecorder({ folder: path.join(dataFolder, "outbox"), now: Date.now, failed }),
  };
}

function handlerOptions(
  config: HoldfastConfig,
  whereabouts: Whereabouts,
  signals: ServerSignals,
  dataFolder: string,
): HandlerOptions {
  const uploadFolder = path.join(dataFolder, "uploads");
  mkdirSync(uploadFolder, { recursive: true, mode: 0o700 });
  return {
    signals,
    limits: serverLimits,
    lang: config.lang ?? "en",
    originOf: whereabouts.originOf,
    trustedOrigins: config.trustedOrigins ?? [],
    redirectOrigins: config.redirectOrigins ?? [],
    policy: { csp: config.csp ?? {}, hsts: config.hsts ?? true },
    headStart: "",
    uploadFolder,
    development: false,
  };
}

async function openPages(dist: string, options: HandlerOptions): Promise<PageHandler> {
  const file = path.join(dist, "server", "application.js");
  const module: { createHandler?: unknown } = await import(pathToFileURL(file).href).catch((error: unknown) => {
    throw hostErrors.brokenBuild(dist, error instanceof Error ? error.message : String(error));
  });
  if (typeof module.createHandler !== "function")
    throw hostErrors.brokenBuild(dist, "server/application.js exports no createHandler");
  return module.createHandler(options) as PageHandler;
}
