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
  const [config, files] = await Promise.all([readConfig(options.root), openBrowserFiles(dist)]);
  const openPages = (handlerOptions: HandlerOptions): Promise<PageHandler> => openBuiltPages(dist, handlerOptions);
  return serve({ root: options.root, buildFolder: dist, config, development: false, files, openPages }, options);
}
