import { unlinkSync } from "node:fs";
import { createServer, type IncomingMessage, request } from "node:http";
import { buffer } from "node:stream/consumers";
import { type Deliver, type Delivery, readAnswer, reportingLimits } from "#reporting";

/**
 * Of several processes of an application one has the service. The others bring their envelopes to it over a socket in the data folder, which
 * nobody outside of this machine can reach, and on it nobody but this user.
 */
export function listenForNeighbours(socket: string, deliver: Deliver): () => void {
  removeOld(socket);
  const server = createServer((incoming, response) => {
    take(incoming, deliver).then(
      ({ status, waitMs }) =>
        response.writeHead(status, waitMs === undefined ? {} : { "Retry-After": Math.ceil(waitMs / 1_000) }).end(),
      () => response.destroy(),
    );
  });
  // Without the socket the neighbours keep their reports until this process is gone.
  server.on("error", (error) => console.error("Other processes cannot reach the error service:", error));
  // Its own: the sockets of a cluster are shared through the process that started it.
  server.listen({ path: socket, exclusive: true });
  server.unref();
  return () => {
    server.closeAllConnections();
    server.close();
  };
}

async function take(
  incoming: IncomingMessage,
  deliver: Deliver,
): Promise<{ status: number; waitMs?: number | undefined }> {
  const outcome = await deliver(await buffer(incoming));
  if (outcome.kind === "taken") return { status: 200 };
  return outcome.kind === "refused" ? { status: 400 } : { status: 503, waitMs: outcome.afterMs };
}

/** Left behind by a process that ended suddenly; it would be in the way. */
function removeOld(socket: string): void {
  try {
    unlinkSync(socket);
  } catch {
    // There was none.
  }
}

/** Brings an envelope to the process that has the service; `nobody` when none listens. */
export function deliverToNeighbour(socket: string, envelope: Uint8Array): Promise<Delivery | "nobody"> {
  const { promise, resolve } = Promise.withResolvers<Delivery | "nobody">();
  const sent = request(
    {
      socketPath: socket,
      method: "POST",
      signal: AbortSignal.timeout(reportingLimits.deliveryMs),
      headers: { "Content-Length": envelope.length },
    },
    (answer) => {
      answer.resume();
      const header = (name: string): string | undefined => String(answer.headers[name] ?? "") || undefined;
      answer.once("end", () => resolve(readAnswer(answer.statusCode ?? 0, header, Date.now())));
    },
  );
  sent.once("error", () => resolve("nobody"));
  sent.end(envelope);
  return promise;
}
