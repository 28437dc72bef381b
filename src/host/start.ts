import { readFile } from "node:fs/promises";
import path from "node:path";
import type { HandlerOptions, PageHandler } from "#pages";
import { openBrowserFiles } from "./browser-files.ts";
import { openBuiltPages } from "./built-pages.ts";
import { readConfig } from "./config.ts";
import { FileCache } from "./file-cache.ts";
import { limitsThatHold } from "./limit-settings.ts";
import { type MountedApplication, type MountOptions, mountApplication } from "./mount/mount-application.ts";
import { type RunningServer, type ServeOptions, serve } from "./serve.ts";
import type { Served } from "./served.ts";
import type { HoldfastConfig } from "./settings.ts";
import type { SentFile } from "./stored-file.ts";

export interface BuiltApplication {
  /** The application's folder. */
  root: string;
  outDir?: string | undefined;
  /**
   * For a start beside the one that visitors reach: its reports stay in its own data folder, whatever the configuration
   * says about them, and it runs no schedules.
   */
  isPrivate?: boolean;
}

export type StartOptions = BuiltApplication & ServeOptions;

/** Serves a built application. */
export async function startApplication(options: StartOptions): Promise<RunningServer> {
  return serve(await openBuilt(options), options);
}

/** Opens a built application for a server that is not the framework's. */
export async function mountBuild(options: BuiltApplication & MountOptions): Promise<MountedApplication> {
  return mountApplication(await openBuilt(options), options);
}

/** Reads the configuration and the files of a build. */
export async function openBuilt(options: BuiltApplication): Promise<Served> {
  const dist = path.resolve(options.root, options.outDir ?? "dist");
  const { isPrivate = false } = options;
  const stated = await readConfig(options.root);
  const config = isPrivate ? withOwnReports(stated) : stated;
  const cache = new FileCache<SentFile>(limitsThatHold(config.limits).fileBytes);
  const [files, release] = await Promise.all([openBrowserFiles(dist, config, cache), readRelease(dist)]);
  const openPages = (handlerOptions: HandlerOptions): Promise<PageHandler> =>
    openBuiltPages(dist, handlerOptions, cache);
  return { root: options.root, buildFolder: dist, release, config, development: false, isPrivate, files, openPages };
}

/** No other service and no shared database. An empty `store` is the data folder, also beside `HOLDFAST_STORE`. */
function withOwnReports(config: HoldfastConfig): HoldfastConfig {
  const { dsn: _elsewhere, ...report } = config.report ?? {};
  return { ...config, report, store: "" };
}

/** Reads the release that the build has recorded. Builds of older versions have none. */
async function readRelease(dist: string): Promise<string | undefined> {
  const text = await readFile(path.join(dist, "release.txt"), "utf8").catch(() => "");
  return text.trim() || undefined;
}
