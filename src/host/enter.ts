import { type IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { Refusals } from "#bounds";
import { constantHeaders, type Exchange, noStore, sendText } from "#http";
import { lastResortPage, type PageHandler, sendBusy, type Upgrade } from "#pages";
import type { ServerSignals } from "#signals";
import type { AccessLog } from "./access-log.ts";
import type { BrowserFiles } from "./browser-files.ts";
import { namesTwoHosts } from "./known-hosts.ts";
import type { ClientAddresses } from "./origin.ts";

/** Answers its own addresses beside the pages, such as the note form of the error page. */
export interface Mount {
  /** `/_holdfast/note`: this address and everything below it. */
  path: string;
  handle(incoming: IncomingMessage, response: ServerResponse): void | Promise<void>;
}

/** What answers the requests of one application, on its own server or inside of another one. */
export interface Entrance {
  pages: PageHandler;
  files: BrowserFiles;
  mounts: readonly Mount[];
  clientAddresses: ClientAddresses;
  /** Whether this server answers for a host. */
  isKnownHost: (host: string | undefined) => boolean;
  log: AccessLog | undefined;
  /** Whether memory is too short for new work. */
  isShort: () => boolean;
  /** Counts requests that are refused because a shared limit is reached. */
  refusals: Refusals;
  signals: Pick<ServerSignals, "errorCaught">;
  /** Whether a mount says what became of a digest. */
  hasAnswers?: boolean;
}

/** Pages that need no work, browser files, mounts, then all other pages. */
export function enter(incoming: IncomingMessage, response: ServerResponse, to: Entrance, upgrade?: Upgrade): void {
  const exchange = { incoming, response };
  if (namesTwoHosts(incoming)) return sendText(exchange, 400, "This request names two hosts.\n");
  const host = to.clientAddresses.hostOf(incoming);
  if (!to.isKnownHost(host)) return sendText(exchange, 421, unknownHost(host));
  try {
    if (!upgrade && to.pages.answerKnown?.(exchange)) return;
    if (to.files.serve(incoming, response, to.pages.leaveFile)) return;
    if (to.isShort()) {
      to.refusals.add("memory");
      return (to.pages.busy ?? sendBusy)(exchange, ["Connection", "close"]);
    }
    const mount = mountOf(incoming.url ?? "/", to.mounts);
    if (upgrade && mount) return sendText(exchange, 400, "This address takes no WebSockets.\n");
    const handled = upgrade ? to.pages.upgrade(upgrade, response) : (mount ?? to.pages).handle(incoming, response);
    handled?.catch((error: unknown) => sendFailure(exchange, error, to));
  } catch (error) {
    void sendFailure(exchange, error, to);
  }
}

/**
 * A response on the socket lets hook and guards refuse with a plain status. Node no longer handles the socket, so its
 * errors and its end are handled here.
 */
export function enterByUpgrade<To extends Entrance>(
  upgrade: Upgrade,
  to: To,
  enterWith: (incoming: IncomingMessage, response: ServerResponse, to: To, upgrade: Upgrade) => void,
): void {
  const { incoming, socket } = upgrade;
  if (!(socket instanceof Socket)) return void socket.destroy();
  socket.on("error", () => socket.destroy());
  const response = new ServerResponse(incoming);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.on("finish", () => socket.destroySoon());
  logAtEnd(incoming, response, to);
  enterWith(incoming, response, to, upgrade);
}

/** The mount that answers an address, if one does. */
export function mountOf(url: string, mounts: readonly Mount[]): Mount | undefined {
  return mounts.find(({ path }) => isAtOrBelow(url, path));
}

export function isAtOrBelow(url: string, path: string): boolean {
  if (!url.startsWith(path)) return false;
  const next = url[path.length];
  return next === undefined || next === "/" || next === "?";
}

function unknownHost(host: string | undefined): string {
  return `This server does not answer for ${JSON.stringify(host)}. If it should, name it in hosts of holdfast.config.ts.\n`;
}

export function logAtEnd(
  incoming: IncomingMessage,
  response: ServerResponse,
  { log, clientAddresses }: Pick<Entrance, "log" | "clientAddresses">,
): void {
  if (!log) return;
  const startedAt = performance.now();
  // Read now: when the response closes, a request that was not read to its end has lost its socket.
  const client = clientAddresses.clientOf(incoming);
  response.on("close", () => log(incoming, response, startedAt, client));
}

/**
 * The last place that can handle an error of a handler: otherwise the request would stay open or the process would
 * crash. Never rejects.
 */
export async function sendFailure(
  { incoming: { method, url = "/" }, response }: Exchange,
  error: unknown,
  { signals, hasAnswers }: Pick<Entrance, "signals" | "hasAnswers">,
): Promise<void> {
  const visitorSaw = response.headersSent ? "nothing" : "last-resort";
  const receipt = signals.errorCaught(error, { side: "server", during: "arrival", url, visitorSaw });
  if (receipt.kind === "recorded") await receipt.durable;
  if (response.headersSent) return void response.destroy();
  const digest = receipt.kind === "recorded" ? receipt.digest : undefined;
  const title = "Application error";
  const body = lastResortPage({ title, text: "A server-side exception has occurred.", digest, hasAnswers });
  const headers = [...constantHeaders, "Content-Type", "text/html; charset=utf-8", ...noStore];
  headers.push("Content-Length", String(Buffer.byteLength(body)), "Connection", "close");
  if (digest !== undefined) headers.push("X-Digest", digest);
  response.writeHead(500, headers).end(method === "HEAD" ? undefined : body);
}
