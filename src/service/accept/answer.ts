import type { ServerResponse } from "node:http";
import { type RateLimit, writeRateLimits } from "#protocol";
import { allReaders, corsHeaders, type Readers } from "./cors.ts";
import type { AcceptOutcome } from "./outcome.ts";

interface Answer {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

const plainHeaders = { ...corsHeaders(allReaders), "Content-Type": "application/json" } as const;

const preflightHeaders = {
  "Access-Control-Allow-Methods": "POST",
  "Access-Control-Allow-Headers":
    "x-sentry-auth, x-requested-with, x-forwarded-for, origin, referer, accept, content-type, authentication, authorization, content-encoding, transfer-encoding, sentry-trace, baggage, traceparent",
  "Access-Control-Max-Age": "3600",
} as const;

export function answerPreflight(response: ServerResponse, readers: Readers): void {
  response.writeHead(204, { ...corsHeaders(readers), ...(readers.kind !== "none" && preflightHeaders) }).end();
}

export function answer(response: ServerResponse, outcome: AcceptOutcome, readers: Readers): void {
  if (outcome.kind === "abandoned") return;
  if (outcome.kind === "accepted" && outcome.limits.length === 0 && readers.kind === "all") {
    answerAccepted(response, outcome.eventId);
    return;
  }
  const { status, body, headers } = answerOf(outcome);
  const text = JSON.stringify(body);
  response.writeHead(status, {
    ...corsHeaders(readers),
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}

/**
 * Nearly every response has this form, so its headers are built once, as the flat list that Node writes. An id has 32
 * hex digits, which need no escaping and a fixed length. Passing latin1 spares Node a scan for other characters.
 */
function answerAccepted(response: ServerResponse, eventId: string | undefined): void {
  if (eventId === undefined) response.writeHead(200, headersWithoutId).end("{}", "latin1");
  else response.writeHead(200, headersWithId).end(`{"id":"${eventId}"}`, "latin1");
}

const headersWithoutId = asList({ ...plainHeaders, "Content-Length": String("{}".length) });
const headersWithId = asList({ ...plainHeaders, "Content-Length": String('{"id":""}'.length + 32) });

function asList(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).flat();
}

function answerOf(outcome: Exclude<AcceptOutcome, { kind: "abandoned" }>): Answer {
  switch (outcome.kind) {
    case "accepted": {
      const body = outcome.eventId === undefined ? {} : { id: outcome.eventId };
      return outcome.limits.length === 0
        ? { status: 200, body }
        : { status: 200, body, headers: limitHeaders(outcome.limits) };
    }
    case "malformed":
    case "contradictory":
      return refusal(400, outcome.why);
    case "no-key":
      return refusal(401, outcome.why);
    case "forbidden":
      return refusal(403, outcome.why, outcome.limits && limitHeaders(outcome.limits));
    case "not-found":
      return refusal(404, outcome.why);
    case "wrong-method":
      return refusal(405, `This address takes ${outcome.allowed} only.`, { Allow: outcome.allowed });
    case "too-large":
      return refusal(413, outcome.why);
    case "unknown-encoding":
      return refusal(415, outcome.why);
    case "limited": {
      const seconds = Math.max(1, ...outcome.limits.map((limit) => limit.seconds));
      const ofKey = outcome.limits.some(({ scope }) => scope === "key");
      return refusal(429, `This ${ofKey ? "key" : "project"} sends more than it may.`, {
        ...limitHeaders(outcome.limits),
        "Retry-After": String(seconds),
      });
    }
    case "unavailable":
      return refusal(503, outcome.why, {
        "Retry-After": String(outcome.retryAfterSeconds),
        "X-Sentry-Rate-Limits": writeRateLimits([
          { seconds: outcome.retryAfterSeconds, categories: [], reason: "unavailable" },
        ]),
      });
  }
}

function refusal(status: number, why: string, headers: Readonly<Record<string, string>> = {}): Answer {
  // Header values allow neither line ends nor characters beyond Latin-1, and a reason often quotes the request.
  const plain = why.replace(/[^\x20-\x7e]/g, "?");
  return { status, body: { detail: why, causes: [] }, headers: { ...headers, "X-Sentry-Error": plain } };
}

function limitHeaders(limits: readonly RateLimit[]): Readonly<Record<string, string>> {
  return { "X-Sentry-Rate-Limits": writeRateLimits(limits) };
}
