import type { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { errorOf } from "#errors";
import { refuseUpgrade } from "#http";
import { sendBusy } from "#pages";
import { openBodyPace } from "../body-pace.ts";
import { type Entrance, enter, enterByUpgrade, logAtEnd, mountOf, sendFailure } from "../enter.ts";
import { hostErrors } from "../errors.ts";
import { hostLimits } from "../limits.ts";
import { type OpenOptions, openServed } from "../open-served.ts";
import { endInTime } from "../process/stop.ts";
import { warn } from "../process/warn.ts";
import type { Served } from "../served.ts";
import { isBodyTaken, mountPathOf } from "./arrival.ts";
import { createFetchHandler, type FetchHandler } from "./fetch-handler.ts";
import { joinHeaders } from "./join-headers.ts";
import { OpenRequests } from "./open-requests.ts";

/** Express and Fastify have their own types of it; both take an error. */
export type Next = (error?: Error) => void;

export interface MountOptions extends Omit<OpenOptions, "host"> {
  /** Who answers an address of the application that no page, API route or file has. */
  notFound: "page" | "next";
}

/** An application inside of a server that is not the framework's. Its functions may be passed on without it. */
export interface MountedApplication {
  /**
   * Answers a request, as a handler of `node:http` or of Express. Calls `next` for the addresses of others; without
   * `next` they get the not-found page.
   */
  handler(this: void, request: IncomingMessage, response: ServerResponse, next?: Next): void;
  /** Answers a web `Request`, for tests and for servers that have no `node:http`. */
  fetch: FetchHandler;
  /**
   * Opens WebSockets: `server.on("upgrade", holdfast.upgrade)`. Calls `next` for the addresses of others; without
   * `next` they are refused.
   */
  upgrade(this: void, request: IncomingMessage, socket: Duplex, head: Buffer, next?: () => void): void;
  /** Whether it can take requests: for the readiness check of the server around it. */
  isReady(this: void): boolean;
  /**
   * Address of the console below an origin such as `https://shop.example`; undefined where reports go to another
   * service. While there is no account, each call creates a link with its own secret: call it only to show the link.
   */
  consoleUrl(this: void, origin: string): Promise<string | undefined>;
  /**
   * Ends streams, waits for requests in progress and for work after responses, runs `onStop`, and delivers reports.
   * Cuts what takes too long. The server around it stops taking requests first.
   */
  close(this: void): Promise<"finished" | "cut">;
}

/** Opens an application for a server that is not the framework's. */
export async function mountApplication(served: Served, options: MountOptions): Promise<MountedApplication> {
  const opened = await openServed(served, { ...options, host: undefined });
  const { entrance } = opened;
  const requests = new OpenRequests();
  const bodies = openBodyPace(entrance.limits);
  const which = options.notFound === "next" ? "routes" : "path";
  let closing: Promise<"finished" | "cut"> | undefined;
  let hasWarnedOfSocket = false;
  /** Calls one of the two, at once where that is known at once. */
  const divide = (incoming: IncomingMessage, own: () => void, other: (() => void) | undefined): void => {
    const owns = other === undefined || owned(incoming, entrance, which);
    if (typeof owns === "boolean") return owns ? own() : other?.();
    // Sources that do not compile show why.
    owns.catch(() => true).then((isOwn) => (isOwn ? own() : other?.()));
  };
  const answer = (incoming: IncomingMessage, response: ServerResponse): void => {
    const exchange = { incoming, response };
    requests.add(response);
    joinHeaders(response);
    if (closing) return (entrance.pages.busy ?? sendBusy)(exchange, ["Connection", "close"]);
    // Who sends over a connection in memory is no slow client.
    if (incoming.socket instanceof Socket) bodies.watch(incoming, response);
    logAtEnd(incoming, response, entrance);
    const problem = problemOf(incoming);
    if (problem) return void sendFailure(exchange, problem, entrance);
    if (incoming.headers.upgrade?.toLowerCase() === "websocket" && !hasWarnedOfSocket) {
      hasWarnedOfSocket = true;
      warn('WebSockets do not reach the application: write server.on("upgrade", holdfast.upgrade).');
    }
    enter(incoming, response, entrance);
  };
  const handler = (incoming: IncomingMessage, response: ServerResponse, next?: Next): void => {
    const other = next && (() => passOn(incoming, response, next));
    // Below a path of Express the address is cut off: no code can say whose it is.
    divide(incoming, () => answer(incoming, response), mountPathOf(incoming) === "" ? other : undefined);
  };
  const passOn = (incoming: IncomingMessage, response: ServerResponse, next: Next): void => {
    const isForVite = served.beside && entrance.isKnownHost(entrance.clientAddresses.hostOf(incoming));
    if (isForVite)
      served.beside?.(incoming, response, (error) => (error === undefined ? next() : next(errorOf(error))));
    else next();
  };
  await opened.open();
  if (served.config.origin !== undefined) opened.reachableAt(served.config.origin);
  return {
    handler,
    fetch: createFetchHandler((incoming, response) => handler(incoming, response), entrance.limits),
    upgrade: (incoming, socket, head, next) => {
      const other = next ?? (() => refuseUpgrade(incoming, socket));
      divide(incoming, () => enterByUpgrade({ incoming, socket, head }, entrance, enter), other);
    },
    isReady: entrance.isReady,
    consoleUrl: async (origin) => {
      const entry = await opened.consoleEntrance?.();
      return entry === undefined ? undefined : (served.config.origin ?? origin) + entry;
    },
    close: () => {
      opened.stopping();
      const withinMs = hostLimits.shutdownMs;
      closing ??= opened.close(
        (running, { keptMs, atClose }) => {
          atClose();
          return endInTime(requests.idle(), running, { withinMs, keptMs, cut: () => requests.cut() });
        },
        { withinMs, endsAt: performance.now() + withinMs },
      );
      return closing;
    },
  };
}

function owned(
  incoming: IncomingMessage,
  { mounts, files, pages }: Entrance,
  which: "path" | "routes",
): boolean | Promise<boolean> {
  const url = incoming.url ?? "/";
  return mountOf(url, mounts) !== undefined || files.has(url) || pages.owns(incoming, which);
}

function problemOf(incoming: IncomingMessage): Error | undefined {
  const mountPath = mountPathOf(incoming);
  if (mountPath !== "") return hostErrors.mountedAtPath(mountPath);
  const [path = "/"] = (incoming.url ?? "/").split("?", 1);
  return isBodyTaken(incoming) ? hostErrors.bodyAlreadyRead(incoming.method ?? "POST", path) : undefined;
}
