import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { boundConnections } from "#bounds";
import { isFromThisMachine, refuseUpgrade, sendHealth, sendText } from "#http";
import { consolePath } from "./console-path.ts";
import type { Service } from "./open-service.ts";

// An import statement would evaluate every export of this module, and with them Node's WebSocket and fetch: 13 MB that
// are not needed here.
const { createServer } = process.getBuiltinModule("node:http");

export interface ServeLimits {
  readonly headerBytes: number;
  readonly headers: number;
  /** Until a request's headers are there. */
  readonly headersMs: number;
  /** Until all of it is there. */
  readonly requestMs: number;
  /** How long a connection may wait for its next request. */
  readonly idleMs: number;
  /** How often overdue connections are looked for; Node's own 30 s let a slow sender hold one for 99. */
  readonly checkMs: number;
  readonly connections: number;
  readonly connectionsPerClient: number;
  /** A reader that takes nothing for so long has gone. */
  readonly stalledMs: number;
}

export const serveLimits: ServeLimits = {
  headerBytes: 16_384,
  headers: 100,
  headersMs: 10_000,
  requestMs: 30_000,
  idleMs: 5_000,
  checkMs: 2_000,
  connections: 10_000,
  // Applications send over a few connections each; browsers over one.
  connectionsPerClient: 1_000,
  stalledMs: 60_000,
};

export interface ServeDeps {
  readonly limits?: ServeLimits;
  /** Answers everything below `/_holdfast`: people's side of the service. */
  readonly console?: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** By which addresses many clients come: proxies. By default those of own networks. */
  readonly isShared?: (address: string) => boolean;
}

/**
 * The service on a port of its own. Reports are taken in at `/api` and, as inside an application, at `/_holdfast/api`,
 * so that a DSN is good for both. Beside the service's addresses it answers /healthz, /readyz and, to this machine
 * alone, /metrics.
 */
export function createServiceServer(service: Service, parts: ServeDeps = {}): Server {
  const { limits = serveLimits } = parts;
  const server = createServer(
    {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: limits.idleMs,
      connectionsCheckingInterval: limits.checkMs,
      noDelay: true,
    },
    (request, response) => {
      if (service.handle(request, response) || service.handle(request, response, consolePath)) return;
      if (parts.console && isForPeople(request.url ?? ""))
        parts.console(request, response).catch(() => {
          if (response.headersSent) response.destroy();
          else sendText({ incoming: request, response }, 500, "The console could not answer.\n");
        });
      else answerOther(service, request, response, parts.console !== undefined);
    },
  );
  server.maxHeadersCount = limits.headers;
  boundConnections(server, {
    ...limits,
    refusals: service.refusals,
    ...(parts.isShared && { isShared: parts.isShared }),
  });
  server.setTimeout(limits.stalledMs);
  server.on("upgrade", refuseUpgrade);
  return server;
}

function isForPeople(url: string): boolean {
  return url === consolePath || url.startsWith(`${consolePath}/`) || url.startsWith(`${consolePath}?`);
}

function answerOther(service: Service, request: IncomingMessage, response: ServerResponse, hasConsole: boolean): void {
  switch (request.url) {
    case "/":
      if (!hasConsole) break;
      response.writeHead(302, { Location: consolePath, "Content-Length": 0, "Cache-Control": "no-store" }).end();
      return;
    case "/healthz":
      return sendHealth({ incoming: request, response }, true);
    case "/readyz":
      return sendHealth({ incoming: request, response }, service.ready);
    case "/metrics":
      return isFromThisMachine(request)
        ? sendText({ incoming: request, response }, 200, service.metrics(), "text/plain; version=0.0.4")
        : sendText({ incoming: request, response }, 403, "Only from this machine.\n");
  }
  sendText({ incoming: request, response }, 404, "There is nothing at this address.\n");
}
