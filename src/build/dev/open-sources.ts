import { resolve } from "node:path";
import { type Connect, createServer, isRunnableDevEnvironment } from "vite";
import { slashed } from "../application-files.ts";
import { serverEntry } from "../entries.ts";
import { buildErrors } from "../errors.ts";
import { missingPlugins } from "../missing-plugins.ts";
import { prepareStyles } from "./dev-styles.ts";

/** An application run from its sources, without a build: for developing and for tests. */
export interface OpenSources {
  /** What the generated server entry exports, by today's sources. The same object until something it stands on has changed. */
  serverModule(): Promise<Record<string, unknown>>;
  /** Serves what the browser asks Vite for; for everything else it sees to the styles of the page and calls on. */
  middleware: Connect.NextHandleFunction;
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
  const seeToStyles = async (target: string): Promise<void> => {
    const [pathname = "/"] = target.split("?");
    // A page that cannot be run fails again, and is told about, when it is rendered.
    await prepareStyles(ssr, `${slashed(folder)}/src/pages`, pathname).catch(() => undefined);
  };
  return {
    serverModule: () => ssr.runner.import(serverEntry),
    middleware: (incoming, response, next) =>
      server.middlewares(incoming, response, (error?: unknown) => {
        if (error || !watch) next(error);
        else seeToStyles(incoming.url ?? "/").then(() => next());
      }),
    close: () => server.close(),
  };
}
