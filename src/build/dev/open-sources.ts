import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer as createSocket } from "node:net";
import { resolve } from "node:path";
import {
  type Connect,
  createLogger,
  createRunnableDevEnvironment,
  createServer,
  type DevEnvironment,
  isRunnableDevEnvironment,
  type Logger,
  type ResolvedConfig,
} from "vite";
import { slashed } from "../application-files.ts";
import { buildErrors } from "../errors.ts";
import { missingPlugins } from "../missing-plugins.ts";
import { serverEntry } from "../virtual-modules.ts";
import { findBrowserSource } from "./browser-sources.ts";
import { prepareStyles } from "./dev-styles.ts";

/** An application run from its sources, without a build: for developing and for tests. */
export interface OpenSources {
  /**
   * What the generated server entry exports, by today's sources. The same object until something it stands on has
   * changed.
   */
  serverModule(): Promise<Record<string, unknown>>;
  /** Serves what the browser asks Vite for; for everything else it sees to the styles of the page and calls on. */
  middleware: Connect.NextHandleFunction;
  /** Tells every open page. */
  tell(event: string, data: unknown): void;
  /** Where a line that a browser ran stands in the sources. */
  findSource(address: string, line: number, column: number): Promise<SourcePlace | undefined>;
  /** Called with what cannot be compiled. The callee also prints it. */
  hearErrors(hear: (error: Error) => void): void;
  /**
   * What the styles that Vite's client puts into a page carry: the content security policy of development has to allow
   * it.
   */
  styleNonce: string;
  close(): Promise<void>;
}

export interface SourcePlace {
  file: string;
  line: number;
  column: number;
}

export interface OpenSourcesOptions {
  root: string;
  /** Tell the browser about changes. Off for tests. */
  watch: boolean;
}

export async function openSources({ root, watch }: OpenSourcesOptions): Promise<OpenSources> {
  const folder = resolve(root);
  const errors: { hear?: (error: Error) => void } = {};
  const styleNonce = randomBytes(16).toString("base64");
  const server = await createServer({
    root: folder,
    customLogger: loggerFor(errors),
    plugins: await missingPlugins(folder, "serve"),
    html: { cspNonce: styleNonce },
    // Vitest maps stacks to sources in its own way, which turns off Node's: so Vite does it for what runs inside of a
    // test.
    ...(watch ? {} : { environments: { ssr: { dev: { createEnvironment: mapsStacksItself } } } }),
    server: {
      middlewareMode: true,
      // The overlay is ours. A port of its own for each, so that two applications can be written at the same time.
      ...(watch
        ? { hmr: { overlay: false, port: await freePort() }, watch: { ignored: ["**/.holdfast/**"] } }
        : { hmr: false, ws: false, watch: null }),
    },
    ...(watch ? {} : { optimizeDeps: { noDiscovery: true, include: [] } }),
  });
  const { client, ssr } = server.environments;
  if (!client || !ssr || !isRunnableDevEnvironment(ssr)) throw buildErrors.notRunnable(folder);
  const seeToStyles = async (target: string): Promise<void> => {
    const [pathname = "/"] = target.split("?");
    // A page that cannot be run fails again when it is rendered, and is reported then.
    await prepareStyles(ssr, `${slashed(folder)}/src/pages`, pathname).catch(() => undefined);
  };
  return {
    serverModule: () => ssr.runner.import(serverEntry),
    middleware: (incoming, response, next) =>
      server.middlewares(incoming, response, (error?: unknown) => {
        if (error || !watch) next(error);
        else seeToStyles(incoming.url ?? "/").then(() => next());
      }),
    tell: (event, data) => client.hot.send(event, data),
    findSource: (address, line, column) => findBrowserSource(client, address, line, column),
    hearErrors: (hear) => {
      errors.hear = hear;
    },
    styleNonce,
    close: () => server.close(),
  };
}

function mapsStacksItself(name: string, config: ResolvedConfig): DevEnvironment {
  return createRunnableDevEnvironment(name, config, { runnerOptions: { sourcemapInterceptor: "prepareStackTrace" } });
}

/**
 * Vite prints an error with its whole stack. Where someone hears of errors, that one prints what an author needs of
 * them.
 */
function loggerFor(errors: { hear?: (error: Error) => void }): Logger {
  const logger = createLogger("warn");
  return {
    ...logger,
    error: (text, options) => {
      const error = options?.error;
      if (error instanceof Error && errors.hear) errors.hear(error);
      else logger.error(text, options);
    },
  };
}

async function freePort(): Promise<number> {
  const socket = createSocket().listen(0);
  await once(socket, "listening");
  const address = socket.address();
  socket.close();
  await once(socket, "close");
  return typeof address === "object" && address ? address.port : 24_678;
}
