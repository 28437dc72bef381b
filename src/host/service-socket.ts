import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { readBody } from "#pages";
import type { AcceptOutcome, Service } from "#service";

/**
 * Several processes may serve one application, but only one of them can have its service. That one listens on a socket in the file system, and the
 * others bring it what they cannot do themselves: envelopes, and what people do to issues.
 */
export type ServiceAbroad = Pick<Service, "accept" | "change"> & {
  /** Hands a whole request on, body and answer as they come. */
  forward(incoming: IncomingMessage, response: ServerResponse): Promise<void>;
};

/** More than any list of selected issues; the socket is only ours, but a bound is a bound. */
const changeBytes = 1_048_576;

/** The other process is on this machine and only has to write a file; after this it hangs. */
const answerMs = 30_000;

/** Where the process with the service is reached. Short, because the system allows about 100 characters. */
export function socketOf(serviceFolder: string): string {
  const name = `holdfast-${createHash("sha256").update(path.resolve(serviceFolder)).digest("hex").slice(0, 16)}`;
  return process.platform === "win32" ? `\\\\.\\pipe\\${name}` : path.join(tmpdir(), `${name}.sock`);
}

/** Called by the process that has the service. */
export async function listenForOthers(
  service: Service,
  serviceFolder: string,
  ingestPath: string,
): Promise<{ close(): void }> {
  const address = socketOf(serviceFolder);
  rmSync(address, { force: true });
  const server = createServer((incoming, response) => {
    void answer(service, ingestPath, incoming, response).catch(() => response.destroy());
  });
  const before = process.umask(0o177);
  try {
    await new Promise<void>((resolve, reject) =>
      server
        .once("error", reject)
        // Its own: the sockets of a cluster are shared through the process that started it.
        .listen({ path: address, exclusive: true }, resolve),
    );
  } finally {
    process.umask(before);
  }
  server.unref();
  return {
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
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
    // Written by `callAbroad` below, in a process of the same application.
    const [project, issues, change, by] = JSON.parse(body.text) as Parameters<Service["change"]>;
    return void response.end(JSON.stringify(await service.change(project, issues, change, by)));
  }
  const accept = /^\/accept\/(\d+)$/.exec(url);
  if (accept) {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
    return void response.end(JSON.stringify(await service.accept(Number(accept[1]), Buffer.concat(chunks))));
  }
  if (!service.handle(incoming, response, ingestPath)) response.writeHead(404, { "Content-Length": "0" }).end();
}

/** Called by a process without the service. Each call rejects when nobody listens. */
export function serviceAbroad(serviceFolder: string): ServiceAbroad {
  const socketPath = socketOf(serviceFolder);
  return {
    accept: async (project, envelope) =>
      (await callAbroad(socketPath, `/accept/${project}`, envelope)) as AcceptOutcome,
    change: async (...change) => (await callAbroad(socketPath, "/change", JSON.stringify(change))) as readonly number[],
    forward: (incoming, response) =>
      new Promise((resolve, reject) => {
        const { method, url, headers } = incoming;
        const onward = request({ socketPath, method, path: url, headers }, (answered) => {
          response.writeHead(answered.statusCode ?? 502, answered.rawHeaders);
          answered.pipe(response).once("close", resolve);
        });
        onward.once("error", reject);
        incoming.pipe(onward);
      }),
  };
}

function callAbroad(socketPath: string, target: string, body: string | Uint8Array): Promise<unknown> {
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
