import { readFile } from "node:fs/promises";
import path from "node:path";
import type { HandlerOptions, PageHandler } from "#pages";
import { openBrowserFiles } from "./browser-files.ts";
import { openBuiltPages } from "./built-pages.ts";
import { readConfig } from "./config.ts";
import { createFileHeaders } from "./header-rules.ts";
import { type MountedApplication, type MountOptions, mountApplication } from "./mount/mount-application.ts";
import { type RunningServer, type ServeOptions, serve } from "./serve.ts";
import type { Served } from "./served.ts";

export interface BuiltApplication {
  /** The application's folder. */
  root: string;
  outDir?: string | undefined;
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

async function openBuilt(options: BuiltApplication): Promise<Served> {
  const dist = path.resolve(options.root, options.outDir ?? "dist");
  const config = await readConfig(options.root);
  const [files, release] = await Promise.all([openBrowserFiles(dist, createFileHeaders(config)), readRelease(dist)]);
  const openPages = (handlerOptions: HandlerOptions): Promise<PageHandler> => openBuiltPages(dist, handlerOptions);
  return { root: options.root, buildFolder: dist, release, config, development: false, files, openPages };
}

/** Reads the release that the build has recorded. Builds of older versions have none. */
async function readRelease(dist: string): Promise<string | undefined> {
  const text = await readFile(path.join(dist, "release.txt"), "utf8").catch(() => "");
  return text.trim() || undefined;
}
