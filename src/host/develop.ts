import type { IncomingMessage, ServerResponse } from "node:http";
import type { KeptRunner, PageHandler } from "#pages";
import { consolePath, type DevelopmentSource } from "#service";
import { isFrameworkError } from "./built-pages.ts";
import { withCacheNotes } from "./cache-notes.ts";
import { readConfig } from "./config.ts";
import { developedFailure } from "./failures/developed-failure.ts";
import type { Failure, FindSource } from "./failures/failure.ts";
import { readThrown } from "./failures/failure.ts";
import { Failures } from "./failures/failures.ts";
import { SourceVersions } from "./lifecycle/source-versions.ts";
import { hostLimitsOf } from "./limit-settings.ts";
import { hostLimits } from "./limits.ts";
import { type MountedApplication, type MountOptions, mountApplication } from "./mount/mount-application.ts";
import { warn } from "./process/warn.ts";
import { type RunningServer, type ServeOptions, serve } from "./serve.ts";
import type { Served } from "./served.ts";

/** The application's sources, opened by the build part. Injected, because the host does not depend on the build. */
export interface Sources {
  serverModule(): Promise<Record<string, unknown>>;
  middleware(incoming: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void): void;
  routes: DevelopmentSource["routes"];
  send(event: string, data: unknown): void;
  findSource: FindSource;
  onCompileError(listener: (error: Error) => void): void;
  styleNonce: string;
  close(): Promise<void>;
}

export interface DevelopSources {
  root: string;
  sources: Sources;
  /** Receives failures, line by line. */
  print?: (line: string) => void;
  /** Called with every failure, before the failed request gets its response. */
  onFailure?: (failure: Promise<Failure>) => void;
}

export type DevelopOptions = DevelopSources & ServeOptions;

/** Serves an application from its sources, with the same pages, guards and limits as in production. */
export async function startDevelopment(options: DevelopOptions): Promise<RunningServer> {
  const { served, consoleIsAt } = await openDevelopment(options);
  const running = await serve(served, options).catch(closing(options.sources));
  if (running.consoleUrl) consoleIsAt(new URL(consolePath, running.url).href);
  return {
    ...running,
    stop: async (how) => {
      const ended = await running.stop(how);
      await options.sources.close();
      return ended;
    },
  };
}

/** Opens the sources of an application for a server that is not the framework's. */
export async function mountDevelopment(options: DevelopSources & MountOptions): Promise<MountedApplication> {
  const { served } = await openDevelopment(options);
  const mounted = await mountApplication(served, options).catch(closing(options.sources));
  return {
    ...mounted,
    close: async () => {
      const ended = await mounted.close();
      await options.sources.close();
      return ended;
    },
  };
}

/** Sources that stay open would keep the process of a server that did not start. */
function closing(sources: Sources): (error: unknown) => Promise<never> {
  return async (error) => {
    await sources.close();
    throw error;
  };
}

interface Development {
  served: Served;
  /** Tells failures the address of the console, which they link. */
  consoleIsAt(url: string): void;
}

async function openDevelopment(options: DevelopSources): Promise<Development> {
  const { root, sources } = options;
  const config = await readConfig(root);
  const files = { build: "dev", has: () => false, serve: () => false };
  let consoleUrl: string | undefined;
  const failures = new Failures({
    root,
    findSource: sources.findSource,
    send: sources.send,
    print: options.print ?? (() => undefined),
    onFailure: options.onFailure ?? (() => undefined),
    console: () => consoleUrl,
  });
  if (options.print) sources.onCompileError((error) => void failures.show(readThrown(error), {}));
  await refuseWrongEnvironment(sources);
  return {
    consoleIsAt: (url) => {
      consoleUrl = url;
    },
    served: {
      root,
      config,
      development: true,
      styleNonce: sources.styleNonce,
      developer: {
        routes: () => sources.routes(),
        failures: async () => (await failures.recent()).map(developedFailure),
      },
      files,
      beside: (incoming, response, next) => {
        if (!failures.handle(incoming, response)) sources.middleware(incoming, response, next);
      },
      openPages: async (handlerOptions) => {
        const print = options.print ?? (() => undefined);
        const signals = withCacheNotes(failures.wrapSignals(handlerOptions.signals), { root, print });
        const versions = new SourceVersions({
          root,
          handlerOptions: { ...handlerOptions, signals },
          serverModule: () => sources.serverModule(),
          startMs: hostLimitsOf(config.limits).startMs,
          stopMs: hostLimits.changeMs,
          warn,
        });
        // A failure has been shown, and the first request tries again.
        await versions.newest().catch(() => undefined);
        return pagesOf(sources, versions, failures);
      },
    },
  };
}

/** Stops the start on a wrong environment; the developer can fix every other error while the server runs. */
async function refuseWrongEnvironment(sources: Sources): Promise<void> {
  try {
    await sources.serverModule();
  } catch (error) {
    if (!isFrameworkError(error) || error.code !== "wrong-environment") return;
    await sources.close();
    throw error;
  }
}

/** Runs what is kept with the newest sources. */
function newestRunner(versions: SourceVersions): KeptRunner {
  const newest = async (): Promise<KeptRunner | undefined> => (await versions.newest()).kept;
  return {
    check: async (id) => (await (await newest())?.check(id)) ?? { kind: "unknown" },
    run: async (id, by) => (await (await newest())?.run(id, by)) ?? { kind: "unknown" },
    forget: async (id, by) => (await (await newest())?.forget(id, by)) ?? false,
    notify: async () => (await newest())?.notify(),
  };
}

/** Vite answers its own requests; the handler of the newest sources answers all others. */
function pagesOf(sources: Sources, versions: SourceVersions, failures: Failures): PageHandler {
  const answer = async (response: ServerResponse, handle: () => Promise<void>): Promise<void> => {
    try {
      await handle();
    } catch (error) {
      // No page can be rendered: two files have the same address, the entry does not run, or `onStart` failed.
      const hasNotStarted = isFrameworkError(error) && error.code === "start-failed";
      const shown = hasNotStarted
        ? await failures.show(readThrown(error.cause), { during: "start" })
        : await failures.show(readThrown(error), {});
      if (response.headersSent) response.destroy();
      else response.writeHead(500, { "Content-Type": "text/html; charset=utf-8" }).end(failures.page(shown));
    }
  };
  return {
    build: "dev",
    owns: async (incoming, which) => (await versions.newest()).owns(incoming, which),
    warm: async () => (await versions.newest()).warm(),
    invalidate: async (names) => (await versions.newest()).invalidate?.(names) ?? 0,
    schedules: async () => (await versions.newest()).schedules(),
    kept: newestRunner(versions),
    lifecycle: async () => ({ onStop: (context) => versions.stop(context) }),
    upgrade: (upgrade, response) => answer(response, async () => (await versions.newest()).upgrade(upgrade, response)),
    handle: async (incoming, response) => {
      if (failures.handle(incoming, response)) return;
      await new Promise<void>((resolve, reject) => {
        response.once("close", resolve);
        sources.middleware(incoming, response, (error) => {
          if (error) reject(error);
          else answer(response, async () => (await versions.newest()).handle(incoming, response)).then(resolve, reject);
        });
      });
    },
  };
}
