import { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { socketFacts } from "../socket-facts.ts";

/** The same request once more, for an answer that no client gets. */
export interface TriedRequest {
  incoming: IncomingMessage;
  response: ServerResponse;
  /** Ends it, answered or not. */
  end(): void;
}

/** For a request without a body. */
export function repeatRequest(original: IncomingMessage): TriedRequest {
  // Written bytes go nowhere.
  const nowhere = new Duplex({ read: () => undefined, write: (_bytes, _encoding, done) => done() });
  const facts = socketFacts(original.socket.remoteAddress ?? "", "encrypted" in original.socket);
  // Node asks nothing else of a socket whose request is already read.
  const socket = Object.assign(nowhere, facts) as unknown as Socket;
  const incoming = new IncomingMessage(socket);
  const { method = "GET", url = "/", httpVersion, headers, rawHeaders } = original;
  Object.assign(incoming, { method, url, httpVersion, httpVersionMajor: 1, httpVersionMinor: 1, complete: true });
  incoming.headers = { ...headers };
  incoming.rawHeaders = [...rawHeaders];
  incoming.push(null);
  const response = new ServerResponse(incoming);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  return { incoming, response, end: () => void nowhere.destroy() };
}
