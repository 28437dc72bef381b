import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { ClientRequest } from "node:http";
import { writeBaggage, writeSentryTrace, writeTraceparent } from "#protocol";
import type { Scrub } from "../../scrub/scrub.ts";
import { isTarget } from "../../settings.ts";
import { type Identity, traceFacts } from "../../trace/identity.ts";
import type { Span } from "../../trace/trace.ts";
import { type RequestTraceContext, requestScope } from "../request-context.ts";

export interface WatchCallsDeps {
  identity: Identity;
  scrub: Scrub;
  now: () => number;
  /** Addresses whose requests carry the trace. */
  targets: readonly (string | RegExp)[];
}

/** The used part of a request object of either client. */
interface Call {
  origin: string;
  path: string;
  method: string;
  addHeader(name: string, value: string): void;
}

interface Watched {
  span: Span;
  request: RequestTraceContext;
  what: string;
}

/**
 * Records the requests that the application makes with `fetch` and `node:http` during a request: as spans, as
 * breadcrumbs, and with the trace in their headers.
 */
export function watchCalls(deps: WatchCallsDeps): () => void {
  const watched = new WeakMap<object, Watched>();
  const keep = (request: object, seen: Watched | undefined): void => {
    if (seen) watched.set(request, seen);
  };
  const listeners: Readonly<Record<string, (message: unknown) => void>> = {
    "undici:request:create": (message) => keep(requestOf(message), begin(requestOf(message) as Call, deps)),
    "undici:request:headers": (message) => end(watched.get(requestOf(message)), statusOf(message), deps),
    "undici:request:error": (message) => end(watched.get(requestOf(message)), 0, deps),
    "http.client.request.created": (message) => {
      const request = requestOf(message) as ClientRequest;
      // Deliveries of reports use this client too; reporting them would never end.
      if (!request.hasHeader("x-sentry-auth")) keep(request, begin(callOf(request), deps));
    },
    "http.client.response.finish": (message) => end(watched.get(requestOf(message)), statusOf(message), deps),
    "http.client.request.error": (message) => end(watched.get(requestOf(message)), 0, deps),
  };
  for (const [channel, listen] of Object.entries(listeners)) subscribe(channel, listen);
  return () => {
    for (const [channel, listen] of Object.entries(listeners)) unsubscribe(channel, listen);
  };
}

function begin(call: Call, { identity, scrub, now, targets }: WatchCallsDeps): Watched | undefined {
  const where = requestScope.getStore();
  if (!where) return undefined;
  const { segment } = where.request;
  const [path = ""] = call.path.split("?", 1);
  const what = `${call.method} ${call.origin}${scrub.text(path)}`;
  const span = segment.begin(where.span, "http.client", what, now());
  const seen = { span, request: where.request, what };
  if (!isTarget(call.origin + call.path, targets)) return seen;
  const parent = segment.parentFor(segment.sampled ? span : where.span);
  call.addHeader("sentry-trace", writeSentryTrace(parent));
  call.addHeader("traceparent", writeTraceparent(parent));
  call.addHeader("baggage", writeBaggage(traceFacts(identity, segment)));
  return seen;
}

function end(watched: Watched | undefined, status: number, { now }: WatchCallsDeps): void {
  if (!watched || watched.span.endMs !== undefined) return;
  const { span, request, what } = watched;
  const failed = status === 0 || status >= 500;
  span.endMs = now();
  span.status = failed ? "internal_error" : "ok";
  span.data = { "http.response.status_code": status };
  request.steps.add({
    timestamp: span.endMs / 1000,
    category: "fetch",
    type: "http",
    message: `${what} ${status || "failed"}`,
    level: failed ? "error" : "info",
  });
}

/** The documented messages of these channels (undici and Node, diagnostics channel support). */
function requestOf(message: unknown): object {
  return (message as { request: object }).request;
}

function callOf(request: ClientRequest): Call {
  return {
    origin: `${request.protocol}//${request.getHeader("host") ?? request.host}`,
    path: request.path,
    method: request.method,
    // Headers that were passed as a list are already sent.
    addHeader: (name, value) => request.headersSent || request.setHeader(name, value),
  };
}

function statusOf(message: unknown): number {
  return (message as { response: { statusCode: number } }).response.statusCode;
}
