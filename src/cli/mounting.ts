import path from "node:path";
import { readEnvironmentFiles } from "#build/environment-files";
import {
  type FetchHandler,
  type FetchSender,
  hostErrors,
  type MountedApplication,
  mountBuild,
  mountDevelopment,
  type Next,
} from "#host";
import { applicationData } from "./data-folder.ts";
import { warnLine } from "./terminal.ts";

export type { FetchHandler, FetchSender, MountedApplication, Next };

export interface OpenApplicationOptions {
  /** The application's folder; the current one by default. */
  folder?: string;
  /** Folder of the build inside of it; `dist` by default. */
  outDir?: string;
  /** Runs the sources instead of a build, as `holdfast dev` does. Off by default. */
  development?: boolean;
  /** Folder for reports and uploads; by default `HOLDFAST_DATA`, or else `.holdfast` in the current folder. */
  dataFolder?: string;
  /**
   * Who answers an address below the application's path that no page, API route or file has: its not-found page, or
   * `next` of the handler. `page` by default.
   */
  notFound?: "page" | "next";
  /** Receives a line for each request that the application answers; without it, requests that failed go to stderr. */
  accessLog?: (text: string) => void;
}

/**
 * Opens an application for a server of your own: `node:http`, Express or Fastify. A process has one at a time.
 *
 * @example
 * const holdfast = await openApplication();
 * express().use(holdfast.handler).listen(3000).on("upgrade", holdfast.upgrade);
 */
export async function openApplication(options: OpenApplicationOptions = {}): Promise<MountedApplication> {
  const root = path.resolve(options.folder ?? ".");
  const leave = enterProcess(root);
  try {
    const mounted = await open(root, options);
    return { ...mounted, close: () => mounted.close().finally(leave) };
  } catch (error) {
    leave();
    throw error;
  }
}

async function open(root: string, options: OpenApplicationOptions): Promise<MountedApplication> {
  const { outDir, development = false, notFound = "page", accessLog } = options;
  readEnvironmentFiles(root, development ? "development" : "production");
  const dataFolder = applicationData(options.dataFolder);
  const common = { root, dataFolder, notFound, accessLog };
  if (!development) return mountBuild({ ...common, outDir, failureLog: (lines) => warnLine(lines.trimEnd()) });
  // Only here: a server with a build starts without the bundler.
  const { openSources } = await import("#build");
  return mountDevelopment({ ...common, sources: await openSources({ root, watch: true }), print: warnLine });
}

/** Shared by all copies of the package in a process: the console of each would show the reports of the last one. */
const ofProcess = Symbol.for("holdfast.open-application");

function enterProcess(root: string): () => void {
  const shared = globalThis as { [ofProcess]?: string | undefined };
  if (shared[ofProcess] !== undefined) throw hostErrors.alreadyOpen(shared[ofProcess]);
  shared[ofProcess] = root;
  return () => {
    shared[ofProcess] = undefined;
  };
}
