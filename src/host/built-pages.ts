import path from "node:path";
import { pathToFileURL } from "node:url";
import type { HandlerOptions, PageHandler } from "#pages";
import { hostErrors } from "./errors.ts";

/** The pages of a build folder. */
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
