import { once } from "node:events";
import { existsSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { announcesBody, QuickResponse, readBody, readBytes } from "#http";
import { type AcceptOutcome, forwardedClientHeader, type ImportOutcome, type Service } from "#service";
import { checkSocketFolder, makeSocketFolder, socketPaths } from "./socket-paths.ts";

/**
 * Several processes may serve one application, but only one of them runs its service. That process listens on a Unix
 * socket, and the others send it envelopes and people's changes to issues.
 */
export type RemoteService = Pick<
  Service,
  "accept" | "change" | "changeFeedback" | "changeMonitor" | "drained" | "importLines"
> & {
  metrics(): Promise<string>;
  /** Forwards a whole request, streaming body and response. */
  forward(incoming: IncomingMessage, response: ServerResponse): Promise<void>;
};

/** More than any list of selected issues needs. */
const changeBytes = 1_048_576;

/** The same limit as over the network. */
const envelopeBytes = 20_971_520;
// The API has checked the size of the request already.
const importBytes = 67_108_864;

/** The other process runs on this machine and only writes a file; after this time it hangs. */
const answerMs = 30_000;

/** Called by the process that runs the service. Rejects if it cannot listen at any place. */
export async function listenForOthers(
  service: Service,
  serviceFolder: string,
  ingestPath: string,
): Promise<{ close(): void }> {
  const server = createServer({ ServerResponse: QuickResponse }, (incoming, response) => {
    void answer(service, ingestPath, incoming, response).catch(() => response.destroy());
  });
  let why: unknown;
  for (const socket of socketPaths(serviceFolder)) {
    try {
      await listenAt(server, socket);
      server.unref();
      return {
        close: () => {
          server.close();
          server.closeAllConnections();
        },
      };
    } catch (error) {
      why ??= error;
    }
  }
  throw why;
}

async function listenAt(server: Server, socket: string): Promise<void> {
  makeSocketFolder(socket);
  rmSync(socket, { force: true });
  const before = process.umask(0o177);
  try {
    // Not shared: cluster workers otherwise share sockets through their parent.
    server.listen({ path: socket, exclusive: true });
    await once(server, "listening");
  } finally {
    process.umask(before);
  }
}

async function answer(
  service: Service,
  ingestPath: string,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = incoming.url ?? "";
  if (url === "/change") {
    const body = await readBody(incoming, changeBytes);
    if (body.kind === "refused") return void response.writeHead(body.status).end();
    // Written by `callRemote` below, in a process of the same application.
    const [project, issues, change, by] = JSON.parse(body.text) as Parameters<Service["change"]>;
    return void response.end(JSON.stringify(await service.change(project, issues, change, by)));
  }
  if (url === "/change-monitor") {
    const body = await readBody(incoming, changeBytes);
    if (body.kind === "refused") return void response.writeHead(body.status).end();
    // Written by `callRemote` too.
    await service.changeMonitor(JSON.parse(body.text) as Parameters<Service["changeMonitor"]>[0]);
    return void response.end("[]");
  }
  if (url === "/change-feedback") {
    const body = await readBody(incoming, changeBytes);
    if (body.kind === "refused") return void response.writeHead(body.status).end();
    // Written by `callRemote` below, as above.
    const [project, ids, archived] = JSON.parse(body.text) as Parameters<Service["changeFeedback"]>;
    return void response.end(JSON.stringify(await service.changeFeedback(project, ids, archived)));
  }
  if (url === "/import") {
    const body = await readBody(incoming, importBytes);
    if (body.kind === "refused") return void response.writeHead(body.status).end();
    // Checked by the process that has called.
    const [project, lines, by] = JSON.parse(body.text) as Parameters<Service["importLines"]>;
    return void response.end(JSON.stringify(await service.importLines(project, lines, by)));
  }
  if (url === "/drained") {
    await service.drained();
    return void response.end("[]");
  }
  if (url === "/metrics") return void response.end(JSON.stringify(service.metrics()));
  const accept = /^\/accept\/(\d+)$/.exec(url);
  if (accept) {
    const body = await readBytes(incoming, envelopeBytes);
    if (body.kind !== "complete") return void response.writeHead(413, { Connection: "close" }).end();
    return void response.end(JSON.stringify(await service.accept(Number(accept[1]), body.bytes)));
  }
  if (!service.handle(incoming, response, ingestPath)) response.writeHead(404, { "Content-Length": "0" }).end();
}

/** Called by a process without the service. Each call rejects when no process listens. */
export function remoteService(
  serviceFolder: string,
  addressOf: (request: IncomingMessage) => string | undefined = () => undefined,
): RemoteService {
  const paths = socketPaths(serviceFolder);
  const call = async (target: string, body: string | Uint8Array): Promise<unknown> =>
    callRemote(socketInUse(paths), target, body);
  return {
    accept: async (project, envelope) => (await call(`/accept/${project}`, envelope)) as AcceptOutcome,
    drained: async () => void (await call("/drained", "")),
    metrics: async () => (await call("/metrics", "")) as string,
    changeMonitor: async (change) => void (await call("/change-monitor", JSON.stringify(change))),
    change: async (...change) => (await call("/change", JSON.stringify(change))) as readonly number[],
    changeFeedback: async (...change) => (await call("/change-feedback", JSON.stringify(change))) as readonly number[],
    importLines: async (...lines) => (await call("/import", JSON.stringify(lines))) as ImportOutcome,
    forward: (incoming, response) =>
      new Promise((resolve, reject) => {
        const { method, url } = incoming;
        const headers = { ...incoming.headers, [forwardedClientHeader]: addressOf(incoming) ?? "" };
        const socketPath = socketInUse(paths);
        const onward = request({ socketPath, method, path: url, headers }, (answered) => {
          response.writeHead(answered.statusCode ?? 502, answered.rawHeaders);
          answered.pipe(response).once("close", resolve);
        });
        onward.once("error", reject);
        if (announcesBody(incoming)) incoming.pipe(onward);
        else onward.end();
      }),
  };
}

/**
 * Resolved at each call: another process may have taken over and listen at another place. A socket that another user
 * may have created is not used.
 */
function socketInUse(paths: readonly string[]): string {
  let why: unknown = new Error("No process with the service listens.");
  for (const socket of paths) {
    if (process.platform !== "win32" && !existsSync(socket)) continue;
    try {
      checkSocketFolder(socket);
      return socket;
    } catch (error) {
      why = error;
    }
  }
  throw why;
}

function callRemote(socketPath: string, target: string, body: string | Uint8Array): Promise<unknown> {
  return new Promise((resolve, reject) => {
    request({ socketPath, method: "POST", path: target, signal: AbortSignal.timeout(answerMs) }, (answered) => {
      text(answered).then(
        (json) =>
          answered.statusCode === 200
            ? resolve(JSON.parse(json))
            : reject(new Error(`The process with the service answered ${answered.statusCode}.`)),
        reject,
      );
    })
      .once("error", reject)
      .end(body);
  });
}
