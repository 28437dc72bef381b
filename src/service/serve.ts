import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import { boundConnections } from "#bounds";
import { continueWhenRead, QuickResponse, refuseUpgrade, sendHealth, sendText } from "#http";
import { createAddressOf } from "./accept/client-address.ts";
import { answerMetrics } from "./answer-metrics.ts";
import { apiPath, consolePath, metricsPath } from "./console-path.ts";
import type { Service } from "./open-service.ts";

// An import statement evaluates every export of this module, including Node's WebSocket and fetch: 13 MB that are not
// needed.
const { createServer } = process.getBuiltinModule("node:http");

export interface ServeLimits {
  readonly headerBytes: number;
  readonly headers: number;
  /** Time limit for the headers of a request. */
  readonly headersMs: number;
  /** Time limit for the whole request. */
  readonly requestMs: number;
  /** How long a connection may wait for its next request. */
  readonly idleMs: number;
  /**
   * Interval of the search for overdue connections. With Node's default of 30 s, a slow client could hold one for 99 s.
   */
  readonly checkMs: number;
  readonly connections: number;
  readonly connectionsPerClient: number;
  /** A client that reads nothing for this long is disconnected. */
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
  // An application sends over a few connections, a browser over one.
  connectionsPerClient: 1_000,
  stalledMs: 60_000,
};

export interface ServeDeps {
  readonly limits?: ServeLimits;
  /** Handles requests below `/_holdfast`: the console and the API. */
  readonly console?: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** Says what became of a digest. Returns false for other addresses. */
  readonly answers?: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Address of the program that sent a request. By default that of its connection. */
  readonly addressOf?: (request: IncomingMessage) => string | undefined;
  /** Recognises addresses that many clients share, such as proxies. By default those of private networks. */
  readonly isShared?: (address: string) => boolean;
}

/**
 * Serves the service on its own port. Accepts reports at `/api` and, as inside an application, at `/_holdfast/api`, so
 * that one DSN works for both. Also serves /healthz, /readyz and /metrics, the last one to other machines with a token.
 */
export function createServiceServer(service: Service, deps: ServeDeps = {}): Server {
  const { limits = serveLimits } = deps;
  const { addressOf = createAddressOf([]) } = deps;
  const figures = { metrics: async () => service.metrics(), tokens: () => service.shared.tokens, addressOf };
  const receive: RequestListener = (request, response) => {
    if (request.url === "/metrics" || request.url === metricsPath) {
      answerMetrics({ incoming: request, response }, figures).catch(() => response.destroy());
      return;
    }
    if (deps.answers?.(request, response)) return;
    const isForApi = deps.console !== undefined && request.url?.startsWith(`${apiPath}/`);
    if (!isForApi && (service.handle(request, response) || service.handle(request, response, consolePath))) return;
    if (deps.console && isForPeople(request.url ?? ""))
      deps.console(request, response).catch(() => {
        if (response.headersSent) response.destroy();
        else sendText({ incoming: request, response }, 500, "The console could not answer.\n");
      });
    else answerOther(service, request, response, deps.console !== undefined);
  };
  const server = createServer(
    {
      ServerResponse: QuickResponse,
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: limits.idleMs,
      connectionsCheckingInterval: limits.checkMs,
      noDelay: true,
    },
    receive,
  );
  server.on("checkContinue", (request, response) => {
    continueWhenRead(request, response);
    receive(request, response);
  });
  server.maxHeadersCount = limits.headers;
  boundConnections(server, {
    ...limits,
    refusals: service.refusals,
    ...(deps.isShared && { isShared: deps.isShared }),
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
      return sendHealth({ incoming: request, response }, service.ready, service.trouble);
  }
  sendText({ incoming: request, response }, 404, "There is nothing at this address.\n");
}
