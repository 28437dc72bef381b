import path from "node:path";
import { pathToFileURL } from "node:url";
import type { HandlerOptions, PageHandler } from "#pages";
import { openBrowserFiles } from "./browser-files.ts";
import { readConfig } from "./config.ts";
import { hostErrors } from "./errors.ts";
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
  return serve({ root: options.root, config, development: false, files, openPages }, options);
}

export async function openBuiltPages(dist: string, options: HandlerOptions): Promise<PageHandler> {
  const file = path.join(dist, "server", "application.js");
  const module: Record<string, unknown> = await import(pathToFileURL(file).href).catch((error: unknown) => {
    throw hostErrors.brokenBuild(dist, error instanceof Error ? error.message : String(error));
  });
  return handlerOf(module, options, dist);
}

/** Both the build and the sources give a module that makes the handler. */
export function handlerOf(module: Record<string, unknown>, options: HandlerOptions, where: string): PageHandler {
  if (typeof module.createHandler !== "function")
    throw hostErrors.brokenBuild(where, "its server entry exports no createHandler");
  return module.createHandler(options) as PageHandler;
}
