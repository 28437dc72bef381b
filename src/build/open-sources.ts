import { resolve } from "node:path";
import { type Connect, createServer, isRunnableDevEnvironment } from "vite";
import { missingPlugins } from "./build-application.ts";
import { serverEntry } from "./entries.ts";
import { buildErrors } from "./errors.ts";

/** An application run from its sources, without a build: for developing and for tests. */
export interface OpenSources {
  /** What the generated server entry exports, by today's sources. The same object until something it stands on has changed. */
  serverModule(): Promise<Record<string, unknown>>;
  /** Serves what the browser asks Vite for; calls on for everything else. */
  middleware: Connect.Server;
  close(): Promise<void>;
}

export interface OpenSourcesOptions {
  root: string;
  /** Tell the browser about changes. Off for tests. */
  watch: boolean;
}

export async function openSources({ root, watch }: OpenSourcesOptions): Promise<OpenSources> {
  const folder = resolve(root);
  const server = await createServer({
    root: folder,
    logLevel: "warn",
    plugins: await missingPlugins(folder, "serve"),
    server: { middlewareMode: true, ...(watch ? {} : { hmr: false, ws: false, watch: null }) },
    ...(watch ? {} : { optimizeDeps: { noDiscovery: true, include: [] } }),
  });
  const { ssr } = server.environments;
  if (!ssr || !isRunnableDevEnvironment(ssr)) throw buildErrors.notRunnable(folder);
  return {
    serverModule: () => ssr.runner.import(serverEntry),
    middleware: server.middlewares,
    close: () => server.close(),
  };
}
