import type { Server } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { hostLimits } from "./limits.ts";

export interface StopOptions {
  /** How long the server goes on answering before it takes no more connections, so that a proxy can learn of it by /readyz. */
  drainMs?: number;
  /** How long requests in progress may take after that. */
  withinMs?: number;
}

/**
 * Ends a server without cutting anyone off: goes on for a while, then takes no more connections, lets what is under way finish, tells keep-alive
 * clients to go, and cuts only what is left when time is up. Resolves with how it went.
 */
export async function stopServer(
  server: Server,
  { drainMs = 0, withinMs = hostLimits.shutdownMs }: StopOptions,
): Promise<"finished" | "cut"> {
  // A response that ends from now on takes its connection with it, instead of leaving it open for the next request.
  server.prependListener("request", (_incoming, response) => response.setHeader("Connection", "close"));
  if (drainMs > 0) await wait(drainMs);
  const { promise: closed, resolve } = Promise.withResolvers<"finished" | "cut">();
  server.close(() => resolve("finished"));
  const idle = setInterval(() => server.closeIdleConnections(), 20);
  server.closeIdleConnections();
  const hard = setTimeout(() => {
    server.closeAllConnections();
    resolve("cut");
  }, withinMs);
  const how = await closed;
  clearInterval(idle);
  clearTimeout(hard);
  return how;
}
