import { readFile } from "node:fs/promises";
import path from "node:path";
import type { HandlerOptions, PageHandler } from "#pages";
import { openBrowserFiles } from "./browser-files.ts";
import { openBuiltPages } from "./built-pages.ts";
import { readConfig } from "./config.ts";
import { type RunningServer, type ServeOptions, serve } from "./serve.ts";

export interface StartOptions extends ServeOptions {
  /** The application's folder. */
  root: string;
  outDir?: string;
}

/** Serves a built application. */
export async function startApplication(options: StartOptions): Promise<RunningServer> {
  const dist = path.resolve(options.root, options.outDir ?? "dist");
  const [config, files, release] = await Promise.all([
    readConfig(options.root),
    openBrowserFiles(dist),
    readRelease(dist),
  ]);
  const openPages = (handlerOptions: HandlerOptions): Promise<PageHandler> => openBuiltPages(dist, handlerOptions);
  const served = { root: options.root, buildFolder: dist, release, config, development: false, files, openPages };
  return serve(served, options);
}

/** Reads the release that the build has recorded. Builds of older versions have none. */
async function readRelease(dist: string): Promise<string | undefined> {
  const text = await readFile(path.join(dist, "release.txt"), "utf8").catch(() => "");
  return text.trim() || undefined;
}
