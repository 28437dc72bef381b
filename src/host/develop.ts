import type { IncomingMessage, ServerResponse } from "node:http";
import type { HandlerOptions, PageHandler } from "#pages";
import { handlerOf } from "./built-pages.ts";
import { readConfig } from "./config.ts";
import { type RunningServer, type ServeOptions, serve } from "./serve.ts";

/** The application's sources as the build part opens them; handed in, because the host does not know the build. */
export interface Sources {
  serverModule(): Promise<Record<string, unknown>>;
  middleware(incoming: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void): void;
  close(): Promise<void>;
}

export interface DevelopOptions extends ServeOptions {
  root: string;
  sources: Sources;
}

/** Serves an application from its sources: the same pages, guards and limits as in production, by today's files. */
export async function startDevelopment(options: DevelopOptions): Promise<RunningServer> {
  const config = await readConfig(options.root);
  const { sources } = options;
  const files = { build: "dev", serve: () => false };
  const running = await serve(
    {
      root: options.root,
      config,
      development: true,
      files,
      openPages: async (handlerOptions) => pagesOf(sources, handlerOptions, options.root),
    },
    options,
  );
  return {
    ...running,
    stop: async (withinMs) => {
      const how = await running.stop(withinMs);
      await sources.close();
      return how;
    },
  };
}

/** Vite answers what is its own; for everything else the handler of the newest sources does. */
function pagesOf(sources: Sources, options: HandlerOptions, root: string): PageHandler {
  let last: { module: unknown; handler: PageHandler } | undefined;
  const newest = async (): Promise<PageHandler> => {
    const module = await sources.serverModule();
    if (last?.module !== module) last = { module, handler: handlerOf(module, options, root) };
    return last.handler;
  };
  return {
    build: "dev",
    warm: async () => (await newest()).warm(),
    handle: (incoming, response) =>
      new Promise((resolve, reject) => {
        response.once("close", resolve);
        sources.middleware(incoming, response, (error) => {
          if (error) reject(error);
          else
            newest()
              .then((handler) => handler.handle(incoming, response))
              .then(resolve, reject);
        });
      }),
  };
}
