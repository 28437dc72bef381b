import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { KeptOperations } from "./kept/kept-operations.ts";
import { hostLimitsOf } from "./limit-settings.ts";
import { hostLimits } from "./limits.ts";
import { listenOn } from "./listen.ts";
import { createNodeServer } from "./node-server.ts";
import { type OpenOptions, openServed } from "./open-served.ts";
import { type StopOptions, stopServer } from "./process/stop.ts";
import { boundYoungMemory } from "./process/young-memory.ts";
import type { Served } from "./served.ts";

/** Where and how an application is served. */
export interface ServeOptions extends OpenOptions {
  port: number;
  /** Whether to use the next free port when this one is in use. */
  nextFreePort: boolean;
  host: string;
  /** False for a command of an operator: links must not lead to its port. */
  isForVisitors?: boolean;
  beforeListening?: () => void;
  /** Whether nothing else runs in the process, so that settings of V8 may hold for all of it. */
  ownsProcess?: boolean;
}

export interface RunningServer {
  /** As its reports name it. */
  release: string | undefined;
  url: string;
  port: number;
  /**
   * Address of the console, as people reach it; absent where reports go to another service. While there is no account,
   * each call creates a link with its own secret: call it only to show the link.
   */
  consoleUrl: (() => Promise<string>) | undefined;
  /** What actions with `keeps` have kept. */
  kept: KeptOperations;
  /** Records an error outside of any request. Resolves when the record would survive a crash. */
  record(error: unknown, during: "uncaught" | "rejection"): Promise<void>;
  /** Reports that it is not ready, finishes requests in progress, then ends; cuts those that take too long. */
  stop(options?: StopOptions): Promise<"finished" | "cut">;
}

/** Serves pages, browser files and the framework's own addresses until it is stopped. */
export async function serve(served: Served, options: ServeOptions): Promise<RunningServer> {
  const { config, development } = served;
  const opened = await openServed(served, options);
  const server = createNodeServer(opened.entrance);
  options.beforeListening?.();
  await listenOn(server, options, hostLimits.portsTried).catch(async (error: unknown) => {
    const time = { withinMs: hostLimits.shutdownMs, endsAt: performance.now() + hostLimits.shutdownMs };
    await opened.close(async () => "finished", time);
    throw error;
  });
  const stop = (how: StopOptions = {}): Promise<"finished" | "cut"> => {
    if (!how.isReplaced) opened.stopping();
    const { drainMs = 0, lastRequestMs = 0, withinMs = hostLimits.shutdownMs } = how;
    const time = { withinMs, endsAt: performance.now() + drainMs + withinMs };
    return opened.close(
      (running, ending) => stopServer(server, running, { drainMs, lastRequestMs, withinMs, ...ending }),
      time,
    );
  };
  await firstResponse(server, hostLimits.firstResponseMs);
  await opened.open().catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  const { youngBytes, youngCheckMs } = hostLimitsOf(config.limits);
  if (options.ownsProcess) boundYoungMemory({ mostBytes: youngBytes, everyMs: youngCheckMs });
  const { port } = server.address() as AddressInfo;
  const url = `http://${shownHost(options.host)}:${port}`;
  if (options.isForVisitors !== false) opened.reachableAt(config.origin ?? url);
  const { consoleEntrance } = opened;
  return {
    release: opened.release,
    port,
    url,
    consoleUrl:
      consoleEntrance && (async () => (development ? url : (config.origin ?? url)) + (await consoleEntrance())),
    kept: opened.kept,
    record: (error, during) => opened.record(error, during),
    stop,
  };
}

function shownHost(host: string): string {
  return host === "0.0.0.0" || host === "::" ? "localhost" : host.includes(":") ? `[${host}]` : host;
}

/** Resolves with the first response, or when the time is over. */
async function firstResponse(server: Server, withinMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const onRequest = (_incoming: IncomingMessage, response: ServerResponse): void =>
    void response.once("close", resolve);
  const timer = setTimeout(resolve, withinMs);
  server.on("request", onRequest);
  await promise;
  clearTimeout(timer);
  server.off("request", onRequest);
}
