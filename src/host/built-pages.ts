import path from "node:path";
import { pathToFileURL } from "node:url";
import type { HandlerOptions, PageHandler } from "#pages";
import { hostErrors } from "./errors.ts";

/** The pages of a build folder. */
export async function openBuiltPages(dist: string, options: HandlerOptions): Promise<PageHandler> {
  const file = path.join(dist, "server", "application.js");
  const module: Record<string, unknown> = await import(pathToFileURL(file).href).catch((error: unknown) => {
    // Raised by the build's own copy of the class: what the application asks for is not there.
    if (isFrameworkError(error)) throw error;
    throw hostErrors.brokenBuild(dist, error instanceof Error ? error.message : String(error));
  });
  return handlerOf(module, options, dist);
}

/** An error of the framework, of whichever copy: a build has its own. */
export function isFrameworkError(error: unknown): error is Error & { code: string; whatToDo: string } {
  return error instanceof Error && error.name === "HoldfastError" && "code" in error && "whatToDo" in error;
}

/** Both the build and the sources give a module that makes the handler. */
export function handlerOf(module: Record<string, unknown>, options: HandlerOptions, where: string): PageHandler {
  if (typeof module.createHandler !== "function")
    throw hostErrors.brokenBuild(where, "its server entry exports no createHandler");
  return module.createHandler(options) as PageHandler;
}
