import type { IncomingMessage, ServerResponse } from "node:http";
import type { HandlerOptions, PageHandler } from "#pages";
import { consolePath } from "#service";
import { handlerOf, isFrameworkError } from "./built-pages.ts";
import { readConfig } from "./config.ts";
import type { Failure, FindSource } from "./failures/failure.ts";
import { readThrown } from "./failures/failure.ts";
import { Failures } from "./failures/failures.ts";
import { type RunningServer, type ServeOptions, serve } from "./serve.ts";

/** The application's sources, opened by the build part. Injected, because the host does not depend on the build. */
export interface Sources {
  serverModule(): Promise<Record<string, unknown>>;
  middleware(incoming: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void): void;
  send(event: string, data: unknown): void;
  findSource: FindSource;
  onCompileError(listener: (error: Error) => void): void;
  styleNonce: string;
  close(): Promise<void>;
}

export interface DevelopOptions extends ServeOptions {
  root: string;
  sources: Sources;
  /** Receives failures, line by line. */
  print?: (line: string) => void;
  /** Called with every failure, before the failed request gets its response. */
  onFailure?: (failure: Promise<Failure>) => void;
}

/** Serves an application from its sources, with the same pages, guards and limits as in production. */
export async function startDevelopment(options: DevelopOptions): Promise<RunningServer> {
  const { root, sources } = options;
  const config = await readConfig(root);
  const files = { build: "dev", serve: () => false };
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
  const running = await serve(
    {
      root,
      config,
      development: true,
      styleNonce: sources.styleNonce,
      files,
      openPages: async (handlerOptions) => pagesOf(sources, handlerOptions, root, failures),
    },
    options,
  );
  consoleUrl = running.consoleUrl && new URL(consolePath, running.url).href;
  return {
    ...running,
    stop: async (how) => {
      const ended = await running.stop(how);
      await sources.close();
      return ended;
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

/** Vite answers its own requests; the handler of the newest sources answers all others. */
function pagesOf(sources: Sources, handlerOptions: HandlerOptions, root: string, failures: Failures): PageHandler {
  const options = { ...handlerOptions, signals: failures.wrapSignals(handlerOptions.signals) };
  let last: { module: unknown; handler: PageHandler } | undefined;
  const newest = async (): Promise<PageHandler> => {
    const module = await sources.serverModule();
    if (last?.module !== module) last = { module, handler: handlerOf(module, options, root) };
    return last.handler;
  };
  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      await (await newest()).handle(incoming, response);
    } catch (error) {
      // No page can be rendered: two files have the same address, or the entry does not run.
      const shown = await failures.show(readThrown(error), {});
      if (response.headersSent) response.destroy();
      else response.writeHead(500, { "Content-Type": "text/html; charset=utf-8" }).end(failures.page(shown));
    }
  };
  return {
    build: "dev",
    warm: async () => (await newest()).warm(),
    schedules: async () => (await newest()).schedules(),
    handle: async (incoming, response) => {
      if (failures.handle(incoming, response)) return;
      await new Promise<void>((resolve, reject) => {
        response.once("close", resolve);
        sources.middleware(incoming, response, (error) => {
          if (error) reject(error);
          else answer(incoming, response).then(resolve, reject);
        });
      });
    },
  };
}
