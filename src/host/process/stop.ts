import type { Server } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import type { RunningActions } from "#pages";
import { hostLimits } from "../limits.ts";

export interface StopOptions {
  /** How long the server keeps accepting connections, so that a proxy learns from /readyz that it stops. */
  drainMs?: number;
  /** Time limit of requests in progress after that. */
  withinMs?: number;
}

/**
 * Actions and scheduled tasks get the abort signal after this share of the time. The rest is for them to end and to
 * store their outcome.
 */
const shareBeforeAbandoning = 0.8;

/**
 * Stops a server gracefully: keeps serving for `drainMs`, then refuses connections, closes keep-alive ones, waits for
 * requests in progress, for actions whose visitor has left and for scheduled tasks, and cuts the rest when time is up.
 * Resolves with the outcome.
 */
export async function stopServer(
  server: Server,
  running: readonly Pick<RunningActions, "idle" | "abandon">[],
  { drainMs = 0, withinMs = hostLimits.shutdownMs }: StopOptions,
): Promise<"finished" | "cut"> {
  // From now on a response closes its connection instead of keeping it open for the next request.
  server.prependListener("request", (_incoming, response) => response.setHeader("Connection", "close"));
  if (drainMs > 0) await wait(drainMs);
  const { promise: cut, resolve: cutAll } = Promise.withResolvers<"cut">();
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  server.close(() => close());
  const idle = setInterval(() => server.closeIdleConnections(), 20);
  server.closeIdleConnections();
  const abandon = setTimeout(() => running.forEach((each) => void each.abandon()), withinMs * shareBeforeAbandoning);
  const hard = setTimeout(() => {
    server.closeAllConnections();
    cutAll("cut");
  }, withinMs);
  const finished = closed.then(() => Promise.all(running.map((each) => each.idle()))).then(() => "finished" as const);
  const how = await Promise.race([finished, cut]);
  clearInterval(idle);
  clearTimeout(abandon);
  clearTimeout(hard);
  return how;
}
