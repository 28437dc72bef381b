import type { IncomingMessage } from "node:http";
import { type Exchange, send } from "./send.ts";
import { streamBody } from "./stream-body.ts";

// `Request` has no such methods.
const withoutRequest = new Set(["CONNECT", "TRACE", "TRACK"]);

/**
 * The web `Request` of a Node request, without a limit of its body: its reader counts. Undefined if there is none, for
 * example because the client has sent an impossible host.
 */
export function webRequestOf(incoming: IncomingMessage, origin: string): Request | undefined {
  const { method = "GET", url = "/" } = incoming;
  if (withoutRequest.has(method) || !URL.canParse(origin + url)) return undefined;
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers))
    for (const one of Array.isArray(value) ? value : [value ?? ""]) headers.append(name, one);
  const hasBody = method !== "GET" && method !== "HEAD";
  return new Request(origin + url, {
    method,
    headers,
    ...(hasBody && { body: bodyOf(incoming), duplex: "half" as const }),
  });
}

function bodyOf(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  const chunks = streamBody(incoming, Number.POSITIVE_INFINITY, () => true);
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    // The connection stays open, so that the client can read why it was refused.
    cancel: async () => void (await chunks.return(undefined)),
  });
}

/** Sends a whole web `Response`, compressed if it is a large text. */
export async function sendWebResponse(exchange: Exchange, answer: Response): Promise<void> {
  const headers = [...answer.headers].flat();
  const { status } = answer;
  if (answer.body === null || /^(?:text\/|application\/(?:\S+\+)?json)/.test(answer.headers.get("content-type") ?? ""))
    return send(exchange, { status, headers, body: await answer.text() });
  const bytes = Buffer.from(await answer.arrayBuffer());
  exchange.response.writeHead(status, [...headers, "Content-Length", String(bytes.length)]).end(bytes);
}
