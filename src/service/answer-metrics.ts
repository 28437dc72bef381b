import type { IncomingMessage } from "node:http";
import { type Exchange, isFromThisMachine, noStore, send, sendText } from "#http";
import { permits } from "./tokens/scopes.ts";
import type { Tokens } from "./tokens/tokens.ts";

export interface MetricsDeps {
  /** The figures in the Prometheus text format. Rejects while no process runs the service. */
  readonly metrics: () => Promise<string>;
  /** Opened by the first request from another machine. */
  readonly tokens: () => Pick<Tokens, "admit">;
  readonly addressOf: (request: IncomingMessage) => string | undefined;
}

interface Refusal {
  readonly status: 401 | 403 | 429;
  readonly why: string;
  readonly headers: readonly string[];
}

/** Answers with the figures: to programs on this machine, and elsewhere to the holder of a token that may read. */
export async function answerMetrics(exchange: Exchange, deps: MetricsDeps): Promise<void> {
  const refusal = await refusalOf(exchange.incoming, deps);
  if (refusal !== undefined) {
    const headers = ["Content-Type", "text/plain; charset=utf-8", ...noStore, ...refusal.headers];
    send(exchange, { status: refusal.status, headers, body: `${refusal.why}\n` });
    return;
  }
  const text = await deps.metrics().catch(() => undefined);
  if (text === undefined) sendText(exchange, 503, "No process runs the service at the moment.\n");
  else sendText(exchange, 200, text, "text/plain; version=0.0.4");
}

async function refusalOf(request: IncomingMessage, { tokens, addressOf }: MetricsDeps): Promise<Refusal | undefined> {
  if (isFromThisMachine(request)) return undefined;
  const secret = /^Bearer\s+(\S+)$/i.exec(request.headers.authorization ?? "")?.[1];
  if (secret === undefined) return { status: 401, why: noToken, headers: challenge };
  const admission = await tokens().admit(secret, addressOf(request) ?? "");
  switch (admission.kind) {
    case "granted":
      return permits(admission.grant.scopes, "read")
        ? undefined
        : { status: 403, why: "The token needs the scope read.", headers: [] };
    case "wait":
      return { status: 429, why: "Too many wrong tokens.", headers: ["Retry-After", String(admission.seconds)] };
    case "unknown":
    case "expired":
      return { status: 401, why: noToken, headers: challenge };
  }
}

const challenge = ["WWW-Authenticate", "Bearer"];
const noToken = "From another machine, send a token with the scope read, as Authorization: Bearer TOKEN.";
