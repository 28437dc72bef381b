import type { Server } from "node:http";
import { Server as NetServer } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import type { RunningActions } from "#pages";
import { hostLimits } from "../limits.ts";

export interface StopOptions {
  /** How long the server keeps accepting connections, so that a proxy learns from /readyz that it stops. */
  drainMs?: number;
  /** Then idle connections stay open for so long: a request may be on its way, and closing would cut it. */
  lastRequestMs?: number;
  /** Another process of this machine has taken its place, so that a proxy need not learn of it. */
  isReplaced?: boolean;
  /** Time limit of requests in progress after that. */
  withinMs?: number;
  /** Part of that time which is kept for work after the requests. */
  keptMs?: number;
  /** Called when the server takes no more connections: ends what would stay open. */
  atClose?: () => void;
}

/**
 * Actions and scheduled tasks get the abort signal after this share of the time. The rest is for them to end and to
 * store their outcome.
 */
const shareBeforeAbandoning = 0.8;

/**
 * Stops a server gracefully: keeps serving for `drainMs`, then refuses connections, closes idle ones, waits for
 * requests in progress, for actions whose visitor has left, for scheduled tasks and for work after responses, and cuts
 * the rest when time is up. Resolves with the outcome.
 */
export async function stopServer(
  server: Server,
  running: readonly Running[],
  { drainMs = 0, lastRequestMs = 0, withinMs = hostLimits.shutdownMs, keptMs = 0, atClose }: StopOptions,
): Promise<"finished" | "cut"> {
  // From now on a response closes its connection instead of keeping it open for the next request.
  server.prependListener("request", (_incoming, response) => response.setHeader("Connection", "close"));
  if (drainMs > 0) await wait(drainMs);
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  // Only refuses connections; the method of the HTTP server also closes those that are idle.
  NetServer.prototype.close.call(server, () => close());
  atClose?.();
  const ended = endInTime(closed, running, { withinMs, keptMs, cut: () => server.closeAllConnections() });
  if (lastRequestMs > 0) await Promise.race([wait(lastRequestMs), closed]);
  const idle = setInterval(() => server.closeIdleConnections(), 20);
  server.closeIdleConnections();
  const how = await ended;
  clearInterval(idle);
  return how;
}

type Running = Pick<RunningActions, "idle" | "abandon">;

/**
 * Waits for requests in progress (`closed`) and then for all other work; cuts the requests that are left when time is
 * up.
 */
export async function endInTime(
  closed: Promise<void>,
  running: readonly Running[],
  { withinMs, keptMs, cut }: { withinMs: number; keptMs: number; cut: () => void },
): Promise<"finished" | "cut"> {
  const { promise: late, resolve: isLate } = Promise.withResolvers<"cut">();
  const abandon = setTimeout(() => running.forEach((each) => void each.abandon()), withinMs * shareBeforeAbandoning);
  const hard = setTimeout(() => {
    cut();
    isLate("cut");
  }, withinMs - keptMs);
  const finished = closed.then(() => idleInTurn(running)).then(() => "finished" as const);
  const how = await Promise.race([finished, late]);
  clearTimeout(abandon);
  clearTimeout(hard);
  return how;
}

/** One after the other: what ends may have begun something of a later kind. */
async function idleInTurn(running: readonly Running[]): Promise<void> {
  for (const each of running) await each.idle();
}
