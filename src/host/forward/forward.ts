import type { Agent, ClientRequest, IncomingMessage } from "node:http";
import { constantHeaders, drainBody, type Exchange, httpClientFor, noStore, send } from "#http";
import { type Forwarded, lastResortPage, pathBack } from "#pages";
import type { ServerSignals } from "#signals";
import { isFrameworkError } from "../built-pages.ts";
import { hostErrors } from "../errors.ts";
import type { HostLimits } from "../limits.ts";
import type { ClientAddresses } from "../origin.ts";
import { ownHeaders } from "./own-headers.ts";

export interface ForwarderDeps {
  clientAddresses: Pick<ClientAddresses, "clientOf" | "originOf">;
  signals: Pick<ServerSignals, "errorCaught">;
  limits: Pick<HostLimits, "forwardHeadMs" | "stalledMs">;
  /** Whether a mount says what became of a digest. */
  hasAnswers?: boolean;
}

export interface Forwarder {
  /** Hands a request to another server and sends its response, both as streams. Never rejects. */
  forward(exchange: Exchange, forwarded: Forwarded): Promise<void>;
  close(): void;
}

export function createForwarder(deps: ForwarderDeps): Forwarder {
  const agents = new Map<string, Agent>();
  const agentFor = (protocol: string): Agent => {
    const { Agent } = httpClientFor(protocol);
    const agent = agents.get(protocol) ?? new Agent({ keepAlive: true });
    agents.set(protocol, agent);
    return agent;
  };
  return {
    forward: async (exchange, forwarded) => {
      const { incoming, response } = exchange;
      const hasBody = bodyOf(incoming) !== "none";
      try {
        // Another request in place of one on a kept connection that has just closed is possible only without a body.
        const kept = hasBody ? undefined : agentFor(new URL(forwarded.address).protocol);
        const first = await begin(deps, exchange, forwarded, kept);
        const answered = first.kind === "closed" ? await begin(deps, exchange, forwarded) : first;
        if (answered.kind === "closed") throw answered.error;
        await sendAnswer(exchange, forwarded, answered.answer);
      } catch (error) {
        // The visitor has left: nothing has failed.
        if (response.destroyed) return;
        await sendFailure(deps, exchange, forwarded, error);
      }
    },
    close: () => {
      for (const agent of agents.values()) agent.destroy();
    },
  };
}

type Begun =
  | { kind: "answered"; answer: IncomingMessage }
  /** A kept connection was closed before this request reached the other server. */
  | { kind: "closed"; error: unknown };

/** Sends the request and resolves with the head of the response. */
async function begin(
  { clientAddresses, limits }: ForwarderDeps,
  { incoming, response }: Exchange,
  { address }: Forwarded,
  agent?: Agent,
): Promise<Begun> {
  const url = new URL(address);
  const request = httpClientFor(url.protocol).request(url, {
    method: incoming.method ?? "GET",
    agent: agent ?? false,
    headers: headersOut(incoming, url, clientAddresses),
    timeout: limits.stalledMs,
  });
  const { promise, resolve, reject } = Promise.withResolvers<Begun>();
  const late = (): void =>
    void request.destroy(hostErrors.otherServerTooSlow(url.origin, limits.forwardHeadMs / 1_000));
  const left = (): void => void request.destroy();
  let timer: NodeJS.Timeout | undefined;
  request.once("timeout", late);
  // An upload takes as long as its sender needs; the other server's time begins after it.
  request.once("finish", () => {
    timer = setTimeout(late, limits.forwardHeadMs);
  });
  request.once("response", (answer) => resolve({ kind: "answered", answer }));
  request.once("error", (error: NodeJS.ErrnoException) => {
    if (agent && request.reusedSocket && error.code === "ECONNRESET") resolve({ kind: "closed", error });
    else reject(error);
  });
  response.once("close", left);
  sendBody(incoming, request);
  return promise.finally(() => clearTimeout(timer));
}

function sendBody(incoming: IncomingMessage, request: ClientRequest): void {
  if (bodyOf(incoming) === "none") request.end();
  // Not a pipeline: it would close the visitor's connection when the other server fails.
  else incoming.pipe(request);
}

function bodyOf({ headers }: IncomingMessage): "none" | "chunked" | "counted" {
  if (headers["transfer-encoding"] !== undefined) return "chunked";
  return headers["content-length"] === undefined || headers["content-length"] === "0" ? "none" : "counted";
}

function headersOut(
  incoming: IncomingMessage,
  url: URL,
  { clientOf, originOf }: ForwarderDeps["clientAddresses"],
): string[] {
  const own = new URL(originOf(incoming));
  const headers = [...ownHeaders(incoming.rawHeaders, replaced).flat(), "Host", url.host];
  // Node writes a body of unknown length without any frame for some methods, and the next request would begin in it.
  if (bodyOf(incoming) === "chunked") headers.push("Transfer-Encoding", "chunked");
  headers.push("X-Forwarded-For", clientOf(incoming), "X-Forwarded-Host", own.host);
  headers.push("X-Forwarded-Proto", own.protocol.slice(0, -1));
  return headers;
}

/** Replaced, so that the other server can trust them. */
const replaced: ReadonlySet<string> = new Set([
  "host",
  "expect",
  "forwarded",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
]);

async function sendAnswer({ response }: Exchange, forwarded: Forwarded, answer: IncomingMessage): Promise<void> {
  const headers = ownHeaders(answer.rawHeaders).map(([name, value]) =>
    name.toLowerCase() === "location" ? [name, locationFor(forwarded, value)] : [name, value],
  );
  response.writeHead(answer.statusCode ?? 502, headers.flat());
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  answer.once("error", reject);
  response.once("close", resolve);
  answer.pipe(response);
  await promise;
}

/** An address of the other server becomes the path by which visitors reach it. */
function locationFor({ address, rule }: Forwarded, location: string): string {
  const url = URL.canParse(location, address) ? new URL(location, address) : undefined;
  if (url?.origin !== rule.to.origin) return location;
  const path = pathBack(rule, url.pathname);
  return path === undefined ? location : path + url.search + url.hash;
}

async function sendFailure(
  { signals, hasAnswers }: ForwarderDeps,
  exchange: Exchange,
  { address, rule, language }: Forwarded,
  cause: unknown,
): Promise<void> {
  const { incoming, response } = exchange;
  const isLate = isFrameworkError(cause) && cause.code === "other-server-too-slow";
  const error = isLate ? cause : hostErrors.otherServerFailed(new URL(address).origin, rule.from, cause);
  const receipt = signals.errorCaught(error, {
    side: "server",
    during: "rewrite",
    route: rule.from,
    url: incoming.url ?? "/",
    visitorSaw: response.headersSent ? "nothing" : "last-resort",
  });
  if (receipt.kind === "recorded") await receipt.durable;
  // The head was sent with another status; only a broken-off response can show the failure.
  if (response.headersSent) return void response.destroy();
  await drainBody(incoming);
  const digest = receipt.kind === "recorded" ? receipt.digest : undefined;
  const body = lastResortPage({
    title: language?.texts.notAvailable ?? "Not available now",
    text: language?.texts.cannotBeShown ?? "The server behind this page does not answer.",
    digest,
    hasAnswers,
    language,
  });
  const headers = [...constantHeaders, "Content-Type", "text/html; charset=utf-8", ...noStore];
  if (digest !== undefined) headers.push("X-Digest", digest);
  await send(exchange, { status: isLate ? 504 : 502, headers, body });
}
