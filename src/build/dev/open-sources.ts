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
import { readApplication, slashed } from "../application-files.ts";
import { buildErrors } from "../errors.ts";
import { missingPlugins } from "../missing-plugins.ts";
import { type RouteFacts, routeFacts } from "../route-facts.ts";
import { serverEntry } from "../virtual-modules.ts";
import { findBrowserSource } from "./browser-sources.ts";
import { prepareStyles } from "./dev-styles.ts";

/** An application that runs from its sources, without a build: for development and tests. */
export interface OpenSources {
  /**
   * Exports of the generated server entry, from the current sources. The same object until one of its dependencies
   * changes.
   */
  serverModule(): Promise<Record<string, unknown>>;
  /** Serves the browser's requests to Vite; for all others it prepares the page's styles and calls `next`. */
  middleware: Connect.NextHandleFunction;
  /** Lists the routes of the current files. */
  routes(): Promise<readonly RouteFacts[]>;
  /** Sends an event to every open page. */
  send(event: string, data: unknown): void;
  /** Maps a position in code that a browser ran to its source. */
  findSource(address: string, line: number, column: number): Promise<SourcePosition | undefined>;
  /** Registers the receiver of compile errors, which also prints them. */
  onCompileError(listener: (error: Error) => void): void;
  /** Nonce of the styles that Vite's client inserts; the content security policy of development allows it. */
  styleNonce: string;
  close(): Promise<void>;
}

export interface SourcePosition {
  file: string;
  line: number;
  column: number;
}

export interface OpenSourcesOptions {
  root: string;
  /** Whether to send changes to the browser. Off for tests. */
  watch: boolean;
}

export async function openSources({ root, watch }: OpenSourcesOptions): Promise<OpenSources> {
  const folder = resolve(root);
  const errors: { listener?: (error: Error) => void } = {};
  const styleNonce = randomBytes(16).toString("base64");
  const server = await createServer({
    root: folder,
    customLogger: loggerFor(errors),
    plugins: await missingPlugins(folder, "serve"),
    html: { cspNonce: styleNonce },
    // Vitest maps stacks to sources itself, which disables Node's mapping, so Vite maps the stacks of code inside a
    // test.
    ...(watch ? {} : { environments: { ssr: { dev: { createEnvironment: mapsStacksItself } } } }),
    server: {
      middlewareMode: true,
      // The framework has its own overlay. Each application gets its own port, so that two can run at the same time.
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
    // A page that cannot run fails again when it is rendered, and is reported then.
    await prepareStyles(ssr, `${slashed(folder)}/src/pages`, pathname).catch(() => undefined);
  };
  return {
    serverModule: () => ssr.runner.import(serverEntry),
    middleware: (incoming, response, next) =>
      server.middlewares(incoming, response, (error?: unknown) => {
        if (error || !watch) next(error);
        else seeToStyles(incoming.url ?? "/").then(() => next());
      }),
    routes: async () => routeFacts(await readApplication(folder)),
    send: (event, data) => client.hot.send(event, data),
    findSource: (address, line, column) => findBrowserSource(client, address, line, column),
    onCompileError: (listener) => {
      errors.listener = listener;
    },
    styleNonce,
    close: () => server.close(),
  };
}

function mapsStacksItself(name: string, config: ResolvedConfig): DevEnvironment {
  return createRunnableDevEnvironment(name, config, { runnerOptions: { sourcemapInterceptor: "prepareStackTrace" } });
}

/** Vite prints errors with the whole stack. A registered receiver prints them instead, in short form. */
function loggerFor(errors: { listener?: (error: Error) => void }): Logger {
  const logger = createLogger("warn");
  return {
    ...logger,
    error: (text, options) => {
      const error = options?.error;
      if (error instanceof Error && errors.listener) errors.listener(error);
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
