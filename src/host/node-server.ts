import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { boundConnections, isOwnNetwork } from "#bounds";
import { continueWhenRead, endBodiless, endSocket, QuickResponse, sendHealth } from "#http";
import type { Upgrade } from "#pages";
import { openBodyPace } from "./body-pace.ts";
import { type Entrance, enter, enterByUpgrade, logAtEnd } from "./enter.ts";
import type { HostLimits } from "./limits.ts";

export interface NodeServerDeps extends Entrance {
  limits: HostLimits;
  isReady: () => boolean;
  /** Reason for operators, if there is one to name. */
  whyNotReady?: () => string | undefined;
  /** Whether many clients share an address. By default private networks and trusted proxies. */
  isShared?: (address: string) => boolean;
  /** Code of others reads requests, also those without a body: that of a development server. */
  readsAll?: boolean;
}

/** Creates the server that every request enters. */
export function createNodeServer(deps: NodeServerDeps): Server {
  const { limits } = deps;
  const bodies = openBodyPace(limits);
  const { readsAll = false } = deps;
  const receive: RequestListener = (incoming, response) => {
    if (!readsAll) endBodiless(incoming);
    bodies.watch(incoming, response);
    logAtEnd(incoming, response, deps);
    enterServer(incoming, response, deps);
  };
  const server = createServer(
    {
      ServerResponse: QuickResponse,
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersMs,
      // `BodyPace` limits bodies by their rate instead.
      requestTimeout: 0,
      keepAliveTimeout: limits.keepAliveMs,
      connectionsCheckingInterval: limits.checkSocketsMs,
      noDelay: true,
    },
    receive,
  );
  server.on("checkContinue", (incoming, response) => {
    continueWhenRead(incoming, response);
    receive(incoming, response);
  });
  server.maxHeadersCount = limits.headerCount;
  const isShared = (address: string): boolean => isOwnNetwork(address) || deps.clientAddresses.isProxy(address);
  boundConnections(server, { ...limits, refusals: deps.refusals, isShared: deps.isShared ?? isShared });
  server.setTimeout(limits.stalledMs);
  server.on("upgrade", (incoming, socket, head) => enterByUpgrade({ incoming, socket, head }, deps, enterServer));
  server.on("clientError", answerBrokenRequest);
  return server;
}

function enterServer(
  incoming: IncomingMessage,
  response: ServerResponse,
  deps: NodeServerDeps,
  upgrade?: Upgrade,
): void {
  const exchange = { incoming, response };
  if (incoming.url === "/healthz") return sendHealth(exchange, true);
  if (incoming.url === "/readyz") return sendHealth(exchange, deps.isReady(), deps.whyNotReady?.());
  enter(incoming, response, deps, upgrade);
}

/** Answers requests that Node's parser refuses, if the socket is still writable. */
function answerBrokenRequest(error: Error & { code?: string }, socket: Duplex): void {
  if (error.code === "ECONNRESET" || !socket.writable || isUnused(socket)) return void socket.destroy();
  const status =
    error.code === "HPE_HEADER_OVERFLOW"
      ? "431 Request Header Fields Too Large"
      : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? "408 Request Timeout"
        : "400 Bad Request";
  endSocket(socket, status);
}

/**
 * Browsers open connections ahead of need. They would take a status on an unused one for the response to their next
 * request.
 */
function isUnused(socket: Duplex): boolean {
  return socket instanceof Socket && socket.bytesRead === 0;
}
