import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request as openRequest,
  type RequestListener,
} from "node:http";
import { type Duplex, duplexPair, Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import { pairsOf } from "#http";
import type { HostLimits } from "../limits.ts";
import { socketFacts } from "../socket-facts.ts";

/** What a `Request` does not tell about its sender. */
export interface FetchSender {
  /** Network address of the client. Limits count by it. */
  address?: string;
}

export type FetchHandler = (request: Request, sender?: FetchSender) => Promise<Response>;

/** Headers of one connection. The two sides of this one are in the same process. */
const ofConnection = ["connection", "keep-alive", "te", "trailer", "transfer-encoding"];
/** This connection opens no WebSockets, and its body is read as it arrives. */
const leftOut = [...ofConnection, "expect", "upgrade"];

/** A `Response` with one of these may have no body. */
const withoutBody = new Set([204, 205, 304]);

/**
 * Answers web requests with a Node listener. Node's own client and server talk over a connection in memory, so that the
 * answers are those of a network: bodies are streams in both directions, and who leaves is noticed.
 */
export function createFetchHandler(
  listener: RequestListener,
  { headerBytes }: Pick<HostLimits, "headerBytes">,
): FetchHandler {
  const server = createServer({ maxHeaderSize: headerBytes, requestTimeout: 0, headersTimeout: 0 }, listener);
  return async (request, { address = "" } = {}) => {
    request.signal.throwIfAborted();
    const { protocol, host, pathname, search } = new URL(request.url);
    const [near, far] = duplexPair();
    near.once("close", () => far.destroy());
    // After a proper end its last bytes may still be on their way.
    far.once("close", () => far.writableFinished || near.destroy());
    Object.assign(far, socketFacts(address, protocol === "https:"));
    const sent = openRequest({
      createConnection: () => near,
      method: request.method,
      path: pathname + search,
      headers: headersOf(request, host),
      setHost: false,
      maxHeaderSize: headerBytes * 4,
    });
    server.emit("connection", far);
    return answered(request, sent, near);
  };
}

function headersOf(request: Request, host: string): Record<string, string> {
  const headers = Object.fromEntries(request.headers);
  for (const name of leftOut) delete headers[name];
  return { host, ...headers };
}

async function answered(request: Request, sent: ClientRequest, connection: Duplex): Promise<Response> {
  const { signal } = request;
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  let received: IncomingMessage | undefined;
  const leave = (): void => {
    reject(signal.reason);
    // First, so that who reads the body learns the reason and not only that the connection is gone.
    received?.destroy(signal.reason);
    connection.destroy();
  };
  signal.addEventListener("abort", leave, { once: true });
  connection.once("close", () => signal.removeEventListener("abort", leave));
  sent.once("response", resolve).on("error", reject);
  if (request.body === null) sent.end();
  // A body that breaks off ends the connection, as it would on a network.
  else void pipeline(Readable.fromWeb(request.body as ReadableStream), sent).catch(reject);
  const response = await promise;
  received = response;
  const { statusCode: status = 500, statusMessage: statusText = "" } = response;
  const headers = new Headers();
  for (const [name, value] of pairsOf(response.rawHeaders))
    if (!ofConnection.includes(name.toLowerCase())) headers.append(name, value);
  const isEmpty = request.method === "HEAD" || withoutBody.has(status);
  if (isEmpty) response.resume();
  const body = isEmpty ? null : (Readable.toWeb(response) as globalThis.ReadableStream<Uint8Array>);
  return new Response(body, { status, statusText, headers });
}
