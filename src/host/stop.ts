import type { Server } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import type { RunningActions } from "#pages";
import { hostLimits } from "./limits.ts";

export interface StopOptions {
  /**
   * How long the server goes on answering before it takes no more connections, so that a proxy can learn of it by
   * /readyz.
   */
  drainMs?: number;
  /** How long requests in progress may take after that. */
  withinMs?: number;
}

/**
 * Actions get the abort signal when this share of the time has passed: the rest is for them to end, and for what they
 * came to.
 */
const shareBeforeAbandoning = 0.8;

/**
 * Ends a server without cutting anyone off: goes on for a while, then takes no more connections, lets what is under way
 * finish, also actions whose visitor has left, tells keep-alive clients to go, and cuts only what is left when time is
 * up. Resolves with how it went.
 */
export async function stopServer(
  server: Server,
  actions: Pick<RunningActions, "idle" | "abandon">,
  { drainMs = 0, withinMs = hostLimits.shutdownMs }: StopOptions,
): Promise<"finished" | "cut"> {
  // A response that ends from now on takes its connection with it, instead of leaving it open for the next request.
  server.prependListener("request", (_incoming, response) => response.setHeader("Connection", "close"));
  if (drainMs > 0) await wait(drainMs);
  const { promise: cut, resolve: cutAll } = Promise.withResolvers<"cut">();
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  server.close(() => close());
  const idle = setInterval(() => server.closeIdleConnections(), 20);
  server.closeIdleConnections();
  const abandon = setTimeout(() => actions.abandon(), withinMs * shareBeforeAbandoning);
  const hard = setTimeout(() => {
    server.closeAllConnections();
    cutAll("cut");
  }, withinMs);
  const finished = closed.then(() => actions.idle()).then(() => "finished" as const);
  const how = await Promise.race([finished, cut]);
  clearInterval(idle);
  clearTimeout(abandon);
  clearTimeout(hard);
  return how;
}
