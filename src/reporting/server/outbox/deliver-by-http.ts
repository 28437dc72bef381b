import type { Agent, request } from "node:http";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { httpClientFor } from "#http";
import { type Dsn, envelopeUrl } from "#protocol";
import { type Deliver, type DeliveryResult, readDeliveryResponse } from "../../delivery.ts";
import type { WireSdk } from "../../wire.ts";

/** Below this size, compression costs more than it saves; other clients use the same limit. */
const packFromBytes = 32_768;
const pack = promisify(gzip);

export interface HttpDeliveryOptions {
  dsn: Dsn;
  sdk: WireSdk;
  withinMs: number;
  now: () => number;
}

/** Posts envelopes to the service of a DSN. Uses `node:http`: `fetch` would be traced, and costs 30 ms to load. */
export function deliverByHttp({ dsn, sdk, withinMs, now }: HttpDeliveryOptions): Deliver {
  const url = new URL(envelopeUrl(dsn));
  let client: Client | undefined;
  const auth = `Sentry sentry_version=7, sentry_client=${sdk.name}/${sdk.version}, sentry_key=${dsn.publicKey}`;

  return async (envelope) => {
    const packed = envelope.length >= packFromBytes ? await pack(envelope) : undefined;
    const body = packed ?? envelope;
    const { promise, resolve } = Promise.withResolvers<DeliveryResult>();
    const failed = (error: Error): void => resolve({ kind: "later", why: error.message });
    client ??= openClient(url);
    const { agent } = client;
    const sent = client.request(
      url,
      {
        method: "POST",
        agent,
        headers: {
          "Content-Type": "application/x-sentry-envelope",
          "Content-Length": body.length,
          ...(packed && { "Content-Encoding": "gzip" }),
          "X-Sentry-Auth": auth,
          "User-Agent": `${sdk.name}/${sdk.version}`,
        },
      },
      (answer) => {
        const header = (name: string): string | undefined => String(answer.headers[name] ?? "") || undefined;
        answer.resume();
        answer.once("error", failed);
        answer.once("end", () => resolve(readDeliveryResponse(answer.statusCode ?? 0, header, now())));
      },
    );
    sent.once("error", failed);
    // Starts when the request has a socket or connects: waiting for a free one says nothing about the service.
    sent.once("socket", () => {
      const late = setTimeout(() => sent.destroy(new Error(`no answer within ${withinMs} ms`)), withinMs).unref();
      sent.once("close", () => clearTimeout(late));
    });
    sent.end(body);
    return promise;
  };
}

interface Client {
  request: typeof request;
  agent: Agent;
}

/**
 * Loaded with the first envelope, not at the start: TLS takes 10 ms and 4 MB to load, and the embedded service does not
 * need it.
 */
function openClient({ protocol }: URL): Client {
  const { Agent, request } = httpClientFor(protocol);
  return { request, agent: new Agent({ keepAlive: true, maxSockets: 16 }) };
}
