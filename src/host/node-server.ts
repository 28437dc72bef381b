import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { boundConnections, isOwnNetwork, type Refusals } from "#bounds";
import { endSocket, refuseUpgrade, sendHealth, sendText } from "#http";
import { type PageHandler, sendBusy } from "#pages";
import type { AccessLog } from "./access-log.ts";
import { BodyPace } from "./body-pace.ts";
import type { BrowserFiles } from "./browser-files.ts";
import { namesTwoHosts } from "./known-hosts.ts";
import type { HostLimits } from "./limits.ts";
import type { ClientAddresses } from "./origin.ts";

/** Answers its own addresses beside the pages, such as the note form of the error page. */
export interface Mount {
  /** `/_holdfast/note`: this address and everything below it. */
  path: string;
  handle(incoming: IncomingMessage, response: ServerResponse): void | Promise<void>;
}

export interface NodeServerDeps {
  pages: PageHandler;
  files: BrowserFiles;
  mounts: readonly Mount[];
  clientAddresses: ClientAddresses;
  /** Whether this server answers for a host. */
  isKnownHost: (host: string | undefined) => boolean;
  log: AccessLog | undefined;
  limits: HostLimits;
  isReady: () => boolean;
  /** Whether memory is too short for new work. */
  isShort: () => boolean;
  /** Counts requests that are refused because a shared limit is reached. */
  refusals: Refusals;
  /** Whether many clients share an address. By default private networks and trusted proxies. */
  isShared?: (address: string) => boolean;
}

/** Creates the server that every request enters. */
export function createNodeServer(deps: NodeServerDeps): Server {
  const { limits } = deps;
  const bodies = new BodyPace({
    graceMs: limits.requestMs,
    bytesPerSecond: limits.bodyBytesPerSecond,
    everyMs: limits.checkSocketsMs,
    now: () => performance.now(),
    end: (socket, response) => (response.headersSent ? socket.destroy() : endSocket(socket, "408 Request Timeout")),
  });
  const server = createServer(
    {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersMs,
      // `BodyPace` limits bodies by their rate instead.
      requestTimeout: 0,
      keepAliveTimeout: limits.keepAliveMs,
      connectionsCheckingInterval: limits.checkSocketsMs,
      noDelay: true,
    },
    (incoming, response) => {
      bodies.watch(incoming, response);
      if (deps.log) logAtEnd(deps.log, incoming, response, deps.clientAddresses);
      enter(incoming, response, deps);
    },
  );
  server.maxHeadersCount = limits.headerCount;
  const isShared = (address: string): boolean => isOwnNetwork(address) || deps.clientAddresses.isProxy(address);
  boundConnections(server, { ...limits, refusals: deps.refusals, isShared: deps.isShared ?? isShared });
  server.setTimeout(limits.stalledMs);
  server.on("upgrade", refuseUpgrade);
  server.on("clientError", answerBrokenRequest);
  return server;
}

function enter(incoming: IncomingMessage, response: ServerResponse, deps: NodeServerDeps): void {
  const url = incoming.url ?? "/";
  const exchange = { incoming, response };
  if (url === "/healthz") return sendHealth(exchange, true);
  if (url === "/readyz") return sendHealth(exchange, deps.isReady());
  if (namesTwoHosts(incoming)) return sendText(exchange, 400, "This request names two hosts.\n");
  const host = deps.clientAddresses.hostOf(incoming);
  if (!deps.isKnownHost(host)) return sendText(exchange, 421, unknownHost(host));
  if (deps.files.serve(incoming, response)) return;
  if (deps.isShort()) {
    deps.refusals.add("memory");
    return sendBusy(exchange, ["Connection", "close"]);
  }
  const mount = deps.mounts.find(({ path }) => isAtOrBelow(url, path));
  // The last place that can handle an error of a handler, synchronous or not: otherwise the request would stay open or
  // the process would crash.
  const fail = (): unknown =>
    response.headersSent ? response.destroy() : response.writeHead(500, { "Content-Length": "0" }).end();
  try {
    (mount ?? deps.pages).handle(incoming, response)?.catch(fail);
  } catch {
    fail();
  }
}

function isAtOrBelow(url: string, path: string): boolean {
  if (!url.startsWith(path)) return false;
  const next = url[path.length];
  return next === undefined || next === "/" || next === "?";
}

function unknownHost(host: string | undefined): string {
  return `This server does not answer for ${JSON.stringify(host)}. If it should, name it in hosts of holdfast.config.ts.\n`;
}

function logAtEnd(
  log: AccessLog,
  incoming: IncomingMessage,
  response: ServerResponse,
  clientAddresses: ClientAddresses,
): void {
  const startedAt = performance.now();
  // Read now: when the response closes, a request that was not read to its end has lost its socket.
  const client = clientAddresses.clientOf(incoming);
  response.on("close", () => log(incoming, response, startedAt, client));
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
