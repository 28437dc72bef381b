import path from "node:path";
import { pathToFileURL } from "node:url";
import { messageOf } from "#errors";
import type { HandlerOptions, PageHandler } from "#pages";
import { hostErrors } from "./errors.ts";
import { openPrerendered } from "./prerender/open-prerendered.ts";
import type { SentFiles } from "./stored-file.ts";

/** Opens the pages of a build folder. */
export async function openBuiltPages(dist: string, options: HandlerOptions, cache?: SentFiles): Promise<PageHandler> {
  const [module, prerendered] = await Promise.all([loadBuild(dist), openPrerendered(dist, cache)]);
  return handlerOf(module, { ...options, prerendered }, dist);
}

/** Loads the code of a build. */
export async function loadBuild(dist: string): Promise<Record<string, unknown>> {
  const file = path.join(dist, "server", "application.js");
  return await import(pathToFileURL(file).href).catch((error: unknown) => {
    // Thrown by the build's own copy of the class, for example when an environment variable is missing.
    if (isFrameworkError(error)) throw error;
    throw hostErrors.brokenBuild(dist, messageOf(error));
  });
}

/** Recognizes errors of every copy of the framework: a build has its own. */
export function isFrameworkError(error: unknown): error is Error & { code: string; whatToDo: string } {
  return error instanceof Error && error.name === "HoldfastError" && "code" in error && "whatToDo" in error;
}

/** Creates the handler from a build's or the sources' server module. */
export function handlerOf(module: Record<string, unknown>, options: HandlerOptions, where: string): PageHandler {
  if (typeof module.createHandler !== "function")
    throw hostErrors.brokenBuild(where, "its server entry exports no createHandler");
  // Builds of older versions have neither schedules nor hooks nor sockets, and cannot say what they own.
  const none: Pick<PageHandler, "owns" | "schedules" | "lifecycle" | "upgrade"> = {
    owns: () => true,
    schedules: async () => [],
    lifecycle: async () => ({}),
    upgrade: (_upgrade, response) => void response.writeHead(400, { "Content-Length": "0" }).end(),
  };
  return Object.assign(none, module.createHandler(options) as PageHandler);
}
