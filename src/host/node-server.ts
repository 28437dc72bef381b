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

/** Something that answers addresses of its own beside the pages, such as the note form of the error page. */
export interface Mount {
  /** `/_holdfast/note`: this address and everything below it. */
  path: string;
  handle(incoming: IncomingMessage, response: ServerResponse): void | Promise<void>;
}

export interface NodeServerDeps {
  pages: PageHandler;
  files: BrowserFiles;
  mounts: readonly Mount[];
  whereabouts: ClientAddresses;
  /** Whether this server answers for a host. */
  isKnownHost: (host: string | undefined) => boolean;
  log: AccessLog | undefined;
  limits: HostLimits;
  isReady: () => boolean;
  /** Whether there is too little memory for new work. */
  isShort: () => boolean;
  /** Counts what is refused because others use up what all share. */
  refusals: Refusals;
  /** By which addresses many clients come. By default own networks and trusted proxies. */
  isShared?: (address: string) => boolean;
}

/** The one place where a request enters. */
export function createNodeServer(parts: NodeServerDeps): Server {
  const { limits } = parts;
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
      // Bodies are watched by their pace, below.
      requestTimeout: 0,
      keepAliveTimeout: limits.keepAliveMs,
      connectionsCheckingInterval: limits.checkSocketsMs,
      noDelay: true,
    },
    (incoming, response) => {
      bodies.watch(incoming, response);
      if (parts.log) logAtEnd(parts.log, incoming, response, parts.whereabouts);
      enter(incoming, response, parts);
    },
  );
  server.maxHeadersCount = limits.headerCount;
  const isShared = (address: string): boolean => isOwnNetwork(address) || parts.whereabouts.isProxy(address);
  boundConnections(server, { ...limits, refusals: parts.refusals, isShared: parts.isShared ?? isShared });
  server.setTimeout(limits.stalledMs);
  server.on("upgrade", refuseUpgrade);
  server.on("clientError", answerBrokenRequest);
  return server;
}

function enter(incoming: IncomingMessage, response: ServerResponse, parts: NodeServerDeps): void {
  const url = incoming.url ?? "/";
  const exchange = { incoming, response };
  if (url === "/healthz") return sendHealth(exchange, true);
  if (url === "/readyz") return sendHealth(exchange, parts.isReady());
  if (namesTwoHosts(incoming)) return sendText(exchange, 400, "This request names two hosts.\n");
  const host = parts.whereabouts.hostOf(incoming);
  if (!parts.isKnownHost(host)) return sendText(exchange, 421, unknownHost(host));
  if (parts.files.serve(incoming, response)) return;
  if (parts.isShort()) {
    parts.refusals.add("memory");
    return sendBusy(exchange, ["Connection", "close"]);
  }
  const mount = parts.mounts.find(({ path }) => isAtOrBelow(url, path));
  // What fails past everything that answers is answered here, at once or later, rather than left open or thrown at the
  // process.
  const fail = (): unknown =>
    response.headersSent ? response.destroy() : response.writeHead(500, { "Content-Length": "0" }).end();
  try {
    (mount ?? parts.pages).handle(incoming, response)?.catch(fail);
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
  whereabouts: ClientAddresses,
): void {
  const startedAt = performance.now();
  // Asked now: a request that was not read to its end has lost its socket by then.
  const client = whereabouts.clientOf(incoming);
  response.on("close", () => log(incoming, response, startedAt, client));
}

/** What Node's parser refused: answered with a status if the socket still accepts one. */
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
 * Browsers open connections ahead of need. A status on one that nothing was asked on would be taken for the answer to
 * the next request.
 */
function isUnused(socket: Duplex): boolean {
  return socket instanceof Socket && socket.bytesRead === 0;
}
