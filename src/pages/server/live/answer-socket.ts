import { admit } from "../admit.ts";
import { sendProblem, sendResponse, sendStatus } from "../answer-api.ts";
import type { Socket } from "../author/socket.ts";
import { contextOf, type Visit } from "../visit.ts";
import { SocketConnection } from "./socket-connection.ts";
import type { Upgrade } from "./web-socket.ts";

/**
 * Opens the socket of an API route. Until the handshake, every refusal is a plain HTTP response, so that clients and
 * proxies see its status.
 */
export async function answerSocket(visit: Visit, socket: Socket, upgrade: Upgrade): Promise<void> {
  const { site, request, exchange } = visit;
  const admitted = await admit(visit);
  if (admitted.kind === "answered") return sendResponse(visit, admitted.response);
  if (admitted.kind === "ended") return sendProblem(visit, admitted.problem);
  if (!site.acceptSocket) return sendStatus(visit, { status: 501 });
  const connection = new SocketConnection(visit, socket);
  const leave = site.streams.add(request.incoming, connection);
  if (!leave) return sendStatus(visit, { status: 503, headers: ["Retry-After", "20"] });
  request.sealCookies();
  request.sealResponse();
  const raw = await site.acceptSocket(upgrade, visit.headersToSend(), site.limits);
  if (!raw) return leave();
  exchange.response.statusCode = 101;
  void connection.open(raw, leave, ({ signal, ...connected }) =>
    Object.assign(contextOf(visit, admitted.locals, { signal }), connected),
  );
}
